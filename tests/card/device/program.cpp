// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Function>
Function symbol(void* library, const std::string& name) {
  void* found = dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error("the library of kernels has no " + name);
  return reinterpret_cast<Function>(found);
}

}  // namespace

void Program::Close::operator()(void* library) const { dlclose(library); }

Program::Program(const std::string& metadata_path, const std::string& library_path, Memory& memory)
    : library_(dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL)),
      metadata_(read_metadata(read_file(metadata_path))) {
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  memory.describe(metadata_.banks);
  std::vector<KernelFunction> functions;
  for (const Kernel& kernel : metadata_.kernels) {
    functions.push_back(symbol<KernelFunction>(library_.get(), "card_call_" + kernel.name));
    const auto num = static_cast<std::size_t>(symbol<int (*)()>(library_.get(), "card_arity_" + kernel.name)());
    if (num != kernel.arguments.size()) {
      throw std::runtime_error(kernel.name + " takes " + std::to_string(num) + " arguments, its metadata have " +
                               std::to_string(kernel.arguments.size()));
    }
  }
  std::map<std::string, std::map<std::string, CardStream>> streams;  // by unit and argument
  for (const Link& link : metadata_.links) {
    links_.emplace_back();
    streams[link.from_unit][link.from] = links_.back().end(true);
    streams[link.to_unit][link.to] = links_.back().end(false);
  }
  for (const Unit& unit : metadata_.units) {
    trace("unit " + unit.name + " of " + metadata_.kernels[unit.kernel].name + " at " + hex(unit.base));
    units_.push_back(
        std::make_unique<ComputeUnit>(unit, metadata_.kernels[unit.kernel], functions[unit.kernel], memory,
                                      std::move(streams[unit.name])));
  }
}

ComputeUnit& Program::unit_at(std::uint64_t address) {
  for (const auto& unit : units_) {
    if (unit->holds(address)) return *unit;
  }
  die("the host uses a register at " + hex(address) + ", where there is no compute unit");
}

ComputeUnit* Program::running() {
  for (const auto& unit : units_) {
    if (unit->is_running()) return unit.get();
  }
  return nullptr;
}

}  // namespace card
}  // namespace gaspipe
