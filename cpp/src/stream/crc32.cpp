// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/crc32.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gaspipe {
namespace {

// tables[k][b]: what a byte b does to the checksum k bytes later. Method: M. Kounavis, F. Berry, "Novel Table
// Lookup-Based Algorithms for High-Performance CRC Generation", IEEE Transactions on Computers 57(11), 2008.
constexpr int kSlices = 8;
constexpr std::uint32_t kPolynomial = 0xedb88320;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
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

// What is left of the checksum's register after `size` more bytes.
std::uint32_t by_tables(const unsigned char* at, std::size_t size, std::uint32_t crc) {
  for (; size >= kSlices; size -= kSlices, at += kSlices) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    word ^= crc;
    crc = 0;
    for (int i = 0; i < kSlices; ++i) crc ^= kTables[kSlices - 1 - i][word >> 8 * i & 0xff];
  }
  for (; size > 0; --size, ++at) crc = kTables[0][(crc ^ *at) & 0xff] ^ crc >> 8;
  return crc;
}

#if defined(__x86_64__)
constexpr std::size_t kLane = 16, kLanes = 4;  // bytes of a register; registers folded side by side

// The factor that moves 32 bits of a message `bits` bits ahead: x^bits modulo the polynomial, bits reflected.
constexpr std::uint64_t factor(int bits) {
  std::uint32_t power = 0x80000000;  // x^0
  for (int i = 0; i < bits; ++i) power = (power & 1) != 0 ? kPolynomial ^ power >> 1 : power >> 1;
  return std::uint64_t(power) << 1;
}

// `lane`, moved on by the bits that `factors` are for, and added to what is there.
__attribute__((target("pclmul"))) inline __m128i fold(__m128i lane, __m128i factors, __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(lane, factors, 0x00), high = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

// As by_tables, for at least 64 bytes, several times as fast. Method: V. Gopal et al., "Fast CRC Computation for
// Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009; the last register is left to the tables.
__attribute__((target("pclmul"))) std::uint32_t by_products(const unsigned char* at, std::size_t size,
                                                            std::uint32_t crc) {
  constexpr int kOne = 8 * kLane, kAll = kOne * kLanes;
  constexpr std::uint64_t kNear[2] = {factor(kOne + 32), factor(kOne - 32)};
  constexpr std::uint64_t kFar[2] = {factor(kAll + 32), factor(kAll - 32)};
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i near = load(kNear), far = load(kFar);
  __m128i lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = load(at + i * kLane);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  for (at += kLanes * kLane, size -= kLanes * kLane; size >= kLanes * kLane; at += kLanes * kLane) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = fold(lanes[i], far, load(at + i * kLane));
    size -= kLanes * kLane;
  }
  for (std::size_t i = 1; i < kLanes; ++i) lanes[i] = fold(lanes[i - 1], near, lanes[i]);
  unsigned char last[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), lanes[kLanes - 1]);
  return by_tables(at, size, by_tables(last, kLane, 0));
}

bool has_products() { return __builtin_cpu_supports("pclmul") != 0; }
#endif

}  // namespace

std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(data);
#if defined(__x86_64__)
  static const bool fast = has_products();
  if (fast && size >= kLanes * kLane) return ~by_products(at, size, ~before);
#endif
  return ~by_tables(at, size, ~before);
}

}  // namespace gaspipe
