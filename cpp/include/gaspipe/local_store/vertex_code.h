// SPDX-License-Identifier: Apache-2.0
// Vertex codes: a word that has a vertex's id in its upper bits and the length of its list in its lower bits, so that a
// worker can plan the transfer of the list before it has read any of it. Queues, lists and messages hold codes.
//
// A list that is too long for the length field has the escape value there, which is all ones; its real length stands in
// the header of the list.
// Method: D. P. Scarpazza, O. Villa, F. Petrini, "Efficient Breadth-First Search on the Cell/BE Processor", IEEE
// Transactions on Parallel and Distributed Systems 19(10), 2008, pages 1381-1395.
#pragma once

#include <cstdint>
#include <type_traits>

#include "hls/types.h"

namespace gaspipe {
namespace local_store {

// Where a code's two fields meet: the lowest `length_bits` bits are the length.
struct CodeSplit {
  unsigned length_bits = 8;
};

template <class Code>
constexpr Code escape_length(CodeSplit split) {
  static_assert(std::is_unsigned_v<Code>);
  return static_cast<Code>((Code(1) << split.length_bits) - 1);
}
template <class Code>
constexpr Code make_code(VertexId id, std::uint64_t length, CodeSplit split) {
  const Code escape = escape_length<Code>(split);
  return static_cast<Code>(Code(id) << split.length_bits | (length < escape ? static_cast<Code>(length) : escape));
}
template <class Code>
constexpr VertexId code_index(Code code, CodeSplit split) {
  return static_cast<VertexId>(code >> split.length_bits);
}
// The escape value where the list is longer.
template <class Code>
constexpr Code code_length(Code code, CodeSplit split) {
  return code & escape_length<Code>(split);
}

// The names that the literature has for the two.
template <class Code>
constexpr VertexId VERTEX_CODE_TO_INDEX(Code code, CodeSplit split) {
  return code_index(code, split);
}
template <class Code>
constexpr Code VERTEX_CODE_TO_LENGTH(Code code, CodeSplit split) {
  return code_length(code, split);
}

// Bits of an id; one at least.
constexpr unsigned bits_of_id(std::uint64_t largest_id) {
  unsigned bits = 1;
  while (largest_id >> bits != 0) ++bits;
  return bits;
}

// A length field shorter than this escapes too often: graphs with longer ids have codes of 64 bits.
constexpr unsigned kLeastLengthBits = 4;

constexpr int code_bits_for(std::uint64_t largest_id) {
  return bits_of_id(largest_id) + kLeastLengthBits <= 32 ? 32 : 64;
}
// All bits that the largest id leaves are the length's.
constexpr CodeSplit split_for(int code_bits, std::uint64_t largest_id) {
  return {static_cast<unsigned>(code_bits) - bits_of_id(largest_id)};
}

}  // namespace local_store
}  // namespace gaspipe
