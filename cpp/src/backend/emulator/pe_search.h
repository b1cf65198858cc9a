// SPDX-License-Identifier: Apache-2.0
// Programs that search, on an array of PEs that push or pull (hls/kernel/pull_bfs.h): method="direction_optimizing".
#pragma once

#include <memory>

#include "cpp/src/backend/executor.h"

namespace gaspipe {

// InputError for programs that are no searches, and for options that do not go with the method.
std::unique_ptr<Executor> make_pe_search(const Placement& placement, Workers& workers);

}  // namespace gaspipe
