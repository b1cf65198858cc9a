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

// Weights of a symmetric graph are the same in both directions.
Graph weighted(Csr csr, bool symmetric, const WeightRange& weights, std::uint64_t seed, Workers& workers) {
  if (weights) {
    workers.phase("weights", Workers::kNextLoop);
    csr.weights = symmetric ? symmetric_random_weights(csr, weights->first, weights->second, seed, workers)
                            : random_weights(csr.num_edges(), weights->first, weights->second, seed, workers);
  }
  workers.end_phase();
  return Graph(std::move(csr));
}

// Edges as generated, or both directions without repetition and loops, as benchmarks want them.
Graph finish(const EdgeList& edges, bool symmetric, const WeightRange& weights, std::uint64_t seed, Workers& workers) {
  workers.phase("rows", 0);
  Csr csr = build_csr(edges, edges.num_vertices, workers);
  if (symmetric) csr = simplify(csr, {/*add_reverse=*/true, /*drop_self_loops=*/true}, workers);
  return weighted(std::move(csr), symmetric, weights, seed, workers);
}

// A shape of one or both directions, of so many vertices.
void bind_either(py::module_& module, const char* name, Csr (*shape)(std::uint64_t, bool, Workers&)) {
  module.def(
      name,
      [shape](std::uint64_t num_vertices, bool symmetric, const WeightRange& weights, std::uint64_t seed,
              int num_threads, const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) {
              return weighted(shape(num_vertices, symmetric, workers), symmetric, weights, seed, workers);
            },
            report_to(progress));
      },
      py::arg("num_vertices"), py::arg("symmetric"), py::arg("weights"), py::arg("seed"), py::arg("num_threads"),
      py::arg("progress") = py::none());
}

void bind_plain(py::module_& module, const char* name, bool symmetric, Csr (*shape)(std::uint64_t, Workers&)) {
  module.def(
      name,
      [shape, symmetric](std::uint64_t num_vertices, const WeightRange& weights, std::uint64_t seed, int num_threads,
                         const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) { return weighted(shape(num_vertices, workers), symmetric, weights, seed, workers); },
            report_to(progress));
      },
      py::arg("num_vertices"), py::arg("weights"), py::arg("seed"), py::arg("num_threads"),
      py::arg("progress") = py::none());
}

}  // namespace

void bind_generate(py::module_& module) {
  module.def(
      "kronecker",
      [](int scale, int edge_factor, std::uint64_t seed, bool symmetric, const WeightRange& weights, int num_threads,
         const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) {
              return finish(kronecker_edges(scale, edge_factor, seed, workers), symmetric, weights, seed, workers);
            },
            report_to(progress));
      },
      py::arg("scale"), py::arg("edge_factor"), py::arg("seed"), py::arg("symmetric"), py::arg("weights"),
      py::arg("num_threads"), py::arg("progress") = py::none());
  module.def(
      "uniform",
      [](std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, bool symmetric,
         const WeightRange& weights, int num_threads, const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) {
              return finish(uniform_edges(num_vertices, num_edges, seed, workers), symmetric, weights, seed, workers);
            },
            report_to(progress));
      },
      py::arg("num_vertices"), py::arg("num_edges"), py::arg("seed"), py::arg("symmetric"), py::arg("weights"),
      py::arg("num_threads"), py::arg("progress") = py::none());
  module.def(
      "rmat",
      [](int scale, int edge_factor, double a, double b, double c, std::uint64_t seed, bool permute, bool symmetric,
         const WeightRange& weights, int num_threads, const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) {
              return finish(rmat_edges(scale, edge_factor, {a, b, c}, permute, seed, workers), symmetric, weights, seed,
                            workers);
            },
            report_to(progress));
      },
      py::arg("scale"), py::arg("edge_factor"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("seed"),
      py::arg("permute"), py::arg("symmetric"), py::arg("weights"), py::arg("num_threads"),
      py::arg("progress") = py::none());
  module.def(
      "grid",
      [](std::uint64_t rows, std::uint64_t columns, bool symmetric, const WeightRange& weights, std::uint64_t seed,
         int num_threads, const py::object& progress) {
        return without_gil(
            num_threads,
            [&](Workers& workers) {
              return weighted(grid(rows, columns, symmetric, workers), symmetric, weights, seed, workers);
            },
            report_to(progress));
      },
      py::arg("rows"), py::arg("columns"), py::arg("symmetric"), py::arg("weights"), py::arg("seed"),
      py::arg("num_threads"), py::arg("progress") = py::none());
  bind_either(module, "star", &star);
  bind_either(module, "chain", &chain);
  bind_plain(module, "complete", /*symmetric=*/true, &complete);
  bind_plain(module, "acyclic", /*symmetric=*/false, &acyclic);
}

}  // namespace bindings
}  // namespace gaspipe
