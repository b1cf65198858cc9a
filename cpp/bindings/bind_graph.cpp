// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Graph: rows and edges in, arrays out. Arrays that come in are C-contiguous and of the types named
// below; python/gaspipe/graph.py sees to it.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "bindings.h"
#include "cpp/src/run/number_formats.h"
#include "gaspipe/graph.h"
#include "gaspipe/intake.h"
#include "gaspipe/prepared.h"

namespace gaspipe {
namespace bindings {
namespace {

// Of int32, uint32, int64 or uint64.
AnyIds borrow_ids(const py::array& array) {
  const bool is_signed = array.dtype().kind() == 'i';
  if (array.itemsize() == 4) {
    if (is_signed) return borrow<std::int32_t>(array);
    return borrow<std::uint32_t>(array);
  }
  if (is_signed) return borrow<std::int64_t>(array);
  return borrow<std::uint64_t>(array);
}

// Likewise; negative ones become offsets that no graph has.
Offsets borrow_offsets(const py::array& array) {
  if (array.itemsize() == 4) return Offsets(borrow<std::uint32_t>(array));
  return Offsets(borrow<std::uint64_t>(array));
}

Graph graph_from_csr(std::uint64_t num_rows, std::uint64_t num_columns, const py::array& offsets,
                     const py::array& targets, const py::object& weights, bool copy, int num_threads) {
  const Offsets taken = borrow_offsets(offsets);
  const AnyIds ids = borrow_ids(targets);
  const Weights values = weights_from_numpy(weights);
  return without_gil(num_threads, [&](Workers& workers) {
    return Graph(take_rows(num_rows, num_columns, taken, ids, values, copy, workers));
  });
}

Graph graph_from_edges(const py::array& sources, const py::array& targets, const py::object& weights,
                       std::uint64_t num_vertices, int num_threads) {
  const AnyIds ends[] = {borrow_ids(sources), borrow_ids(targets)};
  const Weights values = weights_from_numpy(weights);
  return without_gil(num_threads, [&](Workers& workers) {
    return Graph(build_csr(take_edges(num_vertices, ends[0], ends[1], values, workers), num_vertices, workers));
  });
}

// Ends of any integer type as numbers from 0 on, and the ids that these stand for as uint64.
py::tuple number_edges(const py::array& sources, const py::array& targets, int num_threads) {
  const AnyIds ends[] = {borrow_ids(sources), borrow_ids(targets)};
  const NumberedEnds numbered =
      without_gil(num_threads, [&](Workers& workers) { return number_ids(ends[0], ends[1], workers); });
  return py::make_tuple(to_numpy(numbered.sources), to_numpy(numbered.targets), moved_to_numpy(numbered.labels));
}

Weights weights_without_memory(const std::optional<std::string>& dtype, std::uint64_t count) {
  if (!dtype) return {};
  if (*dtype == "<i4") return Array<std::int32_t>(nullptr, nullptr, count);
  if (*dtype == "<i8") return Array<std::int64_t>(nullptr, nullptr, count);
  if (*dtype == "<f4") return Array<float>(nullptr, nullptr, count);
  return Array<double>(nullptr, nullptr, count);
}

// Of a file that was read but for its edges. `views`: of each the first byte of its blocks, and their index.
Graph graph_from_stored(const std::string& name, int descriptor, VertexId num_rows, VertexId num_columns,
                        std::uint64_t num_edges, const py::array& offsets,
                        const std::optional<std::string>& weights_dtype,
                        const std::tuple<bool, bool, bool, double>& facts,
                        const std::map<std::string, std::pair<std::uint64_t, py::array>>& views, std::uint64_t memory,
                        const std::string& folder) {
  std::array<std::optional<StoredView>, 3> stored;
  for (const auto& [view, found] : views) {
    const auto& [first_byte, index] = found;
    const auto* entries = static_cast<const BlockEntry*>(index.data());
    const View which = view == "forward" ? View::kForward : view == "reverse" ? View::kReverse : View::kUndirected;
    stored[static_cast<std::size_t>(which)] =
        StoredView{first_byte, {entries, entries + index.nbytes() / py::ssize_t(sizeof(BlockEntry))}};
  }
  Csr csr;
  csr.num_rows = csr.num_columns = std::max(num_rows, num_columns);
  const Offsets given = borrow_offsets(offsets);
  csr.targets = Array<VertexId>(nullptr, nullptr, num_edges);
  csr.weights = weights_without_memory(weights_dtype, num_edges);
  const py::gil_scoped_release released;
  Workers workers(1);
  csr.offsets = copy_of(given, workers);
  bool ascends = csr.offsets.size() == std::size_t(csr.num_rows) + 1 && csr.offsets[0] == 0 &&
                 csr.offsets[csr.num_rows] == num_edges;
  for (std::size_t v = 0; ascends && v < csr.num_rows; ++v) ascends = csr.offsets[v] <= csr.offsets[v + 1];
  if (!ascends) throw GraphFormatError(message(name, ": its offsets are not those of ", num_edges, " edges"));
  const auto [is_symmetric, is_simple, has_negative_or_nan, largest_weight] = facts;
  const auto edges = std::make_shared<const StoredEdges>(
      std::make_shared<const ReadFile>(name, descriptor), csr.num_rows, weight_type(csr),
      StoredFacts{is_symmetric, is_simple, has_negative_or_nan, largest_weight}, std::move(stored), memory, folder);
  if (views.count("forward") > 0 && edges->view(View::kForward, true, false).num_edges != num_edges) {
    throw GraphFormatError(message(name, ": its blocks do not have ", num_edges, " edges"));
  }
  return Graph(std::move(csr), num_rows, num_columns, edges);
}

// None where there is no such form: else its rows, the ids of its vertices, seconds and bytes it took, and whether a
// caller asked for it.
py::object prepared_to_python(const std::shared_ptr<const PreparedGraph>& form) {
  if (!form) return py::none();
  return py::make_tuple(form->graph, to_numpy(form->ids), form->seconds, form->num_bytes(), form->is_asked_for);
}

// From a file: offsets of uint32 or uint64, all else of uint32, weights of the graph's own type.
void keep_prepared(const Graph& graph, const py::array& ids, const py::array& offsets, const py::array& targets,
                   const py::object& weights, int num_threads) {
  Csr rows;
  rows.num_rows = rows.num_columns = graph.num_vertices();
  rows.offsets = borrow_offsets(offsets);
  rows.targets = borrow<VertexId>(targets);
  rows.weights = weights_from_numpy(weights);
  const auto places = borrow<VertexId>(ids);
  without_gil(num_threads, [&](Workers& workers) {
    graph.keep_prepared(prepared_from(*graph.csr(), std::move(rows), places, workers));
    return 0;
  });
}

py::array offsets_to_numpy(const Graph& graph) {
  const Offsets& offsets = graph.skeleton().offsets;
  return offsets.is_wide() ? to_numpy(offsets.wide()) : to_numpy(offsets.narrow());
}

}  // namespace

void bind_graph(py::module_& module) {
  py::class_<Graph>(module, "Graph")
      .def_static("from_csr", &graph_from_csr, py::arg("num_rows"), py::arg("num_columns"), py::arg("offsets"),
                  py::arg("targets"), py::arg("weights"), py::arg("copy"), py::arg("num_threads"))
      .def_static("from_edges", &graph_from_edges, py::arg("sources"), py::arg("targets"), py::arg("weights"),
                  py::arg("num_vertices"), py::arg("num_threads"))
      .def_static("from_stored", &graph_from_stored, py::arg("name"), py::arg("descriptor"), py::arg("num_rows"),
                  py::arg("num_columns"), py::arg("num_edges"), py::arg("offsets"), py::arg("weights_dtype"),
                  py::arg("facts"), py::arg("views"), py::arg("memory"), py::arg("folder"))
      .def_property_readonly("num_vertices", &Graph::num_vertices)
      .def_property_readonly("is_stored", [](const Graph& graph) { return graph.stored() != nullptr; })
      .def_property_readonly(
          "stored_bytes_read",
          [](const Graph& graph) { return graph.stored() == nullptr ? 0 : graph.stored()->bytes_read(); })
      .def_property_readonly("num_edges", &Graph::num_edges)
      .def_property_readonly("shape",
                             [](const Graph& graph) { return py::make_tuple(graph.num_rows(), graph.num_columns()); })
      .def_property_readonly("is_weighted", &Graph::is_weighted)
      .def_property_readonly("weights_dtype",
                             [](const Graph& graph) -> py::object {
                               const abi::Scalar type = weight_type(graph.skeleton());
                               if (type == abi::kNone) return py::none();
                               return dtype_of(type);
                             })
      .def_property_readonly("offsets", [](const Graph& graph) { return offsets_to_numpy(graph); })
      .def_property_readonly("targets", [](const Graph& graph) { return to_numpy(graph.csr()->targets); })
      .def_property_readonly("weights", [](const Graph& graph) { return weights_to_numpy(graph.csr()->weights); })
      .def(
          "transpose",
          [](const Graph& graph, int num_threads, const py::object& progress) {
            return in_steps(num_threads, progress, [&](Workers& workers) { return graph.transpose(workers); });
          },
          py::arg("num_threads"), py::arg("progress") = py::none())
      .def(
          "as_matrix",
          [](const Graph& graph, std::uint64_t num_rows, std::uint64_t num_columns, int num_threads) {
            return without_gil(num_threads,
                               [&](Workers& workers) { return graph.as_matrix(num_rows, num_columns, workers); });
          },
          py::arg("num_rows"), py::arg("num_columns"), py::arg("num_threads"))
      .def(
          "simplify",
          [](const Graph& graph, bool add_reverse, bool drop_self_loops, int num_threads, const py::object& progress) {
            return in_steps(num_threads, progress, [&](Workers& workers) {
              return Graph(simplify(*graph.csr(), {add_reverse, drop_self_loops}, workers));
            });
          },
          py::arg("add_reverse"), py::arg("drop_self_loops"), py::arg("num_threads"), py::arg("progress") = py::none())
      .def(
          "prepare",
          [](const Graph& graph, int num_threads, const py::object& progress) {
            return prepared_to_python(
                in_steps(num_threads, progress, [&](Workers& workers) { return graph.prepare(workers); }));
          },
          py::arg("num_threads"), py::arg("progress") = py::none())
      .def("prepared",
           [](const Graph& graph) {
             return prepared_to_python([&] {
               const py::gil_scoped_release released;
               return graph.prepared();
             }());
           })
      .def(
          "prepares_itself",
          [](const Graph& graph, bool does) {
            const py::gil_scoped_release released;
            graph.prepares_itself(does);
          },
          py::arg("does"))
      .def("keep_prepared", &keep_prepared, py::arg("ids"), py::arg("offsets"), py::arg("targets"), py::arg("weights"),
           py::arg("num_threads"))
      .def("clear_cache", [](const Graph& graph) {
        const py::gil_scoped_release released;
        graph.clear_cache();
      });
  module.def("number_edges", &number_edges, py::arg("sources"), py::arg("targets"), py::arg("num_threads"));
}

}  // namespace bindings
}  // namespace gaspipe
