// SPDX-License-Identifier: Apache-2.0
// Graphs in another shape, and paths in them: functions of gaspipe._core.Graph. Ids of a new order come in as int64 or
// uint64.
#include <utility>

#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/paths.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace bindings {
namespace {

using Order = Array<VertexId> (*)(const Csr& csr, Workers& workers);

void bind_order(py::module_& module, const char* name, Order order) {
  module.def(
      name,
      [order](const Graph& graph, int num_threads, const py::object& progress) {
        return to_numpy(
            in_steps(num_threads, progress, [&](Workers& workers) { return order(*graph.csr(), workers); }));
      },
      py::arg("graph"), py::arg("num_threads"), py::arg("progress") = py::none());
}

template <class Id>
py::array checked_order(const Array<Id>& ids, VertexId num_vertices, int num_threads) {
  return to_numpy(without_gil(num_threads, [&](Workers& workers) { return vertex_order(ids, num_vertices, workers); }));
}

template <class Distance>
py::array predecessors_of(const Graph& graph, const py::array& distances, VertexId root, int num_threads) {
  const auto values = borrow<Distance>(distances);
  return to_numpy(
      without_gil(num_threads, [&](Workers& workers) { return predecessors(graph, values, root, workers); }));
}

}  // namespace

void bind_shape(py::module_& module) {
  bind_order(module, "components", &components);
  bind_order(module, "largest_component", &largest_component);
  bind_order(module, "degree_order", &degree_order);
  bind_order(module, "hub_order", &hub_order);
  module.def(
      "vertex_order",
      [](const py::array& ids, VertexId num_vertices, int num_threads) {
        return ids.dtype().kind() == 'i' ? checked_order(borrow<std::int64_t>(ids), num_vertices, num_threads)
                                         : checked_order(borrow<std::uint64_t>(ids), num_vertices, num_threads);
      },
      py::arg("ids"), py::arg("num_vertices"), py::arg("num_threads"));
  module.def(
      "predecessors",
      [](const Graph& graph, const py::array& distances, VertexId root, int num_threads) {
        const bool is_real = distances.dtype().kind() == 'f', is_wide = distances.itemsize() == 8;
        const auto find = is_real ? (is_wide ? predecessors_of<double> : predecessors_of<float>)
                                  : (is_wide ? predecessors_of<std::int64_t> : predecessors_of<std::int32_t>);
        return find(graph, distances, root, num_threads);
      },
      py::arg("graph"), py::arg("distances"), py::arg("root"), py::arg("num_threads"));
  module.def(
      "select_vertices",
      [](const Graph& graph, const py::array& order, int num_threads, const py::object& progress) {
        const auto vertices = borrow<VertexId>(order);
        return in_steps(num_threads, progress,
                        [&](Workers& workers) { return Graph(select_vertices(*graph.csr(), vertices, workers)); });
      },
      py::arg("graph"), py::arg("order"), py::arg("num_threads"), py::arg("progress") = py::none());
  module.def(
      "drop_self_loops",
      [](const Graph& graph, int num_threads, const py::object& progress) {
        return in_steps(num_threads, progress,
                        [&](Workers& workers) { return Graph(drop_self_loops(*graph.csr(), workers)); });
      },
      py::arg("graph"), py::arg("num_threads"), py::arg("progress") = py::none());
  module.def(
      "degree_histogram",
      [](const Graph& graph, bool incoming, int num_threads, const py::object& progress) {
        const DegreeHistogram histogram = in_steps(
            num_threads, progress, [&](Workers& workers) { return degree_histogram(*graph.csr(), incoming, workers); });
        return std::pair(to_numpy(histogram.lower_bounds), to_numpy(histogram.counts));
      },
      py::arg("graph"), py::arg("incoming"), py::arg("num_threads"), py::arg("progress") = py::none());
}

}  // namespace bindings
}  // namespace gaspipe
