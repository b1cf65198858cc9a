// SPDX-License-Identifier: Apache-2.0
// A run of an algorithm of the CPU.
#include "cpp/src/clock.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {

CpuResult run(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
              const CpuOptions& options) {
  Workers workers(threads_for(graph, options.num_threads), options.interrupted, options.report);
  workers.phase("preparing", 0);
  CheckedArguments checked(algorithm.program, arguments, graph, workers);
  const abi::Argument* const in_order = checked.in(abi::kNone, workers).data();
  workers.assemble();
  CpuRun run(graph, workers);
  CpuResult result;
  const auto start = Clock::now();
  result.values = algorithm.run(run, in_order);
  workers.end_phase();
  workers.check();
  result.stats.seconds = seconds_since(start) - run.prepare_seconds();
  result.stats.prepare_seconds = run.prepare_seconds();
  result.stats.prepared = run.is_relabeled();
  if (run.may_be_relabeled() && !run.is_relabeled()) graph.count_run(result.stats.seconds);
  result.stats.device = "cpu";
  result.stats.method = "auto";
  result.stats.converged = run.remedy().empty();
  result.remedy = run.remedy();
  result.stats.num_threads = workers.size();
  result.stats.num_edges = graph.num_edges();
  return result;
}

}  // namespace gaspipe
