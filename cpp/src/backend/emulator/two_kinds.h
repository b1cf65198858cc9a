// SPDX-License-Identifier: Apache-2.0
// The emulator with a design of two kinds of pipelines (hls/kernel/pipelines.h, docs/hbm.md).
#pragma once

#include <memory>

#include "cpp/src/backend/executor.h"

namespace gaspipe {

std::unique_ptr<Executor> make_two_kinds(const Placement& placement, Workers& workers);

}  // namespace gaspipe
