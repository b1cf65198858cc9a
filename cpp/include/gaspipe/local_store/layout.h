// SPDX-License-Identifier: Apache-2.0
// How a worker's local store is divided: buffers of fixed size, and a bitmap of its vertices, which alone grows with
// the graph:
//
//   2 bQ + 2 bG + 2 bQnext + P Qout + (P - 1) Qin + the DMA list + |Vi| / 8  <=  local_store_bytes
//
// A worker uses its own Qout in place of a Qin. Code and stack are apart. Qout may be smaller than bG: dispatch then
// takes several rounds.
#pragma once

#include <cstdint>

#include "gaspipe/local_store/owners.h"
#include "gaspipe/local_store/split_lists.h"

namespace gaspipe {
namespace local_store {

constexpr std::uint64_t kLine = 64;           // bytes: what every buffer is a multiple of
constexpr std::uint64_t kControlBytes = 128;  // of a Qin: the sentinel and the receipt, a line each

// What a DMA list may be: the Cell's limits.
struct TransferLimits {
  std::uint32_t most_entries = 2048;
  std::uint32_t most_entry_bytes = 16 * 1024;
};

// Bytes of each part.
struct Layout {
  std::uint64_t bitmap = 0;
  std::uint64_t queue = 0;      // a half of bQ
  std::uint64_t lists = 0;      // a half of bG
  std::uint64_t next = 0;       // a half of bQnext
  std::uint64_t message = 0;    // a Qout, and the codes of a Qin
  std::uint64_t transfers = 0;  // the DMA list
  int num_workers = 1;

  std::uint64_t total() const {
    const std::uint64_t others = static_cast<std::uint64_t>(num_workers) - 1;
    return bitmap + 2 * (queue + lists + next) + num_workers * message + others * (message + kControlBytes) + transfers;
  }
};

// The smallest store that works.
Layout least_layout(const Owners& owners);
// The whole store, as far as buffers gain from it. CapacityError says the least that works. InputError for limits that
// no list can have.
Layout divide_store(const Owners& owners, std::uint64_t local_store_bytes, const TransferLimits& limits = {});

}  // namespace local_store
}  // namespace gaspipe
