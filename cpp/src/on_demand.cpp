// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/on_demand.h"

#include <map>
#include <mutex>
#include <utility>

#include "cpp/src/load.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

struct Found {
  std::mutex mutex;
  MissingCompiler compiler;
  std::map<std::string, void*> symbols;  // by source
};
Found& found() {
  static Found* const found = new Found;  // never ended: a compiler in Python may not outlive the interpreter
  return *found;
}

}  // namespace

void set_missing_compiler(MissingCompiler compiler) {
  const std::lock_guard<std::mutex> lock(found().mutex);
  found().compiler = std::move(compiler);
}

std::vector<void*> find_missing(const std::string& what, const std::vector<MissingCode>& parts) {
  std::vector<void*> symbols;
  std::vector<MissingCode> missing;
  MissingCompiler compiler;
  {
    const std::lock_guard<std::mutex> lock(found().mutex);
    for (const MissingCode& part : parts) {
      const auto at = found().symbols.find(part.source);
      symbols.push_back(at == found().symbols.end() ? nullptr : at->second);
      if (symbols.back() == nullptr) missing.push_back(part);
    }
    compiler = found().compiler;
  }
  if (missing.empty()) return symbols;
  if (!compiler) {
    throw Error(message("the kernels of ", what, " are not in this library, and nothing here compiles them: build it ",
                        "with GASPIPE_KERNELS=built"));
  }
  // Not under the lock: a compiler in Python waits for the interpreter, whose holder may wait here.
  const std::vector<std::string> paths = compiler(what, missing);
  std::size_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (symbols[i] != nullptr) continue;
    symbols[i] = load_symbol(paths.at(next++), kMissingSymbol);
    const std::lock_guard<std::mutex> lock(found().mutex);
    found().symbols[parts[i].source] = symbols[i];
  }
  return symbols;
}

}  // namespace gaspipe
