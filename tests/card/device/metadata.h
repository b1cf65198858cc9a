// SPDX-License-Identifier: Apache-2.0
// What the xclbin says of its kernels: the section EMBEDDED_METADATA, as tests/card/xclbin.py writes it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gaspipe {
namespace card {

struct Argument {
  std::string name;
  bool is_pointer;
  std::uint64_t offset;  // of its register
};

struct Kernel {
  std::string name;
  std::uint64_t register_bytes = 0;
  std::vector<Argument> arguments;
};

struct Unit {
  std::string name;
  std::size_t kernel;                                  // its number
  std::uint64_t base;                                  // of its registers
  std::map<std::string, std::set<std::size_t>> banks;  // that a pointer may lead to, by argument
};

struct Metadata {
  std::vector<Kernel> kernels;
  std::vector<Unit> units;
};

Metadata read_metadata(const std::string& xml);

}  // namespace card
}  // namespace gaspipe
