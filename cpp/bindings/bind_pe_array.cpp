// SPDX-License-Identifier: Apache-2.0
// Cell's search on an array of PEs: gaspipe._core.PeLists and gaspipe._core.run_pe_array.
#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace bindings {
namespace {

using pe_array::DeviceLists;

template <class T>
py::array moved(const Array<T>& array) {
  return to_numpy(py::dtype::of<T>(), array.owner(), array.data(), array.size(), true);
}

// As python/gaspipe/_result/pe_array.py takes it.
py::dict profile_to_python(const DeviceLists& lists, const pe_array::Run& made) {
  const Writable<std::uint64_t> cycles(made.level_cycles.size());
  std::copy(made.level_cycles.begin(), made.level_cycles.end(), cycles.data());
  py::dict all;
  all["workers"] = lists.num_pes();
  all["capacity"] = made.capacity;
  all["lists_bytes"] = lists.num_bytes();
  all["parent"] = moved(made.parent);
  all["level_cycles"] = to_numpy(cycles.freeze());
  all["clock_mhz"] = made.stats.clock_mhz;
  all["edges"] = made.stats.supersteps.edges();
  return all;
}

py::tuple run_pe_array(const DeviceLists& lists, VertexId root, const RunOptions& options) {
  const pe_array::Run made = [&] {
    const py::gil_scoped_release released;
    return pe_array::run(lists, root, options);
  }();
  py::dict stats = stats_to_python(made.stats);
  stats["pe_array"] = profile_to_python(lists, made);
  return py::make_tuple(moved(made.depth), stats);
}

}  // namespace

void bind_pe_array(py::module_& module) {
  py::class_<DeviceLists, std::shared_ptr<DeviceLists>>(module, "PeLists")
      .def(py::init([](const Graph& graph, int num_pes, int num_threads) {
             return without_gil(num_threads, [&](Workers& workers) {
               return std::make_shared<DeviceLists>(*graph.csr(), num_pes, workers);
             });
           }),
           py::arg("graph"), py::arg("num_pes"), py::arg("num_threads"))
      .def_property_readonly("num_pes", &DeviceLists::num_pes);
  module.def("num_pes", &pe_array::num_pes, py::arg("options"));
  module.def("run_pe_array", &run_pe_array, py::arg("lists"), py::arg("root"), py::arg("options"));
}

}  // namespace bindings
}  // namespace gaspipe
