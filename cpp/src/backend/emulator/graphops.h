// SPDX-License-Identifier: Apache-2.0
// The other design: an accelerator of GraphOps' blocks (hls/kernel/graphops_<program>.h), in the emulator or on a card.
#pragma once

#include <memory>

#include "cpp/src/backend/executor.h"

namespace gaspipe {

constexpr const char* kGraphopsDesign = "graphops";

// InputError for programs that have no such accelerator, and for options that do not go with it.
std::unique_ptr<Executor> make_graphops(const Placement& placement, Workers& workers);

}  // namespace gaspipe
