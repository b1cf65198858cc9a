// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/line_order.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "cpp/src/permute.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace {

static_assert(PipelineConfig<kPackedPipeline>::kPes == LineOrder::kVertices, "a line has a vertex for every PE");
constexpr std::uint64_t kGrain = 1 << 16;

std::vector<std::uint32_t> in_degrees(const abi::Partition& partition, std::uint32_t destination_bytes) {
  std::vector<std::uint32_t> degrees(partition.last - partition.first);
  const auto count = [&](const auto* destinations) {
    for (EdgeCount i = 0; i < partition.num_edges; ++i) ++degrees[destinations[i]];
  };
  destination_bytes == 2 ? count(static_cast<const std::uint16_t*>(partition.destinations))
                         : count(static_cast<const std::uint32_t*>(partition.destinations));
  return degrees;
}

// Line by line, the vertex with most edges goes to the PE that has fewest yet.
void balance(const abi::Partition& partition, std::uint32_t destination_bytes, std::uint8_t* places) {
  const std::vector<std::uint32_t> degrees = in_degrees(partition, destination_bytes);
  std::array<std::uint64_t, LineOrder::kVertices> num_edges{};
  std::array<std::uint8_t, LineOrder::kVertices> vertices, pes;
  for (std::size_t first = 0; first < degrees.size(); first += LineOrder::kVertices) {
    const auto num =
        std::min<std::ptrdiff_t>(LineOrder::kVertices, static_cast<std::ptrdiff_t>(degrees.size() - first));
    std::iota(vertices.begin(), vertices.begin() + num, std::uint8_t(0));
    std::iota(pes.begin(), pes.begin() + num, std::uint8_t(0));
    std::stable_sort(vertices.begin(), vertices.begin() + num,
                     [&](std::uint8_t a, std::uint8_t b) { return degrees[first + a] > degrees[first + b]; });
    std::stable_sort(pes.begin(), pes.begin() + num,
                     [&](std::uint8_t a, std::uint8_t b) { return num_edges[a] < num_edges[b]; });
    for (std::size_t i = 0; i < static_cast<std::size_t>(num); ++i) {
      places[partition.first + first + vertices[i]] = pes[i];
      num_edges[pes[i]] += degrees[first + vertices[i]];
    }
  }
}

}  // namespace

LineOrder::LineOrder(const Partitioning& partitioning, Workers& workers) {
  const Writable<std::uint8_t> places(partitioning.csr().num_rows);
  workers.each(places.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) places[v] = static_cast<std::uint8_t>(v % kVertices);
  });
  workers.each(partitioning.size(), 1, [&](std::uint64_t p, std::uint64_t, int) {
    const abi::Partitioning& table = partitioning.table();
    balance(table.partitions[p], static_cast<std::uint32_t>(table.destination_bytes), places.data());
  });
  workers.check();
  places_ = places.freeze();
}

template <class Place>
void LineOrder::move(const void* from, void* to, std::int32_t value_bytes, std::uint64_t num_bytes, Workers& workers,
                     const Place& place_of) const {
  const auto size = static_cast<std::uint64_t>(value_bytes);
  const std::uint64_t num_ordered = places_.size() * size;
  if (num_bytes > num_ordered) {
    std::memcpy(static_cast<char*>(to) + num_ordered, static_cast<const char*>(from) + num_ordered,
                num_bytes - num_ordered);
  }
  permute(from, to, size, places_.size(), workers, place_of);
}

void LineOrder::order(const void* values, void* ordered, std::int32_t value_bytes, std::uint64_t num_bytes,
                      Workers& workers) const {
  move(values, ordered, value_bytes, num_bytes, workers,
       [&](std::uint64_t v) { return std::pair<std::uint64_t, std::uint64_t>(v, place(static_cast<VertexId>(v))); });
}

void LineOrder::restore(const void* ordered, void* values, std::int32_t value_bytes, std::uint64_t num_bytes,
                        Workers& workers) const {
  move(ordered, values, value_bytes, num_bytes, workers,
       [&](std::uint64_t v) { return std::pair<std::uint64_t, std::uint64_t>(place(static_cast<VertexId>(v)), v); });
}

}  // namespace gaspipe
