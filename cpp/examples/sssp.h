// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one vertex, by Bellman and Ford: the distance of every vertex, infinity where there is no path.
// Weights may be negative.
#pragma once

#include <limits>

#include "cpp/examples/program.h"

namespace gaspipe {
namespace example {

struct ShortestPaths {
  static constexpr double kUnreached = std::numeric_limits<double>::infinity();

  double gather(double distance, EdgeCount, const double& weight) const { return distance + weight; }
  double reduce(double a, double b) const { return std::min(a, b); }
  bool cond(double distance, double arriving, VertexId) const { return arriving < distance; }
  void update(double& distance, double arriving) const { distance = arriving; }
};

// InputError for a cycle of negative weight that a path leads to.
inline Answer<double> sssp(const Graph& graph, std::int64_t source, const ProgramOptions& options = {}) {
  FrontierEngine<double, double, double> engine(ShortestPaths::kUnreached, options.engine);
  engine.readGraph(graph);
  const VertexId n = engine.getVertexCount();
  VertexSubset front(n, source), reached;
  engine.vertexMap(VertexSubset(n, true), [](double& distance, double) { distance = ShortestPaths::kUnreached; });
  engine.vertexMap(front, [](double& distance, double) { distance = 0; });
  Rounds rounds(options);
  while (rounds.next(front)) {
    if (rounds.number() > n) {
      throw InputError(message("distances still fall after ", n,
                               " rounds: there is a cycle of negative weight; use weights without one"));
    }
    engine.edgeFilter(reached, front, ShortestPaths());
    engine.vertexFilter(front, reached, ShortestPaths());
  }
  std::vector<double> distances;
  engine.vertexTransform([&](VertexId, double distance) { distances.push_back(distance); });
  return {distances, rounds.number()};
}

}  // namespace example
}  // namespace gaspipe
