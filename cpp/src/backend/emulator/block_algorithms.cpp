// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/block_algorithms.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cpp/algorithm/conductance.h"
#include "cpp/algorithm/vertex_cover.h"
#include "cpp/src/backend/emulator/graphops.h"
#include "cpp/src/backend/emulator/graphops_kernel.h"
#include "cpp/src/clock.h"
#include "cpp/src/cpu_table.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/checks.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/engine/kernel/graphops.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kGrain = 1 << 10;

// What a run on a board works on.
struct BlockRun {
  const Graph& graph;
  const GraphopsBoard& board;
  GraphopsKernel& kernel;
  Workers& workers;
  SuperstepLog steps = {};
  double prepare_seconds = 0;

  // The rows, with room for values of so many bytes along the edges.
  std::unique_ptr<GraphopsGraph> rows(int value_bytes) {
    const auto start = Clock::now();
    auto made = std::make_unique<GraphopsGraph>(graph, View::kForward, abi::kNone, abi::kNone, value_bytes, workers);
    const std::uint64_t in_rows = (made->offsets().size() + made->targets().size()) * 64;
    board.check_bank(std::max(in_rows, made->replicas().size() * 64), "device=\"cpu\"");
    prepare_seconds += seconds_since(start);
    return made;
  }
  // A run of the kernel, as a super-step; returns its last words.
  const std::uint64_t* step(const GraphopsKernel::BufferOf& buffer, const std::vector<std::uint32_t>& scalars,
                            std::uint64_t active_vertices, EdgeCount num_edges) {
    const auto start = Clock::now();
    const std::uint64_t* words = kernel.run(buffer, scalars, false, num_edges);
    abi::Superstep done{};
    done.active_vertices = active_vertices;
    done.edges = num_edges;
    done.seconds[abi::kScatterGather] = seconds_since(start);
    steps.add(done);
    return words;
  }
};

abi::Buffer whole(Lines& lines) { return {lines.data(), lines.size() * 64}; }

// Degrees have a field of their own in the elements of both accelerators.
template <class Field>
void check_degrees(const Csr& csr) {
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    if (Field::fits(csr.degree(v))) continue;
    throw CapacityError(message("vertex ", v, " has ", csr.degree(v),
                                " edges; elements of GraphOps' blocks count up to ", Field::kMost,
                                "; use device=\"cpu\""));
  }
}

// The kernel finds the edges that leave and both sums of degrees; which member they leave from is the host's part.
struct Conductance {
  using Parameters = algorithm::conductance::Parameters;
  using Answer = algorithm::conductance::Answer;
  using Kernel = engine::GraphopsConductance;

  static Answer run(BlockRun& run, const Parameters& parameters) {
    using Element = block::MemberElement<>;
    const auto rows = run.rows(sizeof(std::uint32_t));
    const Csr& csr = *run.graph.csr();
    check_degrees<Element::Degree>(csr);
    const std::vector<std::uint8_t> is_member = algorithm::conductance::members(csr, parameters);
    const auto placing = Clock::now();
    Lines properties = lines_of(csr.num_rows, sizeof(std::uint32_t));
    auto* const words = reinterpret_cast<std::uint32_t*>(properties.data());
    EdgeCount edges = 0;
    std::uint64_t num_members = 0;
    for (VertexId v = 0; v < csr.num_rows; ++v) {
      words[v] = static_cast<std::uint32_t>(Element::pack(csr.degree(v), is_member[v]));
      edges += is_member[v] != 0 ? csr.degree(v) : 0;
      num_members += is_member[v];
    }
    rows->refresh(properties.data(), run.workers);
    run.kernel.add_host_seconds(seconds_since(placing));
    const auto buffer = [&](const std::string& port) {
      return whole(port == "offsets" ? rows->offsets() : port == "replicas" ? rows->replicas() : properties);
    };
    const std::uint64_t* found = run.step(buffer, {csr.num_rows}, num_members, edges);
    Answer answer;
    answer.cut = static_cast<std::int64_t>(found[0]);
    answer.members_degree = static_cast<std::int64_t>(found[4]);
    answer.others_degree = static_cast<std::int64_t>(found[5]);
    const auto listing = Clock::now();
    answer.leaving = algorithm::conductance::leaving(csr, is_member, run.workers);
    run.kernel.add_host_seconds(seconds_since(listing));
    answer.complete();
    return answer;
  }
};

// The kernel finds the edge to take, the host adds both its ends, until no edge is left. The CPU sorts the edges once
// and takes them in the same order.
struct VertexCover {
  using Parameters = algorithm::vertex_cover::Parameters;
  using Answer = algorithm::vertex_cover::Answer;
  using Kernel = engine::GraphopsVertexCover;
  using Element = block::CoverElement<>;

  static Answer run(BlockRun& run, const Parameters&) {
    const auto rows = run.rows(sizeof(std::uint64_t));
    const Csr& csr = *run.graph.csr();
    check_degrees<Element::Degree>(csr);
    auto* const elements = reinterpret_cast<std::uint64_t*>(rows->replicas().data());
    const auto placing = Clock::now();
    run.workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        const std::uint64_t degree = csr.degree(static_cast<VertexId>(v));
        for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          elements[e] = Element::pack(0, degree, 0, csr.degree(csr.targets[e]));
        }
      }
    });
    run.workers.check();
    run.kernel.add_host_seconds(seconds_since(placing));
    const auto cover = [&](VertexId v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) elements[e] |= Element::OwnerCover::put(1);
      const auto [edges, num] = rows->edges_into(v, run.workers);
      for (EdgeCount i = 0; i < num; ++i) elements[edges[i]] |= Element::Cover::put(1);
    };
    const auto buffer = [&](const std::string& port) {
      return whole(port == "offsets" ? rows->offsets() : rows->replicas());
    };
    const Writable<bool> member(csr.num_rows);
    std::fill_n(member.data(), csr.num_rows, false);
    Answer answer;
    while (true) {
      const std::uint64_t* found = run.step(buffer, {csr.num_rows}, csr.num_rows, csr.num_edges());
      if (found[1] == 0) break;
      const VertexId u = static_cast<VertexId>(found[3]), v = csr.targets[found[2]];
      const auto marking = Clock::now();
      for (const VertexId end : {u, v}) {
        if (!member[end]) cover(end);
        answer.size += !member[end];
        member[end] = true;
      }
      answer.num_matched += u != v;
      run.kernel.add_host_seconds(seconds_since(marking));
      run.workers.check();
    }
    answer.member = member.freeze();
    return answer;
  }
};

struct Accelerator {
  const char* name;
  abi::Kernel kernel;
  std::vector<AnswerValue> (*run)(BlockRun& run, const abi::Argument* arguments);
};

const std::vector<Accelerator>& accelerators() {
  static const std::vector<Accelerator> all = {
      {"conductance", engine::emulated_kernel<Conductance::Kernel>(), &run_cpu_algorithm<Conductance, BlockRun>},
      {"vertex_cover", engine::emulated_kernel<VertexCover::Kernel>(), &run_cpu_algorithm<VertexCover, BlockRun>},
  };
  return all;
}

const Accelerator* find(const CpuAlgorithm& algorithm) {
  for (const Accelerator& accelerator : accelerators()) {
    if (accelerator.name == std::string(algorithm.program.name)) return &accelerator;
  }
  return nullptr;
}

const Accelerator& accelerator_of(const CpuAlgorithm& algorithm, const RunOptions& options) {
  const char* name = algorithm.program.name;
  const Accelerator* found = find(algorithm);
  if (found == nullptr) {
    throw InputError(
        message("device is \"", options.device, "\"; ", name, " runs on the CPU alone: use device=\"cpu\""));
  }
  if (!find_executor(options.device).predicts) {
    throw InputError(message("device is \"", options.device, "\"; ", name, " runs on the CPU, and with design=\"",
                             kGraphopsDesign,
                             "\" in the emulator: use device=\"cpu\", \"emulator\" or \"emulator:u250\""));
  }
  if (options.design != kGraphopsDesign) {
    throw InputError(message("design is \"", options.design, "\", of which there are no kernels for ", name,
                             "; use design=\"", kGraphopsDesign, "\", or device=\"cpu\""));
  }
  return *found;
}

CpuResult run_blocks(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                     const RunOptions& options) {
  const Accelerator& accelerator = accelerator_of(algorithm, options);
  const GraphopsBoard board(options);
  Workers workers(threads_for(graph, options.num_threads), options.interrupted);
  CheckedArguments checked(algorithm.program, arguments, graph, workers);
  const abi::Argument* const in_order = checked.in(abi::kNone, workers).data();
  workers.assemble();
  GraphopsKernel kernel(accelerator.kernel, board, workers);
  BlockRun run{graph, board, kernel, workers};
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
  kernel.describe(result.stats, graph.num_edges());
  return result;
}

}  // namespace

bool has_blocks(const CpuAlgorithm& algorithm) { return find(algorithm) != nullptr; }

CpuResult run_on_device(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
                        const RunOptions& options) {
  check_choices(options);
  if (options.device != RunOptions().device) return run_blocks(algorithm, graph, arguments, options);
  check_design(options);
  return run(algorithm, graph, arguments, CpuOptions{options.num_threads, options.interrupted});
}

}  // namespace gaspipe
