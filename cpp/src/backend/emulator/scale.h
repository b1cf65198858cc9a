// SPDX-License-Identifier: Apache-2.0
// The scale of fixed point is found without clocks: scales are tried from the finest on, and an attempt with clocks
// takes tens of times as long.
#pragma once

#include "cpp/src/backend/executor.h"
#include "cpp/src/backend/host_device.h"

namespace gaspipe {

// Whether this can be asked of an attempt. In domains, steps wait for others; of a run that is resumed the first steps
// are missing.
inline bool may_find_scale(const Attempt& attempt) {
  return attempt.scale_bits > 0 && attempt.domain == nullptr && attempt.resume == nullptr;
}
// Whether the scale of `attempt` is too fine, by `device`: one that computes the same bits, without clocks.
bool is_scale_too_fine(const abi::Instance& instance, const Attempt& attempt, HostDevice& device, Workers& workers);

}  // namespace gaspipe
