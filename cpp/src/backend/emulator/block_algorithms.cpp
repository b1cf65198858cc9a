// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/block_algorithms.h"

#include <memory>
#include <string>
#include <utility>

#include "cpp/src/backend/card/graphops_on_card.h"
#include "cpp/src/backend/emulator/block_accelerator.h"
#include "cpp/src/backend/emulator/graphops.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/checks.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/executors.h"
#include "gaspipe/kernel_algorithms.h"

namespace gaspipe {
namespace {

const BlockAccelerator* find_blocks_of(const CpuAlgorithm& algorithm) {
  for (const BlockAccelerator& accelerator : block_accelerators()) {
    if (accelerator.name == std::string(algorithm.program.name)) return &accelerator;
  }
  return nullptr;
}

const BlockAccelerator& accelerator_of(const CpuAlgorithm& algorithm, const RunOptions& options) {
  const char* name = algorithm.program.name;
  const BlockAccelerator* found = find_blocks_of(algorithm);
  if (found == nullptr) {
    throw InputError(
        message("device is \"", options.device, "\"; ", name, " runs on the CPU alone: use device=\"cpu\""));
  }
  const ExecutorKind& executor = find_executor(options.device);
  if (!executor.predicts && !executor.needs_card) {
    throw InputError(message("device is \"", options.device, "\"; ", name, " runs on the CPU, and with design=\"",
                             kGraphopsDesign,
                             "\" in the emulator and on cards: use device=\"cpu\", \"emulator:u250\" or \"fpga\""));
  }
  if (options.design != kGraphopsDesign) {
    throw InputError(message("design is \"", options.design, "\", of which there are no kernels for ", name,
                             "; use design=\"", kGraphopsDesign, "\", or device=\"cpu\""));
  }
  return *found;
}

CpuResult run_blocks(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                     const RunOptions& options) {
  const BlockAccelerator& accelerator = accelerator_of(algorithm, options);
  std::unique_ptr<GraphopsBoard> board;  // of the emulator
  if (!options.card) board = std::make_unique<GraphopsBoard>(options);
  Workers workers(threads_for(graph, options.num_threads), options.interrupted, options.report);
  workers.phase(board ? "emulating" : "computing", 0);
  CheckedArguments checked(algorithm.program, arguments, graph, workers);
  const abi::Argument* const in_order = checked.in(abi::kNone, workers).data();
  workers.assemble();
  abi::Kernel code;
  std::unique_ptr<GraphopsKernel> kernel;
  if (board) {
    code = block_kernel(accelerator.name);
    kernel = std::make_unique<EmulatedGraphops>(code, *board, workers);
  } else {
    kernel = std::make_unique<GraphopsOnCard>(options, message(kGraphopsDesign, "_", accelerator.name));
  }
  BlockRun run{graph, *kernel, workers};
  CpuResult result;
  const auto start = Clock::now();
  result.values = accelerator.run(run, in_order);
  workers.check();
  result.stats.seconds = seconds_since(start) - run.prepare_seconds;
  result.stats.prepare_seconds = run.prepare_seconds;
  result.stats.method = "auto";
  result.stats.num_threads = workers.size();
  result.stats.num_edges = graph.num_edges();
  result.stats.supersteps = std::move(run.steps);
  kernel->describe(result.stats, graph.num_edges());
  return result;
}

}  // namespace

bool has_blocks(const CpuAlgorithm& algorithm) { return find_blocks_of(algorithm) != nullptr; }

CpuResult run_on_device(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                        const RunOptions& options) {
  check_choices(options);
  if (options.device != RunOptions().device) {
    return kernels_for(algorithm).empty() ? run_blocks(algorithm, graph, arguments, options)
                                          : run_on_kernels(algorithm, graph, arguments, options);
  }
  check_design(options);
  return run(algorithm, graph, arguments, CpuOptions{options.num_threads, options.interrupted, options.report});
}

}  // namespace gaspipe
