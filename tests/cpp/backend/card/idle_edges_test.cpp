// SPDX-License-Identifier: Apache-2.0
// What the host of a card passes over, on a fake card: fewer launches and edges, the same answers.
#include "cpp/src/backend/idle_edges.h"

#include <gtest/gtest.h>

#include "gaspipe/prepared.h"
#include "tests/cpp/backend/card/answers.h"
#include "tests/cpp/backend/card/rig.h"
#include "tests/cpp/question.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A long strip, each vertex beside four before and four after it: a search sweeps over the ids, in some 30 super-steps.
Graph strip_graph(VertexId num_vertices, unsigned seed) {
  Edges edges;
  for (VertexId v = 0; v < num_vertices; ++v) {
    for (const VertexId to : {v + 1, v + 8, v + 64, v + 512}) {
      if (to >= num_vertices) continue;
      edges.emplace_back(v, to);
      edges.emplace_back(to, v);
    }
  }
  Csr csr = csr_of(num_vertices, edges);
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights(edges.size());
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 20 + 1);
  csr.weights = array(weights);
  return Graph(csr);
}

TEST(Card, PassesOverEdgesAlongWhichNoVertexSends) {
  const Graph graph = strip_graph(9600, 3);  // two partitions, of which a unit has up to 16 slices
  struct Case {
    const char *algorithm, *number, *config;
    bool is_weighted;
  };
  for (const Case& one : {Case{"bfs", "uint32", "plain", false}, Case{"bfs", "uint32", "packed", false},
                          Case{"sssp", "uint32", "plain", true}, Case{"sssp", "uint32", "packed", true},
                          Case{"wcc", "uint32", "packed", false}, Case{"pagerank", "fixed", "packed", false}}) {
    SCOPED_TRACE(message(one.algorithm, ", ", one.config));
    Rig rig(one.algorithm, one.number, 2, one.is_weighted);
    rig.driver.config = rig.design.config = one.config;
    rig.design.pes = 16;
    rig.design.capacity = 1 << 16;
    rig.design.clock_mhz = 1;  // at which all edges take longer than the host
    RunOptions options = rig.options(8192);
    options.skip_idle = false;
    const Arguments arguments = question(find_program(one.algorithm), 9600);
    const Result all = run(find_program(one.algorithm), graph, arguments, options);
    const CardCounts before = rig.card->counts();
    options.skip_idle = true;
    Result busy = run(find_program(one.algorithm), graph, arguments, options);
    const CardCounts after = rig.card->counts();
    EXPECT_EQ(list(busy.values), list(all.values));
    EXPECT_EQ(busy.stats.supersteps.size(), all.stats.supersteps.size());
    EXPECT_EQ(all.stats.supersteps.edges(), all.stats.supersteps.size() * all.stats.num_edges);
    const std::uint64_t starts = after.starts - before.starts, full = before.starts;
    if (std::string(one.algorithm) == "pagerank") {
      EXPECT_EQ(busy.stats.supersteps.edges(), all.stats.supersteps.edges());
      EXPECT_EQ(starts, full);
      continue;
    }
    EXPECT_LT(busy.stats.supersteps.edges(), all.stats.supersteps.edges() * 9 / 10);
    EXPECT_LT(starts, full * 95 / 100);
    expect_same(busy, on_cpu(rig, graph), *rig.driver.instance);
    // Another question of the same graph, whose edges and descriptors lie on the card.
    if (std::string(one.algorithm) == "wcc") continue;
    const Arguments root = {{"root", std::int64_t(1199)}};
    busy = run(find_program(one.algorithm), graph, root, options);
    EXPECT_EQ(busy.stats.card.edge_bytes_uploaded, 0u);
    expect_same(busy, on_cpu(rig, graph, root), *rig.driver.instance);
    options.skip_idle = false;
    expect_same(run(find_program(one.algorithm), graph, root, options), busy, *rig.driver.instance);
  }
}

TEST(Card, WalksTheRelabeledFormWithKernelsThatPassOverBothEnds) {
  const Graph own = weighted_graph(3000, 8000, 34), graph = weighted_graph(3000, 8000, 34);
  Workers workers(2);
  graph.keep_prepared(prepare(*graph.csr(), workers));
  struct Case {
    const char *algorithm, *number, *config;
    bool is_weighted, is_relabeled;
  };
  for (const Case& one :
       {Case{"bfs", "uint32", "packed", false, true}, Case{"sssp", "uint32", "packed", true, true},
        Case{"wcc", "uint32", "packed", false, true}, Case{"closeness", "uint64", "packed", false, true},
        Case{"bfs", "uint32", "plain", false, false}, Case{"pagerank", "fixed", "packed", false, false}}) {
    SCOPED_TRACE(message(one.algorithm, ", ", one.config));
    const Arguments arguments = question(find_program(one.algorithm), 3000);
    const auto check = [&](VertexId capacity, bool skips, bool is_relabeled) {
      Rig rig(one.algorithm, one.number, 3, one.is_weighted);
      rig.driver.config = rig.design.config = one.config;
      rig.design.pes = 16;
      rig.design.capacity = capacity;
      RunOptions options = rig.options();
      options.partition.reset();
      options.method = "auto";
      options.skip_idle = skips;
      for (int call = 0; call < 2; ++call) {
        const Result result = run(find_program(one.algorithm), graph, arguments, options);
        expect_same(result, on_cpu(rig, own, arguments), *rig.driver.instance);
        EXPECT_EQ(result.stats.prepared, is_relabeled);
        EXPECT_EQ(result.stats.partition.partitioner, is_relabeled ? "interleaved" : "equal");
        EXPECT_EQ(result.stats.card.edge_bytes_uploaded > 0, call == 0);
      }
    };
    check(1024, true, one.is_relabeled);
    check(1024, false, false);
    check(512, true, false);  // with more than three partitions hubs first would cost more than they give
  }
}

}  // namespace
}  // namespace gaspipe
