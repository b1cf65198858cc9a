// SPDX-License-Identifier: Apache-2.0
// The clock of what is timed on the host.
#pragma once

#include <time.h>

#include <chrono>

namespace gaspipe {

using Clock = std::chrono::steady_clock;

// Some milliseconds old, and read in a fifth of the time: for what is asked all the time whether it is due.
inline Clock::time_point recently() {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
#else
  return Clock::now();
#endif
}

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace gaspipe
