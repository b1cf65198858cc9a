// SPDX-License-Identifier: Apache-2.0
// Arrays of PEs: gaspipe._core.PeLists and run_pe_array, which search, PeRows and run_pe_paths.
#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace bindings {
namespace {

using pe_array::DeviceLists;
using pe_array::PullRows;
using pe_array::WeightedRows;

// The lists of a graph, and where PEs also pull its rows.
class PeLists {
 public:
  PeLists(const Csr& csr, int num_pes, bool pulls, Workers& workers) {
    if (pulls) {
      rows_ = std::make_shared<const PullRows>(csr, num_pes, workers);
    } else {
      lists_ = std::make_shared<const DeviceLists>(csr, num_pes, workers);
    }
  }

  bool pulls() const { return rows_ != nullptr; }
  int num_pes() const { return (pulls() ? rows_->lists() : *lists_).num_pes(); }
  pe_array::Run run(VertexId root, const RunOptions& options) const {
    return pulls() ? pe_array::run(rows_, root, options) : pe_array::run(lists_, root, options);
  }

 private:
  std::shared_ptr<const DeviceLists> lists_;
  std::shared_ptr<const PullRows> rows_;
};

py::array copied(const std::vector<std::uint64_t>& numbers) {
  const Writable<std::uint64_t> copy(numbers.size());
  std::copy(numbers.begin(), numbers.end(), copy.data());
  return to_numpy(copy.freeze());
}

// To run on a card, where it is not null.
RunOptions with_card(RunOptions options, std::shared_ptr<LoadedCard> card) {
  options.card = std::move(card);
  return options;
}

py::tuple run_pe_array(const PeLists& lists, VertexId root, const RunOptions& asked, std::shared_ptr<LoadedCard> card) {
  const RunOptions options = with_card(asked, std::move(card));
  const pe_array::Run made = [&] {
    const py::gil_scoped_release released;
    return lists.run(root, options);
  }();
  return py::make_tuple(moved_to_numpy(made.depth), stats_to_python(made.stats));
}

py::tuple run_pe_paths(const std::shared_ptr<WeightedRows>& shared, VertexId root, const RunOptions& asked,
                       std::shared_ptr<LoadedCard> card) {
  const RunOptions options = with_card(asked, std::move(card));
  const WeightedRows& rows = *shared;
  const pe_array::Paths made = [&] {
    const py::gil_scoped_release released;
    return pe_array::shortest_paths(shared, root, options);
  }();
  py::dict stats = stats_to_python(made.stats), all;
  all["workers"] = rows.num_pes();
  all["capacity"] = made.capacity;
  all["rows_bytes"] = rows.num_bytes();
  all["width"] = rows.is_floating() ? py::object(py::float_(made.width)) : py::int_(static_cast<long>(made.width));
  all["num_buckets"] = made.num_buckets;
  all["phase_cycles"] = copied(made.phase_cycles);
  all["clock_mhz"] = made.stats.clock_mhz;
  all["edges"] = made.edges;
  stats["pe_paths"] = all;
  return py::make_tuple(std::visit([](const auto& distance) { return moved_to_numpy(distance); }, made.distance),
                        stats);
}

}  // namespace

void bind_pe_array(py::module_& module) {
  py::class_<PeLists, std::shared_ptr<PeLists>>(module, "PeLists")
      .def(py::init([](const Graph& graph, int num_pes, bool pulls, int num_threads) {
             return without_gil(num_threads, [&](Workers& workers) {
               return std::make_shared<PeLists>(*graph.csr(), num_pes, pulls, workers);
             });
           }),
           py::arg("graph"), py::arg("num_pes"), py::arg("pulls"), py::arg("num_threads"))
      .def_property_readonly("num_pes", &PeLists::num_pes)
      .def_property_readonly("pulls", &PeLists::pulls);
  py::class_<WeightedRows, std::shared_ptr<WeightedRows>>(module, "PeRows")
      .def(py::init([](const Graph& graph, int num_pes, int num_threads) {
             return without_gil(num_threads, [&](Workers& workers) {
               return std::make_shared<WeightedRows>(*graph.csr(), num_pes, workers);
             });
           }),
           py::arg("graph"), py::arg("num_pes"), py::arg("num_threads"))
      .def_property_readonly("num_pes", &WeightedRows::num_pes);
  module.def("run_pe_paths", &run_pe_paths, py::arg("rows"), py::arg("root"), py::arg("options"),
             py::arg("card") = py::none());
  module.def(
      "num_pes",
      [](const RunOptions& options, std::shared_ptr<LoadedCard> card) {
        return pe_array::num_pes(with_card(options, std::move(card)));
      },
      py::arg("options"), py::arg("card") = py::none());
  module.def("run_pe_array", &run_pe_array, py::arg("lists"), py::arg("root"), py::arg("options"),
             py::arg("card") = py::none());
}

}  // namespace bindings
}  // namespace gaspipe
