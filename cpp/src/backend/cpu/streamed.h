// SPDX-License-Identifier: Apache-2.0
// The CPU, for a graph whose edges stay in its file.
#pragma once

#include <memory>

#include "cpp/src/backend/executor.h"

namespace gaspipe {

std::unique_ptr<Executor> make_streamed(const Placement& placement, Workers& workers);

}  // namespace gaspipe
