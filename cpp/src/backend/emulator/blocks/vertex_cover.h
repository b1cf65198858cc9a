// SPDX-License-Identifier: Apache-2.0
// The kernel finds the edge to take, the host adds both its ends, until no edge is left. The CPU sorts the edges once
// and takes them in the same order.
#pragma once

#include "cpp/algorithm/vertex_cover.h"
#include "cpp/src/backend/emulator/block_accelerator.h"

namespace gaspipe {
namespace engine {
struct GraphopsVertexCover;
}
namespace blocks {
namespace vertex_cover {

struct Host {
  using Parameters = algorithm::vertex_cover::Parameters;
  using Answer = algorithm::vertex_cover::Answer;
  using Kernel = engine::GraphopsVertexCover;
  using Element = block::CoverElement<>;

  // A card that fails must not make the host read elsewhere, or go on for ever.
  [[noreturn]] static void refuse(const GraphopsKernel& kernel, const std::uint64_t* found) {
    throw DeviceError(message(kernel.name(), " found edge ", found[2], " of vertex ", found[3],
                              ", which is no edge or is covered; nothing of this run can be used"));
  }

  static Answer run(BlockRun& run, const Parameters&) {
    const auto rows = run.rows(sizeof(std::uint64_t));
    const Csr& csr = *run.graph.csr();
    check_degrees<Element::Degree>(csr);
    auto* const elements = reinterpret_cast<std::uint64_t*>(rows->replicas().data());
    const auto placing = Clock::now();
    run.workers.each(csr.num_rows, 1 << 10, [&](std::uint64_t first, std::uint64_t last, int) {
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
      if (found[2] >= csr.num_edges() || found[3] >= csr.num_rows) refuse(run.kernel, found);
      const VertexId u = static_cast<VertexId>(found[3]), v = csr.targets[found[2]];
      if (member[u] || member[v]) refuse(run.kernel, found);
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

}  // namespace vertex_cover
}  // namespace blocks
}  // namespace gaspipe
