// SPDX-License-Identifier: Apache-2.0
// The extension module gaspipe._core. Private: python/gaspipe is the API. Importing it needs no NumPy, so that a build
// can ask it for its algorithms.
#include "bindings.h"

// What threads share has locks of its own: free-threaded Python stays without the interpreter's.
PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Native core of gaspipe; use the package, not this module.";
  module.attr("__version__") = GASPIPE_VERSION;
  gaspipe::bindings::bind_errors(module);
  gaspipe::bindings::bind_boards(module);
  gaspipe::bindings::bind_graph(module);
  gaspipe::bindings::bind_partition(module);
  gaspipe::bindings::bind_domains(module);
  gaspipe::bindings::bind_files(module);
  gaspipe::bindings::bind_generate(module);
  gaspipe::bindings::bind_card(module);  // what bind_run's functions take
  gaspipe::bindings::bind_options(module);
  gaspipe::bindings::bind_run(module);
  gaspipe::bindings::bind_frontier(module);
  gaspipe::bindings::bind_prediction(module);
  gaspipe::bindings::bind_accelerator(module);
  gaspipe::bindings::bind_shape(module);
  gaspipe::bindings::bind_write(module);
  gaspipe::bindings::bind_convert(module);
  gaspipe::bindings::bind_local_store(module);
  gaspipe::bindings::bind_pe_array(module);
  gaspipe::bindings::bind_distributed(module);
  gaspipe::bindings::bind_dicts(module);
}
