// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/kernel_algorithms.h"

#include <cstring>
#include <utility>

#include "cpp/algorithm/multi_source.h"
#include "cpp/src/clock.h"
#include "cpp/src/cpu_table.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/engine/on_device.h"
#include "gaspipe/error.h"
#include "hls/algorithm/closeness.h"

gaspipe::abi::Kernels gaspipe_emulated_closeness(const char* number);

namespace gaspipe {
namespace {

struct KernelRun {
  const Graph& graph;
  Workers& workers;
  RunOptions options;
  Stats stats = {};
};

// The searches of closeness along the edges instead of against them: kernels do not see the difference.
struct Searches {
  template <class Number>
  struct Program : algorithm::closeness::Program<Number> {
    using algorithm::closeness::Program<Number>::Program;
    static constexpr View kView = View::kForward;
  };
  using Parameters = algorithm::closeness::Parameters;
  using Numbers = algorithm::closeness::Numbers;
  static const Description& description() { return algorithm::closeness::kDescription; }
};
struct OnEmulator {
  template <class Program, class Parameters>
  static void fill(abi::Instance& instance) {
    instance.kernels = gaspipe_emulated_closeness(instance.number);
  }
};
constexpr const char* kSearches = "closeness";
constexpr const char* kWidest = "bits512";

// Depths from the sets of searches that have found a vertex: who is new in a set after a super-step is as deep as the
// pass has steps. A super-step without a new one ends the pass.
class Depths {
 public:
  using Parameters = algorithm::multi_source::Parameters;
  using Answer = algorithm::multi_source::Answer;

  static Answer run(KernelRun& run, const Parameters& parameters) {
    const Csr& csr = *run.graph.csr();
    const Writable<VertexId> sources = algorithm::multi_source::sources_of(csr, parameters);
    const Writable<std::int32_t> depth(sources.size() * csr.num_rows);
    run.workers.each(depth.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(depth.data() + first, depth.data() + last, -1);
    });
    if (sources.size() > 0) Depths(run, csr.num_rows, sources, depth).search();
    return {{"num_sources, num_vertices", false, depth.freeze(), csr.num_rows},
            {"num_sources", true, sources.freeze()}};
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 14, kBits = 32;

  Depths(KernelRun& run, VertexId num_vertices, const Writable<VertexId>& sources, const Writable<std::int32_t>& depth)
      : run_(run), num_vertices_(num_vertices), sources_(sources), depth_(depth) {}

  void search() {
    const Writable<std::int64_t> ids(sources_.size());
    std::copy_n(sources_.data(), sources_.size(), ids.data());
    if (run_.options.number == "auto") run_.options.number = kWidest;
    Running running(*engine::program_table<Searches, engine::OnDevice, OnEmulator>(kSearches), run_.graph,
                    {{"vertices", ids.freeze()}, {"wf_improved", std::int64_t(0)}}, run_.options);
    num_words_ = static_cast<std::size_t>(running.instance().property_bytes) / sizeof(std::uint32_t);
    double seconds = 0;
    begin(0);
    for (bool goes_on = true; goes_on;) {
      goes_on = running.step();
      const auto start = Clock::now();
      if (!note(running.properties())) begin(first_ + num_words_ * kBits);
      seconds += seconds_since(start);
    }
    run_.stats = running.stats();
    run_.stats.seconds += seconds;
  }
  // The pass that starts with this source.
  void begin(std::size_t first) {
    first_ = first;
    level_ = 0;
    before_.assign(num_words_ * num_vertices_, 0);
    for (std::size_t k = 0; k < num_words_ * kBits && first + k < sources_.size(); ++k) {
      const VertexId source = sources_[first + k];
      before_[num_words_ * source + k / kBits] |= 1u << (k % kBits);
      depth_[(first + k) * num_vertices_ + source] = 0;
    }
  }
  // The sets after a super-step; whether there was anything new.
  bool note(const Array<std::uint8_t>& sets) {
    ++level_;
    std::vector<char> found(static_cast<std::size_t>(run_.workers.size()), 0);
    run_.workers.each(before_.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint32_t set;
        std::memcpy(&set, sets.data() + i * sizeof set, sizeof set);
        for (std::uint32_t fresh = set & ~before_[i]; fresh != 0; fresh &= fresh - 1) {
          const auto bit = static_cast<std::size_t>(__builtin_ctz(fresh));
          depth_[(first_ + i % num_words_ * kBits + bit) * num_vertices_ + i / num_words_] = level_;
          found[static_cast<std::size_t>(worker)] = 1;
        }
        before_[i] = set;
      }
    });
    run_.workers.check();
    return std::find(found.begin(), found.end(), 1) != found.end();
  }

  KernelRun& run_;
  const std::size_t num_vertices_;
  const Writable<VertexId>& sources_;
  const Writable<std::int32_t>& depth_;
  std::size_t num_words_ = 0, first_ = 0;  // of a set; the pass's first source
  std::int32_t level_ = 0;
  std::vector<std::uint32_t> before_;
};

// A new one has its line here.
struct KernelAlgorithm {
  const char *name, *kernels;
  std::vector<AnswerValue> (*run)(KernelRun& run, const abi::Argument* arguments);
};
constexpr KernelAlgorithm kAll[] = {{"multi_source", kSearches, run_cpu_algorithm<Depths, KernelRun>}};

const KernelAlgorithm* find_kernel_of(const CpuAlgorithm& algorithm) {
  for (const KernelAlgorithm& known : kAll) {
    if (std::strcmp(known.name, algorithm.program.name) == 0) return &known;
  }
  return nullptr;
}

}  // namespace

std::string kernels_for(const CpuAlgorithm& algorithm) {
  const KernelAlgorithm* const found = find_kernel_of(algorithm);
  return found == nullptr ? "" : found->kernels;
}

CpuResult run_on_kernels(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                         const RunOptions& options) {
  Workers workers(threads_for(graph, options.num_threads), options.interrupted, options.report);
  workers.phase("searches", 0);
  CheckedArguments checked(algorithm.program, arguments, graph, workers);
  const abi::Argument* const in_order = checked.in(abi::kNone, workers).data();
  KernelRun run{graph, workers, options};
  CpuResult result;
  result.values = find_kernel_of(algorithm)->run(run, in_order);
  workers.check();
  result.stats = std::move(run.stats);
  return result;
}

}  // namespace gaspipe
