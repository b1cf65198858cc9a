// SPDX-License-Identifier: Apache-2.0
// PageRank as Olive has it, without a share for dangling vertices: by rounds over all vertices until the ranks change
// by less than `tolerance` in sum; and over a frontier that shrinks.
#pragma once

#include <cmath>

#include "cpp/examples/program.h"

namespace gaspipe {
namespace example {

constexpr double kDamping = 0.85;

struct Ranked {
  double rank, delta;  // and how much it changed in the last round
};

struct SendRank {
  double gather(const Ranked& value, EdgeCount outdegree, NoValue&) const { return value.rank / double(outdegree); }
  double reduce(double a, double b) const { return a + b; }
};

inline Answer<double> pagerank(const Graph& graph, const ProgramOptions& options = {}, double tolerance = 1e-7) {
  FrontierEngine<Ranked, NoValue, double> engine(0.0, options.engine);
  engine.readGraph(graph);
  const double n = engine.getVertexCount();
  const VertexSubset all(engine.getVertexCount(), true);
  engine.vertexMap(all, [=](Ranked& value, double) { value = {1 / n, 0}; });
  const auto contract = [=](Ranked& value, double received) {
    const double rank = (1 - kDamping) / n + kDamping * received;
    value = {rank, rank - value.rank};
  };
  Rounds rounds(options);
  double change = 1;
  while (change >= tolerance && rounds.next(all)) {
    engine.edgeMap(all, SendRank());
    engine.vertexMap(all, contract);
    change = engine.vertexReduce(
        0.0, [](const Ranked& value) { return std::fabs(value.delta); }, [](double a, double b) { return a + b; });
  }
  std::vector<double> ranks;
  engine.vertexTransform([&](VertexId, const Ranked& value) { ranks.push_back(value.rank); });
  return {ranks, rounds.number()};
}

struct Settling {
  double rank, delta, last_delta;  // and how much it changed in the last two rounds
  double settled;                  // what vertices that have left the frontier send
};

template <bool leaves>
struct SendAndCompare {
  double tolerance;

  double gather(const Settling& value, EdgeCount outdegree, NoValue&) const { return value.rank / double(outdegree); }
  double reduce(double a, double b) const { return a + b; }
  bool cond(const Settling& value, double, VertexId) const {
    return (std::max(value.delta, value.last_delta) <= tolerance) == leaves;
  }
  void update(Settling&, double) const {}
};

// Ranks grow from their smallest. A vertex whose rank grows by `tolerance` or less in two rounds leaves the frontier
// for good: its rank stays, and what it sends is added up once. Two rounds, for in a star ranks grow in every other.
inline Answer<double> shrinking_pagerank(const Graph& graph, const ProgramOptions& options = {},
                                         double tolerance = 1e-7) {
  FrontierEngine<Settling, NoValue, double> engine(0.0, options.engine);
  engine.readGraph(graph);
  const double n = engine.getVertexCount();
  VertexSubset front(engine.getVertexCount(), true), left, reached;
  engine.vertexMap(front, [=](Settling& value, double) { value = {(1 - kDamping) / n, 1, 1, 0}; });
  const auto contract = [=](Settling& value, double received) {
    const double rank = (1 - kDamping) / n + kDamping * (value.settled + received);
    value = {rank, rank - value.rank, value.delta, value.settled};
  };
  const SendAndCompare<true> leaves{tolerance};
  const SendAndCompare<false> stays{tolerance};
  Rounds rounds(options);
  while (rounds.next(front)) {
    engine.edgeMap(front, stays);
    engine.vertexMap(front, contract);
    engine.vertexFilter(left, front, leaves);
    engine.vertexFilter(front, front, stays);
    engine.edgeFilter(reached, left, leaves);
    engine.vertexMap(reached, [](Settling& value, double received) { value.settled += received; });
  }
  std::vector<double> ranks;
  engine.vertexTransform([&](VertexId, const Settling& value) { ranks.push_back(value.rank); });
  return {ranks, rounds.number()};
}

}  // namespace example
}  // namespace gaspipe
