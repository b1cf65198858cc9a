// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.EdgeListParser: text in pieces in, edges out.
#include <string_view>

#include "bindings.h"
#include "gaspipe/edge_list.h"

namespace gaspipe {
namespace bindings {
namespace {

// The parser and the threads it works on.
class Parser {
 public:
  Parser(const std::string& file_name, int num_threads)
      : workers_(num_threads, python_interrupted), parser_(file_name, workers_) {}

  void feed(const py::bytes& text) {
    const auto view = static_cast<std::string_view>(text);
    const py::gil_scoped_release released;
    parser_.feed(view.data(), view.size());
  }

  // (sources, targets, weights or None, num_vertices, labels or None)
  py::tuple finish(bool relabel) {
    const ParsedEdges parsed = [&] {
      const py::gil_scoped_release released;
      return parser_.finish(relabel);
    }();
    const EdgeList& edges = parsed.edges;
    const py::object labels = relabel ? py::object(to_numpy(parsed.labels)) : py::none();
    return py::make_tuple(to_numpy(edges.sources), to_numpy(edges.targets), weights_to_numpy(edges.weights),
                          edges.num_vertices, labels);
  }

 private:
  Workers workers_;
  EdgeListParser parser_;
};

}  // namespace

void bind_files(py::module_& module) {
  py::class_<Parser>(module, "EdgeListParser")
      .def(py::init<const std::string&, int>(), py::arg("file_name"), py::arg("num_threads"))
      .def("feed", &Parser::feed, py::arg("text"))
      .def("finish", &Parser::finish, py::arg("relabel"));
}

}  // namespace bindings
}  // namespace gaspipe
