// SPDX-License-Identifier: Apache-2.0
#include "kernel_clock.h"

#include <limits>
#include <string>

#include "hls/kernel/clocks.h"

namespace gaspipe {
namespace predict {

double recurrence_clock_mhz(const KernelConfig& config) {
  if (config.is_published) return std::numeric_limits<double>::infinity();
  // A packed edge has 4 bytes, a plain one two words.
  const std::string kernel = config.description.edge_bytes < 8 ? "packed_gather_scatter" : "gather_scatter";
  for (const KernelClock& clock : kKernelClocks) {
    if (kernel == clock.kernel && config.description.lanes == clock.lanes) return clock.mhz;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace predict
}  // namespace gaspipe
