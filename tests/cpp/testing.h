// SPDX-License-Identifier: Apache-2.0
// Small helpers of the C++ tests: graphs from lists, programs from structs.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "gaspipe/engine/instance.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace testing {

template <class T>
Array<T> array(const std::vector<T>& values) {
  const Writable<T> copy(values.size());
  std::copy(values.begin(), values.end(), copy.data());
  return copy.freeze();
}

template <class T>
std::vector<T> list(const Array<T>& values) {
  return std::vector<T>(values.begin(), values.end());
}

using Edges = std::vector<std::pair<VertexId, VertexId>>;

inline EdgeList edge_list(VertexId num_vertices, const Edges& edges) {
  std::vector<VertexId> sources, targets;
  for (const auto& [source, target] : edges) {
    sources.push_back(source);
    targets.push_back(target);
  }
  return {num_vertices, array(sources), array(targets), {}};
}

inline Csr csr_of(VertexId num_vertices, const Edges& edges, int num_threads = 1) {
  Workers workers(num_threads);
  return build_csr(edge_list(num_vertices, edges), num_vertices, workers);
}

inline Graph graph_of(VertexId num_vertices, const Edges& edges) { return Graph(csr_of(num_vertices, edges)); }

inline Edges random_edges(VertexId num_vertices, std::size_t num_edges, unsigned seed) {
  std::mt19937 random(seed);
  Edges edges(num_edges);
  for (auto& [source, target] : edges) {
    source = random() % num_vertices;
    target = random() % num_vertices;
  }
  return edges;
}

template <class T>
std::vector<T> values_of(const Result& result) {
  std::vector<T> values(result.values.size() / sizeof(T));
  std::memcpy(values.data(), result.values.data(), values.size() * sizeof(T));
  return values;
}

// A program without parameters, from its Program<Number>.
struct NoParameters {
  template <class Visit>
  void each(Visit&&) {}
};
template <template <class> class TheProgram, class Number, class TheParameters = NoParameters>
struct SpecOf {
  template <class N>
  using Program = TheProgram<N>;
  using Parameters = TheParameters;
  using Numbers = NumberList<Number>;
  static const Description& description() {
    static constexpr Description text = {"A test.", "", "value", "a value", "none"};
    return text;
  }
};
template <template <class> class Program, class Number, class Parameters = NoParameters>
const abi::Program& program_of(const char* name) {
  return *engine::program_table<SpecOf<Program, Number, Parameters>>(name);
}

inline RunOptions gas(std::uint32_t capacity, std::uint32_t compute_units, int num_threads = 1) {
  RunOptions options;
  options.method = "gas";
  options.num_threads = num_threads;
  options.partition = PartitionConfig{capacity, compute_units, "equal"};
  return options;
}

}  // namespace testing
}  // namespace gaspipe
