// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/run.h"

#include <algorithm>

#include "cpp/src/run/threads.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace local_store {
namespace {

constexpr const char* kMethod = "local_store";

void check_options(const RunOptions& options) {
  const RunOptions defaults;
  const auto refuse = [](const char* what, const std::string& value, const char* remedy) {
    throw InputError(message(what, " is ", value, "; method=\"", kMethod, "\" ", remedy));
  };
  if (options.device != defaults.device) refuse("device", "\"" + options.device + "\"", "runs on the CPU: omit it");
  if (options.number != "auto" && options.number != "uint32") {
    refuse("number", "\"" + options.number + "\"", "counts in \"uint32\": omit it");
  }
  if (options.execution != defaults.execution) {
    refuse("execution", "\"" + options.execution + "\"", "has no kernels: omit it");
  }
  if (options.scheduler != defaults.scheduler) {
    refuse("scheduler", "\"" + options.scheduler + "\"", "has no kernels: omit it");
  }
  if (options.partition) refuse("partitioning", "given", "has owners instead: omit it");
}

}  // namespace

void check_absent(const RunOptions& options) {
  const RunOptions defaults;
  const char* found = nullptr;
  if (options.workers) found = "workers";
  if (options.local_store_bytes) found = "local_store_bytes";
  if (options.hide_latency != defaults.hide_latency) found = "hide_latency";
  if (options.trace != defaults.trace) found = "trace";
  if (found != nullptr) {
    throw InputError(message(found, " is for method=\"", kMethod, "\", and method is \"", options.method,
                             "\"; omit it, or use that"));
  }
}

int num_workers(const RunOptions& options) {
  check_options(options);
  if (!options.workers) {
    return std::min(options.num_threads > 0 ? options.num_threads : default_num_threads(), kMostWorkers);
  }
  if (*options.workers > std::uint64_t(kMostWorkers)) {
    throw InputError(message("workers is ", *options.workers, "; allowed are 1 to ", kMostWorkers));
  }
  return static_cast<int>(*options.workers);
}

Run run(const SplitLists& lists, VertexId root, const RunOptions& options) {
  lists.check_workers(num_workers(options));
  const int asked = threads_for(lists.num_edges(), options.num_threads);
  Workers workers(std::min(asked > 0 ? asked : default_num_threads(), lists.num_workers()), options.interrupted);
  Run made;
  Stats& stats = made.stats;
  Settings settings;
  settings.local_store_bytes = options.local_store_bytes.value_or(kDefaultStoreBytes);
  settings.hide_latency = options.hide_latency;
  settings.trace = options.trace;
  settings.after_level = [&](const Level& level) {
    abi::Superstep step{abi::kPushStep, level.vertices, level.edges, {}};
    step.seconds[abi::kScatterGather] = level.seconds;
    stats.supersteps.add(step);
    if (options.progress) options.progress(stats.supersteps.size() - 1, step);
  };
  made.answer = search(lists, root, settings, workers);
  stats.device = options.device;
  stats.method = kMethod;
  stats.number = "uint32";
  stats.num_threads = workers.size();
  stats.seconds = made.answer.profile.seconds;
  stats.phases[abi::kScatterGather] = stats.supersteps.seconds(abi::kScatterGather);
  stats.phases[abi::kStart] = std::max(0.0, stats.seconds - stats.phases[abi::kScatterGather]);
  stats.num_edges = lists.num_edges();
  return made;
}

}  // namespace local_store
}  // namespace gaspipe
