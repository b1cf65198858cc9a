// SPDX-License-Identifier: Apache-2.0
// The clock of what is timed on the host.
#pragma once

#include <chrono>

namespace gaspipe {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace gaspipe
