// SPDX-License-Identifier: Apache-2.0
// What the text parsers share: hand-written scanners, since text is what a graph file costs, and how a message quotes
// text. Scanners stop at the latest at the \n that ends every piece.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace gaspipe {
namespace detail {

constexpr int kExcerptSize = 40;
constexpr std::uint64_t kLargestId = std::numeric_limits<std::int64_t>::max();

inline std::string quote(const char* first, const char* last) {
  static const char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  for (int shown = 0; first != last && shown < kExcerptSize; ++first, ++shown) {
    const auto byte = static_cast<unsigned char>(*first);
    if (byte == '\t') {
      text += "\\t";
    } else if (byte == '\r') {
      text += "\\r";
    } else if (byte < 0x20 || byte > 0x7e) {
      text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      text += *first;
    }
  }
  return text + (first == last ? "\"" : "...\"");
}

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_line_end(const char* at) { return *at == '\n' || (*at == '\r' && at[1] == '\n'); }

inline const char* skip_blanks(const char* at) {
  while (is_blank(*at)) ++at;
  return at;
}

// Moves past the gap between two columns; false if there is none.
inline bool skip_gap(const char*& at) {
  const char* const first = at;
  at = skip_blanks(at);
  if (*at == ',') at = skip_blanks(at + 1);
  return at != first;
}

inline const char* token_end(const char* at) {
  while (!is_blank(*at) && *at != ',' && !is_line_end(at)) ++at;
  return at;
}

// Up to 8 digits at once, as bytes of a word: the exit of a loop over digits, which no branch predictor foresees, costs
// more (parsing: 33 -> 23 ns per line of two ids of 6 or 7 digits, EPYC, one thread). Takes none where it cannot do so.
inline const char* scan_eight_digits(const char* at, const char* last, std::uint64_t& number) {
  if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || last - at < 8) return at;
  std::uint64_t bytes;
  std::memcpy(&bytes, at, 8);
  bytes ^= 0x3030303030303030u;  // digits become 0 to 9
  const std::uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
  const int num_digits = others == 0 ? 8 : __builtin_ctzll(others) / 8;
  if (num_digits == 0) return at;
  bytes <<= 8 * (8 - num_digits);  // leading zeros; the first digit is the lowest byte
  bytes = (bytes * (10 * 0x100 + 1) >> 8) & 0x00ff00ff00ff00ffu;
  bytes = (bytes * (100 * 0x10000 + 1) >> 16) & 0x0000ffff0000ffffu;
  number = bytes * (10000 * 0x100000000u + 1) >> 32;
  return at + num_digits;
}

// False when the number exceeds `largest`, which leaves room for a digit in 64 bits.
inline bool scan_digits(const char*& at, const char* last, std::uint64_t largest, std::uint64_t& number) {
  number = 0;
  at = scan_eight_digits(at, last, number);
  for (; is_digit(*at); ++at) {
    if (number > largest / 10) return false;
    number = 10 * number + std::uint64_t(*at - '0');
  }
  return number <= largest;
}

}  // namespace detail
}  // namespace gaspipe
