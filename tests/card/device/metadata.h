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
  bool is_pointer, is_stream;
  std::uint64_t offset;  // of its register, but of a stream
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

// A bank of the card, or a group of several that an argument leads to: to XRT another bank, numbered after the real
// ones.
struct Bank {
  std::string name;
  std::uint64_t num_bytes;
};

// A stream from one compute unit's argument to another's.
struct Link {
  std::string from_unit, from, to_unit, to;
};

struct Metadata {
  std::vector<Bank> banks;
  std::vector<Link> links;
  std::vector<Kernel> kernels;
  std::vector<Unit> units;
};

Metadata read_metadata(const std::string& xml);

}  // namespace card
}  // namespace gaspipe
