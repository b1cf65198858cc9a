// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/vertex_code.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace gaspipe {
namespace local_store {
namespace {

template <class Code>
void check_split(unsigned length_bits, unsigned id_bits) {
  const CodeSplit split{length_bits};
  const VertexId largest = static_cast<VertexId>((std::uint64_t(1) << id_bits) - 1);
  const Code escape = escape_length<Code>(split);
  for (const VertexId id : {VertexId(0), VertexId(1), largest / 2, largest}) {
    for (const std::uint64_t length : {std::uint64_t(0), std::uint64_t(escape) / 2, std::uint64_t(escape) - 1}) {
      const Code code = make_code<Code>(id, length, split);
      EXPECT_EQ(VERTEX_CODE_TO_INDEX(code, split), id) << length_bits;
      EXPECT_EQ(VERTEX_CODE_TO_LENGTH(code, split), length) << length_bits;
      EXPECT_EQ(code_index(code, split), id);
      EXPECT_EQ(code_length(code, split), length);
    }
    for (const std::uint64_t length : {std::uint64_t(escape), std::uint64_t(escape) + 1, ~std::uint64_t(0)}) {
      const Code code = make_code<Code>(id, length, split);
      EXPECT_EQ(VERTEX_CODE_TO_INDEX(code, split), id) << length_bits;
      EXPECT_EQ(VERTEX_CODE_TO_LENGTH(code, split), escape) << length_bits;
    }
  }
}

// CEL-7
TEST(LocalStoreVertexCode, RoundTripsOverAllSplitsAndEscapesLongLengths) {
  for (unsigned length_bits = 1; length_bits < 32; ++length_bits)
    check_split<std::uint32_t>(length_bits, 32 - length_bits);
  for (unsigned length_bits = 32; length_bits < 64; ++length_bits) {
    check_split<std::uint64_t>(length_bits, 64 - length_bits);
  }
}

// CEL-7
TEST(LocalStoreVertexCode, SplitsByTheLargestId) {
  EXPECT_EQ(bits_of_id(0), 1u);
  EXPECT_EQ(bits_of_id(1), 1u);
  EXPECT_EQ(bits_of_id(2), 2u);
  EXPECT_EQ(bits_of_id((1u << 20) - 1), 20u);
  EXPECT_EQ(split_for(32, (1u << 20) - 1).length_bits, 12u);
  EXPECT_EQ(split_for(32, 1u << 20).length_bits, 11u);
  EXPECT_EQ(split_for(64, 0xfffffffeu).length_bits, 32u);
}

// CEL-7
TEST(LocalStoreVertexCode, TakesLongCodesWhereIdsLeaveNoRoom) {
  EXPECT_EQ(code_bits_for((1u << 28) - 1), 32);
  EXPECT_EQ(code_bits_for(1u << 28), 64);
  EXPECT_EQ(code_bits_for(0), 32);
}

TEST(LocalStoreVertexCode, IsAConstant) {
  constexpr CodeSplit split{8};
  static_assert(VERTEX_CODE_TO_INDEX(make_code<std::uint32_t>(7, 3, split), split) == 7);
  static_assert(VERTEX_CODE_TO_LENGTH(make_code<std::uint32_t>(7, 300, split), split) == 255);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
