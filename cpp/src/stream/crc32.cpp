// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/crc32.h"

#include <array>
#include <cstring>

namespace gaspipe {
namespace {

// tables[k][b]: what a byte b does to the checksum k bytes later. Method: M. Kounavis, F. Berry, "Novel Table
// Lookup-Based Algorithms for High-Performance CRC Generation", IEEE Transactions on Computers 57(11), 2008.
constexpr int kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? kPolynomial ^ crc >> 1 : crc >> 1;
    tables[0][byte] = crc;
  }
  for (int slice = 1; slice < kSlices; ++slice) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = tables[0][crc & 0xff] ^ crc >> 8;
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint32_t crc = ~before;
  for (; size >= kSlices; size -= kSlices, at += kSlices) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    word ^= crc;
    crc = 0;
    for (int i = 0; i < kSlices; ++i) crc ^= kTables[kSlices - 1 - i][word >> 8 * i & 0xff];
  }
  for (; size > 0; --size, ++at) crc = kTables[0][(crc ^ *at) & 0xff] ^ crc >> 8;
  return ~crc;
}

}  // namespace gaspipe
