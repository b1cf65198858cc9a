// SPDX-License-Identifier: Apache-2.0
// Records sorted by their 64-bit keys, by eight bits at a time from the lowest on, on all workers; bits that are the
// same in all keys are left out. Method: A. Sohn, Y. Kodama, "Load Balanced Parallel Radix Sort", ICS 1998.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gaspipe/workers.h"

namespace gaspipe {
namespace detail {

// Sorts `count` records at `records`, with as many at `scratch`; returns which of both they are at in the end. Records
// of equal keys keep their order.
template <class Record>
Record* radix_sort(Record* records, Record* scratch, std::size_t count, Workers& workers) {
  constexpr int kDigitBits = 8;
  constexpr std::size_t kDigits = std::size_t(1) << kDigitBits;
  constexpr std::size_t kLeastChunk = std::size_t(1) << 14;
  if (count < 2) return records;
  const std::size_t num_chunks =
      std::clamp<std::size_t>(count / kLeastChunk, 1, static_cast<std::size_t>(workers.size()));
  const auto first_of = [&](std::size_t chunk) { return count * chunk / num_chunks; };
  struct alignas(64) Chunk {
    std::uint64_t varying = 0;
    std::array<std::size_t, kDigits> places;
  };
  std::vector<Chunk> chunks(num_chunks);
  const auto each_chunk = [&](const auto& body) {
    workers.each(num_chunks, 1, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t chunk = first; chunk < last; ++chunk) {
        body(chunks[chunk], first_of(chunk), first_of(chunk + 1));
      }
    });
  };
  each_chunk([&](Chunk& chunk, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) chunk.varying |= records[i].key ^ records[0].key;
  });
  std::uint64_t varying = 0;
  for (const Chunk& chunk : chunks) varying |= chunk.varying;
  for (int shift = 0; shift < 64 && varying >> shift != 0;) {
    if ((varying >> shift & 1) == 0) {
      ++shift;
      continue;
    }
    const auto digit = [shift](const Record& record) { return std::size_t(record.key >> shift) & (kDigits - 1); };
    each_chunk([&](Chunk& chunk, std::size_t first, std::size_t last) {
      chunk.places.fill(0);
      for (std::size_t i = first; i < last; ++i) ++chunk.places[digit(records[i])];
    });
    std::size_t place = 0;
    for (std::size_t d = 0; d < kDigits; ++d) {
      for (Chunk& chunk : chunks) place += std::exchange(chunk.places[d], place);
    }
    each_chunk([&](Chunk& chunk, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) scratch[chunk.places[digit(records[i])]++] = records[i];
    });
    std::swap(records, scratch);
    shift += kDigitBits;
  }
  return records;
}

}  // namespace detail
}  // namespace gaspipe
