// SPDX-License-Identifier: Apache-2.0
// Sums, minima and maxima over all ranks, which call these together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gaspipe/communicator.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace detail {

// The word of every rank.
inline std::vector<std::uint64_t> words_of_all(Communicator& communicator, std::uint64_t word) {
  const auto size = static_cast<std::size_t>(communicator.size());
  const std::vector<std::uint64_t> sent(size, word);
  std::vector<std::uint64_t> received(size);
  communicator.all_to_all(reinterpret_cast<const std::uint8_t*>(sent.data()),
                          reinterpret_cast<std::uint8_t*>(received.data()), 8);
  return received;
}
inline std::uint64_t sum_over_ranks(Communicator& communicator, std::uint64_t word) {
  std::uint64_t sum = 0;
  for (const std::uint64_t other : words_of_all(communicator, word)) sum += other;
  return sum;
}
inline std::uint64_t largest_of_ranks(Communicator& communicator, std::uint64_t word) {
  const std::vector<std::uint64_t> all = words_of_all(communicator, word);
  return *std::max_element(all.begin(), all.end());
}

// Every value becomes the sum of all ranks' values at its place: each rank adds up a share of them, then gives it to
// the others. Blocks bound what is under way. CapacityError where a sum does not fit.
template <class T>
void add_over_ranks(Communicator& communicator, T* values, std::uint64_t count, std::uint64_t most_bytes) {
  const auto size = static_cast<std::size_t>(communicator.size()), rank = static_cast<std::size_t>(communicator.rank());
  if (size == 1) return;
  const std::uint64_t block = std::max<std::uint64_t>(most_bytes / sizeof(T), size);
  for (std::uint64_t start = 0; start < count; start += block) {
    const std::uint64_t length = std::min(block, count - start);
    const auto first_of = [&](std::size_t r) { return start + length * r / size; };
    const auto bytes_of = [&](std::size_t r) { return (first_of(r + 1) - first_of(r)) * sizeof(T); };
    const auto box_of = [&](std::size_t r) {
      return Box{reinterpret_cast<const std::uint8_t*>(values + first_of(r)), bytes_of(r)};
    };
    std::vector<Box> sent(size);
    std::vector<std::uint64_t> expected(size, bytes_of(rank));
    for (std::size_t r = 0; r < size; ++r) sent[r] = box_of(r);
    sent[rank] = {};
    expected[rank] = 0;
    communicator.begin_boxes(sent, expected);
    {
      const std::vector<const std::uint8_t*>& received = communicator.end_boxes();
      for (std::size_t r = 0; r < size; ++r) {
        if (r == rank) continue;
        for (std::uint64_t i = first_of(rank); i < first_of(rank + 1); ++i) {
          T term;
          std::memcpy(&term, received[r] + (i - first_of(rank)) * sizeof(T), sizeof(T));
          const T sum = static_cast<T>(values[i] + term);
          if (sum < term) throw CapacityError(message("a count over all ranks exceeds ", 8 * sizeof(T), " bits"));
          values[i] = sum;
        }
      }
    }
    // All have added when these boxes arrive, so that the other shares may be written.
    for (std::size_t r = 0; r < size; ++r) {
      sent[r] = r == rank ? Box{} : box_of(rank);
      expected[r] = r == rank ? 0 : bytes_of(r);
    }
    communicator.begin_boxes(sent, expected);
    const std::vector<const std::uint8_t*>& received = communicator.end_boxes();
    for (std::size_t r = 0; r < size; ++r) {
      if (r != rank && bytes_of(r) > 0) std::memcpy(values + first_of(r), received[r], bytes_of(r));
    }
  }
}

}  // namespace detail
}  // namespace gaspipe
