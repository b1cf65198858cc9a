// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: the level of every vertex, -1 where there is no path. With FrontierOptions::Direction::kPull it
// runs bottom-up: in every round the vertices that have no level look for an in-neighbor that has the current one.
#pragma once

#include <limits>

#include "cpp/examples/program.h"

namespace gaspipe {
namespace example {

struct Bfs {
  static constexpr bool kFinalOnceSet = true;  // all edges of a round bring the same level
  static constexpr int kUnreached = -1;

  int gather(int level, EdgeCount, NoValue&) const { return level + 1; }
  int reduce(int a, int b) const { return std::min(a, b); }
  bool cond(int level, int, VertexId) const { return level == kUnreached; }
  void update(int& level, int reached_at) const { level = reached_at; }
};

inline Answer<int> bfs(const Graph& graph, std::int64_t source, const ProgramOptions& options = {}) {
  FrontierEngine<int, NoValue, int> engine(std::numeric_limits<int>::max(), options.engine);
  engine.readGraph(graph);
  VertexSubset front(engine.getVertexCount(), source);
  engine.vertexMap(VertexSubset(engine.getVertexCount(), true), [](int& level, int) { level = Bfs::kUnreached; });
  engine.vertexMap(front, [](int& level, int) { level = 0; });
  Rounds rounds(options);
  while (rounds.next(front)) engine.edgeVertexFilter(front, front, Bfs());
  std::vector<int> levels;
  engine.vertexTransform([&](VertexId, int level) { levels.push_back(level); });
  return {levels, rounds.number()};
}

}  // namespace example
}  // namespace gaspipe
