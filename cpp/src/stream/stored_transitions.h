// SPDX-License-Identifier: Apache-2.0
// Probabilities at which a random surfer follows edges that stay in their file: the numbers that
// cpp/src/graph/transitions.h finds for the same rows in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/stored_edges.h"

namespace gaspipe {

struct RowSums {
  static constexpr int kBytes = 32;  // by vertex, while they are found

  // By source, of its weights. Where it leaves the doubles: less than 0, of weights times kScaleOfLargeSums.
  std::vector<double> sums;
  Array<std::uint64_t> offsets;  // of rows without the edges of weight 0
};

constexpr double kScaleOfLargeSums = 1.0 / 18446744073709551616.0;
inline double scale_of(double sum) { return sum < 0 ? kScaleOfLargeSums : 1; }

// Reads the forward edges once, or twice where a sum leaves the doubles. InputError names an edge whose weight is
// negative or not finite. Throws Cancelled when `stopped` says so.
RowSums find_row_sums(const StoredEdges& edges, const StoredView& forward, const std::function<bool()>& stopped);

// What write_fixed_transitions takes by vertex, and besides.
constexpr int kFixedTransitionBytes = 32;
constexpr std::uint64_t kFixedTransitionMemory = std::uint64_t(4) << 20;
constexpr std::uint32_t kMostFixedBlockBytes = 1 << 20;  // of the blocks that it writes

// The forward edges whose weight is not 0, each with its probability as an int64 fraction of 2^31, in a file of their
// own: an edge's probability depends on the edges before it in its row, and a row has edges in many partitions. The
// file has no name and lies in the folder of `edges`.
std::shared_ptr<const StoredEdges> write_fixed_transitions(const StoredEdges& edges, const StoredView& forward,
                                                           const RowSums& rows, const std::function<bool()>& stopped);

}  // namespace gaspipe
