// SPDX-License-Identifier: Apache-2.0
// Algorithms of the CPU (gaspipe/cpu_algorithm.h) whose answer the kernels of a program find too, on a device that has
// them: the emulator or a card.
#pragma once

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/run_options.h"

namespace gaspipe {

// The program of hls/algorithm whose kernels find the algorithm's answer; empty where only the CPU does.
std::string kernels_for(const CpuAlgorithm& algorithm);

// On the device that the options name; the answer is that of the CPU. Throws what Running (gaspipe/run.h) throws.
CpuResult run_on_kernels(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                         const RunOptions& options);

}  // namespace gaspipe
