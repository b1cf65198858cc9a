// SPDX-License-Identifier: Apache-2.0
// Edges in the order of files (gaspipe/edge_blocks.h): by partition of the destination, source and destination, which
// one word of 64 bits holds, and parallel ones by weight. Weights are words too, whose order as unsigned numbers is
// that of the weights: integers with the highest bit turned; doubles as in IEEE 754's total order (5.10), but NaN last.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gaspipe/csr.h"
#include "gaspipe/edge_blocks.h"

namespace gaspipe {

// The number of a type in `Weights`.
enum class WeightType : std::uint8_t { kNone, kInt32, kInt64, kFloat32, kFloat64 };

inline bool is_real(WeightType type) { return type >= WeightType::kFloat32; }
inline std::uint32_t weight_bytes(WeightType type) {
  if (type == WeightType::kNone) return 0;
  return type == WeightType::kInt32 || type == WeightType::kFloat32 ? 4 : 8;
}
// The narrowest type that holds the weights of both; neither is kNone.
inline WeightType common_type(WeightType a, WeightType b) {
  if (a == b) return a;
  return is_real(a) || is_real(b) ? WeightType::kFloat64 : WeightType::kInt64;
}

namespace sorted_edges {

static_assert(kBlockCapacity == 1 << 16, "a key has 16 bits for the partition and for the place in it");
constexpr std::uint64_t kNoKey = ~std::uint64_t(0);  // after all keys: its destination is no vertex
constexpr std::uint64_t kSign = std::uint64_t(1) << 63;

inline std::uint64_t key_of(VertexId source, VertexId destination) {
  return std::uint64_t(destination >> 16) << 48 | std::uint64_t(source) << 16 | (destination & 0xffff);
}
inline VertexId source_of(std::uint64_t key) { return static_cast<VertexId>(key >> 16); }
inline VertexId destination_of(std::uint64_t key) {
  return static_cast<VertexId>(key >> 48) << 16 | static_cast<VertexId>(key & 0xffff);
}

// By source, then destination.
inline std::uint64_t row_key_of(VertexId source, VertexId destination) {
  return std::uint64_t(source) << 32 | destination;
}

inline std::uint64_t word_of(std::int64_t weight) { return static_cast<std::uint64_t>(weight) ^ kSign; }
inline std::uint64_t word_of(std::int32_t weight) { return word_of(std::int64_t(weight)); }
inline std::uint64_t word_of(double weight) {
  std::uint64_t bits;
  std::memcpy(&bits, &weight, sizeof(bits));
  return std::isnan(weight) || (bits & kSign) == 0 ? bits | kSign : ~bits;
}
inline std::uint64_t word_of(float weight) { return word_of(double(weight)); }

inline std::int64_t integer_of(std::uint64_t word) { return static_cast<std::int64_t>(word ^ kSign); }
inline double real_of(std::uint64_t word) {
  const std::uint64_t bits = (word & kSign) != 0 ? word & ~kSign : ~word;
  double weight;
  std::memcpy(&weight, &bits, sizeof(weight));
  return weight;
}

}  // namespace sorted_edges
}  // namespace gaspipe
