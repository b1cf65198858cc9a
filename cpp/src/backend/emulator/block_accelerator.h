// SPDX-License-Identifier: Apache-2.0
// An algorithm of the CPU as an accelerator of GraphOps' blocks: the kernel, and the host's part around its runs. Every
// file of blocks/ holds one, `gaspipe::blocks::<name>::Host`, with types `Parameters` and `Answer` (the algorithm's),
// `Kernel`, and `run()`; the build lists those whose algorithm lies in cpp/algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpp/src/backend/emulator/graphops_kernel.h"
#include "cpp/src/clock.h"
#include "cpp/src/cpu_table.h"
#include "gaspipe/error.h"
#include "hls/block/packing.h"

namespace gaspipe {

// What a run works on.
struct BlockRun {
  const Graph& graph;
  GraphopsKernel& kernel;
  Workers& workers;
  SuperstepLog steps = {};
  double prepare_seconds = 0;

  // The rows, with room for values of so many bytes along the edges.
  std::unique_ptr<GraphopsGraph> rows(int value_bytes) {
    const auto start = Clock::now();
    auto made = std::make_unique<GraphopsGraph>(graph, View::kForward, abi::kNone, abi::kNone, value_bytes, workers);
    const std::uint64_t in_rows = (made->offsets().size() + made->targets().size()) * 64;
    kernel.check_bank(std::max(in_rows, made->replicas().size() * 64), "device=\"cpu\"");
    kernel.begin(made->key(), 0, 0);  // they read no sets, and write none
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

inline abi::Buffer whole(Lines& lines) { return {lines.data(), lines.size() * 64}; }

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

struct BlockAccelerator {
  const char* name;
  std::vector<AnswerValue> (*run)(BlockRun& run, const abi::Argument* arguments);
};

template <class Host>
BlockAccelerator block_accelerator(const char* name) {
  return {name, &run_cpu_algorithm<Host, BlockRun>};
}

const std::vector<BlockAccelerator>& block_accelerators();
// The kernel graphops_<name>, built in or compiled when first asked for.
abi::Kernel block_kernel(const std::string& name);

}  // namespace gaspipe
