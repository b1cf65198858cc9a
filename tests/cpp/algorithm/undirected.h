// SPDX-License-Identifier: Apache-2.0
// For tests of algorithms that ignore directions: small graphs, their neighbors, and answers by field.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

// Dense and sparse parts, self-loops, parallel edges, vertices without edges.
inline std::vector<std::pair<VertexId, Edges>> undirected_graphs() {
  std::vector<std::pair<VertexId, Edges>> all = {
      {1, {}}, {1, {{0, 0}}}, {2, {{0, 1}}}, {3, {}}, {4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}}}};
  for (unsigned seed = 0; seed < 6; ++seed) all.push_back({24, random_edges(24, 20 + 30 * seed, seed)});
  all.push_back({3000, random_edges(3000, 20000, 7)});
  Edges symmetric = random_edges(600, 4000, 8);
  for (const auto& [source, target] : Edges(symmetric)) symmetric.push_back({target, source});
  all.push_back({610, symmetric});
  Edges star_and_path;
  for (VertexId v = 1; v < 2000; ++v) star_and_path.push_back({v, v < 1000 ? 0 : v - 1});
  all.push_back({2000, star_and_path});
  return all;
}

// Of every vertex, without itself.
inline std::vector<std::set<VertexId>> neighbors_of(VertexId n, const Edges& edges) {
  std::vector<std::set<VertexId>> neighbors(n);
  for (const auto& [source, target] : edges) {
    if (source == target) continue;
    neighbors[source].insert(target);
    neighbors[target].insert(source);
  }
  return neighbors;
}

// The fields of an answer.
class CpuAnswer {
 public:
  CpuAnswer(const char* name, const Graph& graph, int num_threads, const Arguments& arguments = {})
      : algorithm_(find_cpu_algorithm(name)), result_(run(algorithm_, graph, arguments, {num_threads, {}})) {}

  template <class T>
  std::vector<T> list(const std::string& field) const {
    const AnswerValue& value = result_.values[index(field)];
    const T* const first = static_cast<const T*>(value.data);
    return std::vector<T>(first, first + value.size);
  }
  template <class T>
  T number(const std::string& field) const {
    return list<T>(field).at(0);
  }

 private:
  std::size_t index(const std::string& field) const {
    std::size_t i = 0;
    while (algorithm_.fields.at(i).name != field) ++i;
    return i;
  }

  const CpuAlgorithm& algorithm_;
  CpuResult result_;
};

// Calls test(n, neighbors, graph, threads) for all of them.
template <class Test>
void each_undirected_graph(const Test& test) {
  for (const auto& [n, edges] : undirected_graphs()) {
    for (const int num_threads : {1, 3}) test(n, neighbors_of(n, edges), graph_of(n, edges), num_threads);
  }
}

}  // namespace testing
}  // namespace gaspipe
