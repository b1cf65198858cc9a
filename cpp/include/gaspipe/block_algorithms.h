// SPDX-License-Identifier: Apache-2.0
// Algorithms of the CPU (gaspipe/cpu_algorithm.h) that are also accelerators of GraphOps' blocks, and run as these in
// the emulator: hls/kernel/graphops_<name>.h, with what GraphOps leaves to the host.
#pragma once

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/run_options.h"

namespace gaspipe {

bool has_blocks(const CpuAlgorithm& algorithm);

// On the device that the options name: the CPU, or the emulator with design="graphops". The answer is the same.
// InputError for another device or design, and where the algorithm has no accelerator. CapacityError for a graph that
// the board does not hold, DeviceError where the kernel cannot go on, Cancelled when interrupted.
CpuResult run_on_device(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                        const RunOptions& options);

}  // namespace gaspipe
