// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/run.h"

#include <algorithm>

#include "cpp/src/run/checks.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace local_store {
namespace {

constexpr const char* kMethod = "local_store";
constexpr std::uint64_t kMargin = 8 << 20;  // out of core, for what is not counted one by one: threads, tables
// Local stores out of core, unless they are asked for: beyond so much, or so much per vertex, nothing is gained.
constexpr std::uint64_t kMostOwnStore = 16 << 20, kStorePerVertex = 64;

// As large memory is allocated.
std::uint64_t rounded(std::uint64_t num_bytes) {
  return num_bytes < kHugePage ? num_bytes : (num_bytes + kHugePage - 1) / kHugePage * kHugePage;
}

void check_options(const RunOptions& options) {
  const RunOptions defaults;
  const auto refuse = [](const char* what, const std::string& value, const char* remedy) {
    throw InputError(message(what, " is ", value, "; method=\"", kMethod, "\" ", remedy));
  };
  if (options.device != defaults.device)
    refuse("device", "\"" + options.device + "\"",
           "runs on the CPU and in the emulator: omit it, or use \"emulator:u250\"");
  if (options.number != "auto" && options.number != "uint32") {
    refuse("number", "\"" + options.number + "\"", "counts in \"uint32\": omit it");
  }
  const auto refuse_kernels = [&](const char* what, const std::string& value, const std::string& usual) {
    if (value != usual) refuse(what, "\"" + value + "\"", "has no kernels: omit it");
  };
  refuse_kernels("execution", options.execution, defaults.execution);
  refuse_kernels("scheduler", options.scheduler, defaults.scheduler);
  refuse_kernels("config", options.config, defaults.config);
  refuse_kernels("design", options.design, defaults.design);
  if (options.checkpoint) refuse("checkpoint", "\"" + *options.checkpoint + "\"", "writes none: omit it");
  if (options.resume) refuse("resume", "\"" + *options.resume + "\"", "cannot go on from one: omit it");
  if (options.every) refuse("every", message(*options.every), "writes no checkpoints: omit it");
  if (options.partition) refuse("partitioning", "given", "has owners instead: omit it");
  check_choices_but_method(options);
}

// As options ask for it, or what the budget leaves.
void divide_memory(const StoredLists& lists, const RunOptions& options, const OutOfCore& out_of_core,
                   Settings& settings) {
  const StoredEdges& edges = *lists.edges();
  const std::uint64_t n = lists.num_vertices(), num_workers = static_cast<std::uint64_t>(lists.num_workers());
  const std::uint64_t pages = lists.num_bytes() / kListPage + 1;
  const std::uint64_t others = edges.memory_before() + rounded(n * sizeof(std::int32_t)) + n / 2 + pages +
                               out_of_core.other_bytes +
                               (options.trace ? 2 * num_workers * kMostEvents * sizeof(Event) : 0) + kMargin;
  const std::uint64_t of_layout = least_layout(lists.owners()).total();
  const std::uint64_t least_store = options.local_store_bytes.value_or(of_layout);
  for (const IoSizes& io : {IoSizes(), IoSizes::least()}) {
    settings.io = io;
    const std::uint64_t fixed = others + num_workers * io.total();
    const std::uint64_t least = fixed + num_workers * rounded(least_store);
    if (least <= edges.memory()) {
      const std::uint64_t share = (edges.memory() - fixed) / num_workers;
      const std::uint64_t whole = share < 2 * kHugePage ? share : share - kHugePage;  // pages are rounded up
      const std::uint64_t wanted = of_layout + std::min(kMostOwnStore, n * kStorePerVertex / num_workers);
      settings.local_store_bytes = options.local_store_bytes
                                       ? *options.local_store_bytes
                                       : std::max(of_layout, std::min(whole, std::max(wanted, kDefaultStoreBytes)));
      return;
    }
    settings.local_store_bytes = least;
  }
  const auto in_megabytes = [](std::uint64_t bytes) { return message((bytes + 999'999) / 1'000'000, " MB"); };
  throw CapacityError(message(
      "memory is ", in_megabytes(edges.memory()), "; method=\"", kMethod, "\" with ", num_workers,
      num_workers == 1 ? " worker" : " workers", " needs at least ", in_megabytes(settings.local_store_bytes),
      " for this graph",
      options.local_store_bytes ? message(" and local_store_bytes=", *options.local_store_bytes) : std::string(),
      " (the process took ", in_megabytes(edges.memory_before()), " when it was loaded)"));
}

}  // namespace

void check_absent(const RunOptions& options) {
  const RunOptions defaults;
  const char* found = nullptr;
  if (options.local_store_bytes) found = "local_store_bytes";
  if (options.hide_latency != defaults.hide_latency) found = "hide_latency";
  if (options.trace != defaults.trace) found = "trace";
  if (options.workers) {
    throw InputError(message("workers is ", *options.workers, "; it is for methods with workers, and method is \"",
                             options.method, "\"; omit it, or use \"", kMethod,
                             "\" in bfs or \"delta_stepping\" in sssp"));
  }
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

namespace {

template <class Lists>
Run run_over(const Lists& lists, VertexId root, const RunOptions& options, Settings settings) {
  const int asked = threads_for(lists.num_edges(), options.num_threads);
  Workers workers(std::min(asked > 0 ? asked : default_num_threads(), lists.num_workers()), options.interrupted);
  Run made;
  Stats& stats = made.stats;
  made.local_store_bytes = settings.local_store_bytes;
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

}  // namespace

Run run(const SplitLists& lists, VertexId root, const RunOptions& options) {
  lists.check_workers(num_workers(options));
  Settings settings;
  settings.local_store_bytes = options.local_store_bytes.value_or(kDefaultStoreBytes);
  return run_over(lists, root, options, std::move(settings));
}

Run run(const StoredLists& lists, VertexId root, const RunOptions& options, const OutOfCore& out_of_core) {
  const int asked = num_workers(options);
  if (options.workers) lists.check_workers(asked);
  lists.file().check_unchanged();
  Settings settings;
  settings.folder = out_of_core.folder;
  divide_memory(lists, options, out_of_core, settings);
  Run made = run_over(lists, root, options, std::move(settings));
  const Profile& profile = made.answer.profile;
  made.stats.stream = StreamStats{lists.edges()->memory(), profile.bytes_read, profile.bytes_from_disk, 0,
                                  profile.seconds_waited,  profile.reader};
  return made;
}

}  // namespace local_store
}  // namespace gaspipe
