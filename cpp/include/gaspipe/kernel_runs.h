// SPDX-License-Identifier: Apache-2.0
// The kernels of a run, as a device has and starts them. Places without kernels (the CPU) have none of these.
#pragma once

#include <cstdint>
#include <string>

namespace gaspipe {

constexpr std::int32_t kApplyUnit = -1;

// A kernel that was started in a super-step.
struct KernelTime {
  std::int32_t unit = 0;  // compute unit; kApplyUnit for the apply kernel
  std::uint32_t partition = 0;
  double start_seconds = 0, seconds = 0;  // from the super-step's start; on the host's clock
  std::uint64_t cycles = 0;               // predicted; 0 where the run has no clocks
};

// A compute unit of a device.
struct KernelDescription {
  std::string kernel, instance;
  std::int32_t unit = 0;  // kApplyUnit for the apply kernel
};

// What a kernel is started with.
struct KernelArgument {
  std::string name;
  std::uint64_t num_bytes = 0;  // of a buffer
  std::uint32_t value = 0;      // of a scalar
  bool is_buffer = false;
};

}  // namespace gaspipe
