// SPDX-License-Identifier: Apache-2.0
// Generators: functions that return gaspipe._core.Graph.
#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "bindings.h"
#include "gaspipe/generate.h"
#include "gaspipe/graph.h"

namespace gaspipe {
namespace bindings {
namespace {

using WeightRange = std::optional<std::pair<std::int32_t, std::int32_t>>;

// Edges as generated, or both directions without repetition and loops, as benchmarks want them. Weights of a symmetric
// graph are the same in both directions.
Graph finish(const EdgeList& edges, bool symmetric, const WeightRange& weights, std::uint64_t seed, Workers& workers) {
  Csr csr = build_csr(edges, edges.num_vertices, workers);
  if (symmetric) csr = simplify(csr, {/*add_reverse=*/true, /*drop_self_loops=*/true}, workers);
  if (weights) {
    csr.weights = symmetric ? symmetric_random_weights(csr, weights->first, weights->second, seed, workers)
                            : random_weights(csr.num_edges(), weights->first, weights->second, seed, workers);
  }
  return Graph(std::move(csr));
}

}  // namespace

void bind_generate(py::module_& module) {
  module.def(
      "kronecker",
      [](int scale, int edge_factor, std::uint64_t seed, bool symmetric, const WeightRange& weights, int num_threads) {
        return without_gil(num_threads, [&](Workers& workers) {
          return finish(kronecker_edges(scale, edge_factor, seed, workers), symmetric, weights, seed, workers);
        });
      },
      py::arg("scale"), py::arg("edge_factor"), py::arg("seed"), py::arg("symmetric"), py::arg("weights"),
      py::arg("num_threads"));
  module.def(
      "uniform",
      [](std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, bool symmetric,
         const WeightRange& weights, int num_threads) {
        return without_gil(num_threads, [&](Workers& workers) {
          return finish(uniform_edges(num_vertices, num_edges, seed, workers), symmetric, weights, seed, workers);
        });
      },
      py::arg("num_vertices"), py::arg("num_edges"), py::arg("seed"), py::arg("symmetric"), py::arg("weights"),
      py::arg("num_threads"));
}

}  // namespace bindings
}  // namespace gaspipe
