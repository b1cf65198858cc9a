// SPDX-License-Identifier: Apache-2.0
// The extension module gaspipe._fpga: XRT, in a module of its own so that processes that never ask for a card never
// load it. Importing it opens XRT's library, and no card. The driver goes to the core as a capsule and lives as long as
// the process.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>

#include "cpp/bindings/fpga/open_xrt.h"
#include "gaspipe/fpga.h"

namespace py = pybind11;

namespace {

gaspipe::CardDriver& driver() {
  // Never destroyed: XRT's own statics may be gone by then.
  static gaspipe::CardDriver* const made = gaspipe::make_fpga_driver().release();
  return *made;
}

py::list cards() {
  std::vector<gaspipe::CardDescription> found;
  {
    const py::gil_scoped_release released;
    found = driver().cards();
  }
  py::list list;
  for (const auto& card : found) {
    py::dict entry;
    entry["index"] = card.index;
    entry["name"] = card.name;
    entry["address"] = card.address;
    entry["problem"] = card.problem;
    list.append(std::move(entry));
  }
  return list;
}

}  // namespace

PYBIND11_MODULE(_fpga, module) {
  try {
    gaspipe::open_xrt();
  } catch (const std::runtime_error& error) {
    throw py::import_error(error.what());
  }
  module.doc() = "XRT, as the core of gaspipe drives it; use the package, not this module.";
  module.def(
      "driver", [] { return py::capsule(static_cast<const void*>(&driver()), gaspipe::kCardDriverCapsule); },
      "The driver, for the core: a capsule that holds a CardDriver of `version`.");
  module.def(
      "library",
      [] {
        const py::gil_scoped_release released;
        return driver().library();
      },
      "Name and version of the library that was loaded, as \"XRT 2.13.0\".");
  module.def("cards", &cards,
             "The cards XRT finds, each a dict of index, name (of its shell), address (on the bus) and problem (why it "
             "cannot be used, else empty).");
}
