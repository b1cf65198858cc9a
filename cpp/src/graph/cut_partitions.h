// SPDX-License-Identifier: Apache-2.0
// Partitions cut into sub-partitions, as a partitioner says (cpp/src/partition).
#pragma once

#include <vector>

#include "gaspipe/partition.h"

namespace gaspipe {
namespace detail {

// The arrays that partitions point into. A weight has 0, 4 or 8 bytes.
struct PartitionArrays {
  Array<std::uint32_t> run_sources, run_lengths;
  Array<std::uint8_t> destinations, weights;
  std::size_t destination_bytes, weight_bytes;
};

template <class T>
T* allocate_bytes(Array<std::uint8_t>* array, std::uint64_t count) {
  // Allocated as 8-byte words, so that any element type is aligned.
  const Writable<std::uint64_t> words((count * sizeof(T) + 7) / 8);
  const auto frozen = words.freeze();
  *array = Array<std::uint8_t>(frozen.owner(), reinterpret_cast<const std::uint8_t*>(words.data()), count * sizeof(T));
  return reinterpret_cast<T*>(words.data());
}

// `num_units` sub-partitions of every partition. Where a unit's pieces do not follow each other, edges are laid out
// anew, a unit's together: `arrays` and what `partitions` point to change.
std::vector<abi::SubPartition> cut_partitions(std::vector<abi::Partition>& partitions, PartitionArrays& arrays, Cut cut,
                                              std::uint32_t num_units, Workers& workers);

}  // namespace detail
}  // namespace gaspipe
