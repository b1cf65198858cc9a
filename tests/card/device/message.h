// SPDX-License-Identifier: Apache-2.0
// The few protobuf fields of XRT's emulation messages, coded by hand: numbers and strings of bytes by field number.
// Encoding: protobuf.dev/programming-guides/encoding. Fields and their meaning: Apache-2.0 sources of XRT,
// rpc_messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gaspipe {
namespace card {

// A message read; views into the bytes it was made from. Malformed ones end the process.
class Message {
 public:
  explicit Message(std::string_view bytes);

  // 0 and "" where the field is missing.
  std::uint64_t number(unsigned id) const;
  std::string_view bytes(unsigned id) const;
  std::vector<std::string_view> all_bytes(unsigned id) const;

 private:
  struct Field {
    std::uint64_t number;
    std::string_view bytes;
  };
  std::multimap<unsigned, Field> fields_;
};

// A message to be sent.
class Reply {
 public:
  Reply& number(unsigned id, std::uint64_t value);
  Reply& bytes(unsigned id, std::string_view value);
  const std::string& encoded() const { return encoded_; }

 private:
  void varint(std::uint64_t value);

  std::string encoded_;
};

}  // namespace card
}  // namespace gaspipe
