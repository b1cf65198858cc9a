// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.LoadedCard: a card with an xclbin on it. The driver comes from another module (gaspipe._fpga), as a
// capsule; this one does not use XRT.
#include "bindings.h"
#include "gaspipe/error.h"
#include "gaspipe/loaded_card.h"

namespace gaspipe {
namespace bindings {
namespace {

std::shared_ptr<LoadedCard> load(const py::object& driver_capsule, int index, CardDesign design) {
  if (PyCapsule_IsValid(driver_capsule.ptr(), kCardDriverCapsule) == 0) {
    throw InputError(
        message("a capsule named ", kCardDriverCapsule, " is needed, found ", std::string(py::repr(driver_capsule))));
  }
  auto* driver = static_cast<CardDriver*>(PyCapsule_GetPointer(driver_capsule.ptr(), kCardDriverCapsule));
  const py::gil_scoped_release released;
  return std::make_shared<LoadedCard>(*driver, index, std::move(design));
}

}  // namespace

py::dict card_calls(const CardCounts& counts) {
  py::dict all;
  all["allocations"] = counts.allocations;
  all["frees"] = counts.frees;
  all["runs"] = counts.runs;
  all["arguments"] = counts.arguments;
  all["starts"] = counts.starts;
  all["waits"] = counts.waits;
  all["syncs_to_card"] = counts.syncs_to_card;
  all["syncs_from_card"] = counts.syncs_from_card;
  all["bytes_to_card"] = counts.bytes_to_card;
  all["bytes_from_card"] = counts.bytes_from_card;
  return all;
}

void bind_card(py::module_& module) {
  py::class_<LoadedCard, std::shared_ptr<LoadedCard>>(module, "LoadedCard")
      .def(py::init([](const py::object& driver_capsule, int index, const std::string& xclbin,
                       const std::string& algorithm, const std::string& number, const std::string& board,
                       const std::string& config, bool weighted, std::uint32_t pes, std::uint32_t capacity,
                       const std::string& gather_scatter, const std::string& apply, const py::list& units,
                       const std::string& apply_unit, int clock_mhz, const std::string& dense, std::size_t num_dense) {
             CardDesign design;
             design.xclbin = xclbin;
             design.algorithm = algorithm;
             design.number = number;
             design.board = board;
             design.config = config;
             design.weighted = weighted;
             design.pes = pes;
             design.capacity = capacity;
             design.gather_scatter = gather_scatter;
             design.apply = apply;
             for (const py::handle& unit : units) design.units.push_back(unit.cast<std::string>());
             design.apply_unit = apply_unit;
             design.clock_mhz = clock_mhz;
             design.dense = dense;
             design.num_dense = num_dense;
             return load(driver_capsule, index, std::move(design));
           }),
           py::arg("driver_capsule"), py::arg("index"), py::arg("xclbin"), py::arg("algorithm"), py::arg("number"),
           py::arg("board"), py::arg("config"), py::arg("weighted"), py::arg("pes"), py::arg("capacity"),
           py::arg("gather_scatter"), py::arg("apply"), py::arg("units"), py::arg("apply_unit"), py::arg("clock_mhz"),
           py::arg("dense"), py::arg("num_dense"), py::keep_alive<1, 2>())
      .def("counts", [](LoadedCard& card) {
        return card_calls([&] {
          const py::gil_scoped_release released;
          return card.counts(python_interrupted);
        }());
      });
}

}  // namespace bindings
}  // namespace gaspipe
