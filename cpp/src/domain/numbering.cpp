// SPDX-License-Identifier: Apache-2.0
// A stable counting sort of the vertices by owner. Chunks of ids count their vertices of each owner; prefix sums give
// each chunk its places.
#include "cpp/src/domain/numbering.h"

#include <algorithm>
#include <utility>

namespace gaspipe {
namespace detail {
namespace {

constexpr std::uint64_t kVertexGrain = 1 << 16;

Array<std::uint16_t> owners_of_ranges(const Ownership& ownership, Workers& workers) {
  const Writable<std::uint16_t> owners(ownership.first.back());
  workers.each(owners.size(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    int owner = ownership.owner(static_cast<VertexId>(first));
    for (std::uint64_t v = first; v < last; ++v) {
      while (v >= ownership.first[std::size_t(owner) + 1]) ++owner;
      owners[v] = static_cast<std::uint16_t>(owner);
    }
  });
  return owners.freeze();
}

}  // namespace

Numbering Numbering::make(const Ownership& ownership, VertexId num_vertices, Workers& workers) {
  Numbering made;
  made.size = ownership.size;
  if (ownership.is_contiguous()) {
    made.owners = owners_of_ranges(ownership, workers);
    made.first.assign(ownership.first.begin(), ownership.first.end());
    return made;
  }
  made.owners = ownership.owners;
  const std::uint64_t n = num_vertices, num_ranks = static_cast<std::uint64_t>(ownership.size);
  const std::uint64_t num_chunks = std::clamp<std::uint64_t>(n / (kVertexGrain + 8 * num_ranks), 1, 64);
  const auto chunk_first = [&](std::uint64_t chunk) {
    return n / num_chunks * chunk + std::min(chunk, n % num_chunks);
  };
  std::vector<std::uint64_t> place(num_chunks * num_ranks);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    std::uint64_t* const count = place.data() + chunk * num_ranks;
    for (std::uint64_t v = chunk_first(chunk); v < chunk_first(chunk + 1); ++v) ++count[made.owners[v]];
  });
  made.first.resize(num_ranks + 1);
  std::uint64_t sum = 0;
  for (std::uint64_t rank = 0; rank < num_ranks; ++rank) {
    made.first[rank] = sum;
    for (std::uint64_t chunk = 0; chunk < num_chunks; ++chunk) {
      sum += std::exchange(place[chunk * num_ranks + rank], sum);
    }
  }
  made.first[num_ranks] = sum;
  const Writable<VertexId> order(n), numbers(n);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    std::uint64_t* const next = place.data() + chunk * num_ranks;
    for (std::uint64_t v = chunk_first(chunk); v < chunk_first(chunk + 1); ++v) {
      const std::uint16_t owner = made.owners[v];
      const std::uint64_t to = next[owner]++;
      order[to] = static_cast<VertexId>(v);
      numbers[v] = static_cast<VertexId>(to - made.first[owner]);
    }
  });
  made.order = order.freeze();
  made.numbers = numbers.freeze();
  return made;
}

}  // namespace detail
}  // namespace gaspipe
