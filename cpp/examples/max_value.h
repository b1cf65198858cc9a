// SPDX-License-Identifier: Apache-2.0
// Every vertex gets the largest value of those from which a path leads to it.
#pragma once

#include <limits>

#include "cpp/examples/program.h"

namespace gaspipe {
namespace example {

struct Largest {
  int gather(int value, EdgeCount, NoValue&) const { return value; }
  int reduce(int a, int b) const { return std::max(a, b); }
  bool cond(int value, int received, VertexId) const { return received > value; }
  void update(int& value, int received) const { value = received; }
};

// `start` has a value per vertex.
inline Answer<int> max_value(const Graph& graph, const std::vector<int>& start, const ProgramOptions& options = {}) {
  FrontierEngine<int, NoValue, int> engine(std::numeric_limits<int>::min(), options.engine);
  engine.readGraph(graph);
  VertexSubset front(engine.getVertexCount(), true), reached;
  engine.vertexMap(front, [&](int& value, int, VertexId v) { value = start[v]; });
  Rounds rounds(options);
  while (rounds.next(front)) {
    engine.edgeFilter(reached, front, Largest());
    engine.vertexFilter(front, reached, Largest());
  }
  std::vector<int> values;
  engine.vertexTransform([&](VertexId, int value) { values.push_back(value); });
  return {values, rounds.number()};
}

}  // namespace example
}  // namespace gaspipe
