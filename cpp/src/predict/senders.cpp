// SPDX-License-Identifier: Apache-2.0
#include "senders.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gaspipe {

namespace {

// Sets the bits of vertices [first, last); `first` begins a word.
void set_senders(const abi::Instance& instance, const void* properties, std::uint64_t first, std::uint64_t last,
                 std::vector<std::uint64_t>& bits) {
  // An edge of every vertex, to vertex 0: that stays where the update is sent.
  std::vector<std::uint32_t> sources(last - first), destinations(last - first, 0);
  std::iota(sources.begin(), sources.end(), static_cast<std::uint32_t>(first));
  const abi::PlainEdges edges = {sources.data(), destinations.data(), nullptr, properties, sources.size()};
  instance.kernels.sent(&edges, destinations.data());
  for (std::uint64_t v = first; v < last; ++v) {
    bits[v / 64] |= std::uint64_t(destinations[v - first] == 0) << v % 64;
  }
}

}  // namespace

std::vector<std::uint64_t> find_senders(const abi::Instance& instance, bool is_weighted, const void* properties,
                                        std::uint64_t num_vertices, Workers& workers) {
  constexpr std::uint64_t kAtOnce = 1 << 8;  // words of 64 vertices
  const abi::Kernels& kernels = instance.kernels;
  if (is_weighted ? kernels.sources == nullptr : kernels.sent == nullptr) return {};
  const auto bytes = static_cast<std::size_t>(instance.property_bytes);
  std::vector<std::uint64_t> bits((num_vertices + 63) / 64);
  workers.each(bits.size(), kAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    const std::uint64_t from = first * 64, end = std::min(last * 64, num_vertices);
    if (is_weighted) {
      kernels.sources(static_cast<const char*>(properties) + from * bytes, end - from, bits.data() + first);
    } else {
      set_senders(instance, properties, from, end, bits);
    }
  });
  return bits;
}

std::vector<std::uint64_t> find_senders(const abi::Instance& instance, const void* properties,
                                        std::uint64_t num_vertices) {
  std::vector<std::uint64_t> bits((num_vertices + 63) / 64);
  set_senders(instance, properties, 0, num_vertices, bits);
  return bits;
}

std::vector<std::uint64_t> NewSenders::next(const void* properties) {
  const auto bytes = static_cast<std::size_t>(instance_.property_bytes);
  const auto* const now = static_cast<const std::uint8_t*>(properties);
  std::vector<std::uint64_t> bits = find_senders(instance_, is_weighted_, properties, num_vertices_, workers_);
  if (bits.empty()) bits.assign((num_vertices_ + 63) / 64, ~std::uint64_t(0));
  if (instance_.idempotent == 0) return bits;
  for (std::uint64_t v = 0; v < num_vertices_ && !before_.empty(); ++v) {
    if (std::memcmp(now + v * bytes, before_.data() + v * bytes, bytes) == 0) {
      bits[v / 64] &= ~(std::uint64_t(1) << v % 64);
    }
  }
  before_.assign(now, now + num_vertices_ * bytes);
  return bits;
}

}  // namespace gaspipe
