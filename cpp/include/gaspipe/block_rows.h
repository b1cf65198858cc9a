// SPDX-License-Identifier: Apache-2.0
// Blocks of edges as rows of a graph in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/edge_blocks.h"
#include "gaspipe/sorted_edges.h"

namespace gaspipe {

// Throws GraphFormatError where the bytes are not those of the entry's checksum.
void check_block(const BlockEntry& entry, const std::uint8_t* bytes);

// The edges of a block, one by one. `bytes` can be read as BlockReader wants it.
struct BlockEdges {
  std::vector<VertexId> sources, destinations;
  Weights weights;
};
BlockEdges read_block(const BlockEntry& entry, const std::uint8_t* bytes, WeightType type);

// Fills rows with the forward edges of a file, block by block in their order, so that a row's destinations ascend.
class BlockRows {
 public:
  // `offsets` of all rows, ascending from 0.
  BlockRows(Offsets offsets, WeightType type);

  // GraphFormatError where a source has other edges than its offsets say, or destinations do not ascend.
  void add(const BlockEntry& entry, const std::uint8_t* bytes);
  // Once all blocks have come.
  Array<VertexId> targets() const;
  Weights weights() const;

 private:
  const Offsets offsets_;
  const WeightType type_;
  std::vector<std::uint64_t> next_;  // edge of each row
  Writable<VertexId> targets_;
  Writable<std::uint8_t> weights_;
  std::uint64_t num_edges_ = 0;
  BlockReader reader_;
};

}  // namespace gaspipe
