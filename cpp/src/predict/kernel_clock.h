// SPDX-License-Identifier: Apache-2.0
// The clock that the recurrences of a configuration's kernels allow.
#pragma once

#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

// In MHz, from hls/kernel/clocks.h; of the published configuration, which was built and timed, none: infinite.
double recurrence_clock_mhz(const KernelConfig& config);

}  // namespace predict
}  // namespace gaspipe
