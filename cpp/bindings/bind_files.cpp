// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.EdgeListParser, MetisParser: text in pieces in, edges or rows out.
#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "bindings.h"
#include "gaspipe/edge_list.h"
#include "gaspipe/metis.h"

namespace gaspipe {
namespace bindings {
namespace {

// The parser and the threads it works on.
class Parser {
 public:
  Parser(const std::string& file_name, int num_threads, EdgeSyntax syntax, std::optional<bool> header,
         bool may_be_empty, std::size_t buffer_bytes)
      : workers_(num_threads, python_interrupted),
        parser_(file_name, workers_,
                {syntax, header ? (*header ? Header::kPresent : Header::kAbsent) : Header::kAuto, may_be_empty,
                 sizes_of(buffer_bytes)}) {}

  void feed(const py::bytes& text) {
    const auto view = static_cast<std::string_view>(text);
    const py::gil_scoped_release released;
    parser_.feed(view.data(), view.size());
  }

  // (sources, targets, weights or None, num_vertices, labels or None)
  py::tuple finish(bool relabel) { return hand_over(relabel, &EdgeListParser::finish); }
  // The same of the edges so far.
  py::tuple take(bool relabel) { return hand_over(relabel, &EdgeListParser::take); }

  // Rows and columns of a Matrix Market file, once it is read.
  std::pair<std::uint64_t, std::uint64_t> shape() const { return shape_; }

 private:
  static TextSizes sizes_of(std::size_t buffer_bytes) {
    TextSizes sizes;
    // More than the longest line, or a line could not end in it.
    if (buffer_bytes != 0) sizes.buffer = std::max(buffer_bytes, sizes.longest_line + sizes.piece);
    return sizes;
  }

  py::tuple hand_over(bool relabel, ParsedEdges (EdgeListParser::*get)(bool)) {
    const ParsedEdges parsed = [&] {
      const py::gil_scoped_release released;
      return (parser_.*get)(relabel);
    }();
    shape_ = {parsed.matrix.num_rows, parsed.matrix.num_columns};
    const EdgeList& edges = parsed.edges;
    const py::object labels = relabel ? py::object(to_numpy(parsed.labels)) : py::none();
    return py::make_tuple(to_numpy(edges.sources), to_numpy(edges.targets), weights_to_numpy(edges.weights),
                          edges.num_vertices, labels);
  }

  Workers workers_;
  EdgeListParser parser_;
  std::pair<std::uint64_t, std::uint64_t> shape_;
};

py::array offsets_to_numpy(const Offsets& offsets) {
  return offsets.is_wide() ? to_numpy(offsets.wide()) : to_numpy(offsets.narrow());
}

class RowParser {
 public:
  RowParser(const std::string& file_name, int num_threads, const std::string& dialect, bool directed)
      : workers_(num_threads, python_interrupted),
        parser_(file_name, workers_, dialect_of(dialect), std::size_t(1) << 20, directed) {}

  void feed(const py::bytes& text) {
    const auto view = static_cast<std::string_view>(text);
    const py::gil_scoped_release released;
    parser_.feed(view.data(), view.size());
  }

  // (num_vertices, offsets, targets, weights or None, vertex weights or None, ncon, vertex sizes or None)
  py::tuple finish() {
    const ParsedRows parsed = [&] {
      const py::gil_scoped_release released;
      return parser_.finish();
    }();
    const Csr& csr = parsed.csr;
    const auto or_none = [](const Array<std::int64_t>& values, bool is_there) {
      return is_there ? py::object(to_numpy(values)) : py::none();
    };
    return py::make_tuple(csr.num_rows, offsets_to_numpy(csr.offsets), to_numpy(csr.targets),
                          weights_to_numpy(csr.weights), or_none(parsed.vertex_weights, parsed.num_constraints != 0),
                          parsed.num_constraints, or_none(parsed.vertex_sizes, parsed.has_vertex_sizes));
  }

 private:
  static MetisDialect dialect_of(const std::string& name) {
    if (name == "auto") return MetisDialect::kAuto;
    if (name == "metis") return MetisDialect::kMetis;
    if (name == "dimacs10") return MetisDialect::kDimacs10;
    throw InputError(message("dialect is '", name, "'; allowed are 'auto', 'metis' and 'dimacs10'"));
  }

  Workers workers_;
  MetisParser parser_;
};

}  // namespace

void bind_files(py::module_& module) {
  py::native_enum<EdgeSyntax>(module, "EdgeSyntax", "enum.Enum")
      .value("PLAIN", EdgeSyntax::kPlain)
      .value("DIMACS9", EdgeSyntax::kDimacs9)
      .value("MATRIX_MARKET", EdgeSyntax::kMatrixMarket)
      .finalize();
  py::class_<Parser>(module, "EdgeListParser")
      .def(py::init<const std::string&, int, EdgeSyntax, std::optional<bool>, bool, std::size_t>(),
           py::arg("file_name"), py::arg("num_threads"), py::arg("syntax"), py::kw_only(),
           py::arg("header") = py::none(), py::arg("may_be_empty") = false, py::arg("buffer_bytes") = 0)
      .def("feed", &Parser::feed, py::arg("text"))
      .def("take", &Parser::take, py::arg("relabel"))
      .def("finish", &Parser::finish, py::arg("relabel"))
      .def("shape", &Parser::shape);
  py::class_<RowParser>(module, "MetisParser")
      .def(py::init<const std::string&, int, const std::string&, bool>(), py::arg("file_name"), py::arg("num_threads"),
           py::arg("dialect"), py::arg("directed") = false)
      .def("feed", &RowParser::feed, py::arg("text"))
      .def("finish", &RowParser::finish);
}

}  // namespace bindings
}  // namespace gaspipe
