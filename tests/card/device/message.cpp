// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <cstring>

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::uint64_t take_varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (int shift = 0; !rest.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(rest[0]);
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  die("a message of the host has a number without an end");
}

}  // namespace

Message::Message(std::string_view rest) {
  while (!rest.empty()) {
    const std::uint64_t key = take_varint(rest);
    Field field = {0, {}};
    if ((key & 7) == kVarint) {
      field.number = take_varint(rest);
    } else {
      std::uint64_t size = 0;
      switch (key & 7) {
        case kFixed64:
          size = 8;
          break;
        case kFixed32:
          size = 4;
          break;
        case kBytes:
          size = take_varint(rest);
          break;
        default:
          die("a message of the host has a field of unknown kind " + std::to_string(key & 7));
      }
      if (size > rest.size()) die("a message of the host ends in the middle of a field");
      field.bytes = rest.substr(0, size);
      if ((key & 7) != kBytes) std::memcpy(&field.number, rest.data(), size);
      rest.remove_prefix(size);
    }
    fields_.emplace(static_cast<unsigned>(key >> 3), field);
  }
}

std::uint64_t Message::number(unsigned id) const {
  const auto found = fields_.find(id);
  return found == fields_.end() ? 0 : found->second.number;
}

std::string_view Message::bytes(unsigned id) const {
  const auto found = fields_.find(id);
  return found == fields_.end() ? std::string_view() : found->second.bytes;
}

std::vector<std::string_view> Message::all_bytes(unsigned id) const {
  std::vector<std::string_view> found;
  const auto range = fields_.equal_range(id);
  for (auto field = range.first; field != range.second; ++field) found.push_back(field->second.bytes);
  return found;
}

void Reply::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) encoded_.push_back(static_cast<char>(value | 0x80));
  encoded_.push_back(static_cast<char>(value));
}

Reply& Reply::number(unsigned id, std::uint64_t value) {
  varint(id << 3 | kVarint);
  varint(value);
  return *this;
}

Reply& Reply::bytes(unsigned id, std::string_view value) {
  varint(id << 3 | kBytes);
  varint(value.size());
  encoded_.append(value);
  return *this;
}

}  // namespace card
}  // namespace gaspipe
