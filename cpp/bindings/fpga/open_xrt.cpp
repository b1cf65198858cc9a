// SPDX-License-Identifier: Apache-2.0
#include "cpp/bindings/fpga/open_xrt.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "gaspipe/fpga.h"

namespace gaspipe {
namespace {

bool is_there(const std::string& file) {
  std::error_code problem;
  return std::filesystem::exists(file, problem);
}

// Never closed: XRT does not survive that.
void* opened(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

void* library() {
  const std::string name = std::string("/lib/") + kXrtLibrary;
  const char* const chosen = std::getenv("XILINX_XRT");
  if (chosen != nullptr && is_there(chosen + name)) return opened(chosen + name);
  try {
    return opened(kXrtLibrary);
  } catch (const std::runtime_error&) {
    const std::string usual = "/opt/xilinx/xrt" + name;
    if (is_there(usual)) return opened(usual);
    throw;
  }
}

}  // namespace

void open_xrt() {
  void* const from = library();
  const XrtCalls calls = xrt_calls();
  for (std::size_t i = 0; i < calls.size; ++i) {
    calls.entries[i] = dlsym(from, calls.names[i]);
    if (calls.entries[i] == nullptr) throw std::runtime_error(dlerror());
  }
}

}  // namespace gaspipe
