// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.GraphText: a graph in, text in pieces out.
#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string_view>

#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/write_text.h"

namespace gaspipe {
namespace bindings {
namespace {

Array<std::int64_t> borrow_or_none(const std::optional<py::array>& array) {
  return array ? borrow<std::int64_t>(*array) : Array<std::int64_t>();
}

template <class F>
auto unlocked(F&& f) {
  const py::gil_scoped_release released;
  return f();
}

// The text and the threads it is made by.
class TextPieces {
 public:
  TextPieces(const Graph& graph, TextOptions options, int num_threads)
      : workers_(num_threads, python_interrupted),
        text_(unlocked([&] { return std::make_unique<GraphText>(graph.csr(), std::move(options), workers_); })) {}

  py::bytes next() {
    const std::string_view text = unlocked([&] { return text_->next(); });
    return py::bytes(text.data(), text.size());
  }

 private:
  Workers workers_;
  std::unique_ptr<GraphText> text_;
};

}  // namespace

void bind_write(py::module_& module) {
  py::native_enum<TextFormat>(module, "TextFormat", "enum.Enum")
      .value("EDGE_LIST", TextFormat::kEdgeList)
      .value("MATRIX_MARKET", TextFormat::kMatrixMarket)
      .value("DIMACS9", TextFormat::kDimacs9)
      .value("METIS", TextFormat::kMetis)
      .finalize();
  py::class_<TextPieces>(module, "GraphText")
      .def(py::init([](const Graph& graph, TextFormat format, int num_threads, bool header, char separator,
                       const std::optional<py::array>& names, bool is_multigraph, std::uint64_t num_constraints,
                       const std::optional<py::array>& vertex_weights, const std::optional<py::array>& vertex_sizes) {
             TextOptions options;
             options.format = format;
             options.header = header;
             options.separator = separator;
             options.names = borrow_or_none(names);
             options.is_multigraph = is_multigraph;
             options.num_constraints = num_constraints;
             options.vertex_weights = borrow_or_none(vertex_weights);
             options.vertex_sizes = borrow_or_none(vertex_sizes);
             options.num_rows = graph.num_rows();
             options.num_columns = graph.num_columns();
             return std::make_unique<TextPieces>(graph, std::move(options), num_threads);
           }),
           py::arg("graph"), py::arg("format"), py::arg("num_threads"), py::kw_only(), py::arg("header") = true,
           py::arg("separator") = ' ', py::arg("names") = py::none(), py::arg("is_multigraph") = false,
           py::arg("num_constraints") = 0, py::arg("vertex_weights") = py::none(), py::arg("vertex_sizes") = py::none())
      .def("next", &TextPieces::next);
}

}  // namespace bindings
}  // namespace gaspipe
