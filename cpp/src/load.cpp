// SPDX-License-Identifier: Apache-2.0
// Programs from shared libraries: what is compiled from users' snippets.
#include "cpp/src/load.h"

#include <dlfcn.h>

#include "gaspipe/error.h"
#include "gaspipe/run.h"

namespace gaspipe {

void* load_symbol(const std::string& path, const std::string& symbol) {
  // Without a slash the system would search its own folders.
  if (path.find('/') == std::string::npos) throw InputError(message("path is \"", path, "\"; it needs a folder"));
  const auto reason = [] {
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : text;
  };
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(message("cannot load ", path, ": ", reason()));
  void* const found = dlsym(library, symbol.c_str());
  if (found == nullptr) throw Error(message(path, " holds no ", symbol, ": ", reason()));
  return found;
}

const abi::Program& load_program(const std::string& path, const std::string& name) {
  using Table = const abi::Program* (*)();
  const auto table = reinterpret_cast<Table>(load_symbol(path, "gaspipe_program_" + name));
  const abi::Program* program = table();
  if (program == nullptr || program->abi_version != abi::kAbiVersion) {
    throw Error(message(path, " was built for version ", program == nullptr ? 0 : program->abi_version,
                        " of the program table; this gaspipe has version ", abi::kAbiVersion, "; build it again"));
  }
  return *program;
}

}  // namespace gaspipe
