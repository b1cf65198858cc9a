// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes: the phases that programs report (abi::Phase), then those of the core. They add up to
// the run's seconds.
#pragma once

#include <array>

#include "gaspipe/abi.h"

namespace gaspipe {

enum RunPhase : std::int32_t {
  kControl = abi::kNumPhases,  // between super-steps: whether to go on, the log, calls of `progress`
  kCheck,                      // whether the answer fits its number format
  kCheckpoint,                 // writing those
  kEarlierAttempts,            // in a finer scale, in which a number did not fit
  kNumRunPhases,
};

constexpr const char* kPhaseNames[kNumRunPhases] = {
    "scatter_gather", "apply", "frontier", "start", "finish", "control", "check", "checkpoint", "earlier_attempts",
};

using PhaseSeconds = std::array<double, kNumRunPhases>;

}  // namespace gaspipe
