// SPDX-License-Identifier: Apache-2.0
// The kernel finds the edges that leave and both sums of degrees; which member they leave from is the host's part.
#pragma once

#include "cpp/algorithm/conductance.h"
#include "cpp/src/backend/emulator/block_accelerator.h"

namespace gaspipe {
namespace engine {
struct GraphopsConductance;
}
namespace blocks {
namespace conductance {

struct Host {
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

}  // namespace conductance
}  // namespace blocks
}  // namespace gaspipe
