// SPDX-License-Identifier: Apache-2.0
// XRT, opened when the module is imported and not linked against: write_calls.py says why.
#pragma once

#include <cstddef>

namespace gaspipe {

// The functions that the driver calls: their names in the library, and the table that jumps to them go through.
struct XrtCalls {
  const char* const* names;
  void** entries;
  std::size_t size;
};
XrtCalls xrt_calls();

// Opens the library that $XILINX_XRT names, that the loader finds, or of /opt/xilinx/xrt; std::runtime_error where there
// is none, or one without a function that is called.
void open_xrt();

}  // namespace gaspipe
