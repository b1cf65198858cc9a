// SPDX-License-Identifier: Apache-2.0
// The edges of a partitioning as they lie in a device's memory (hls/edge_codec.h), sub-partition by sub-partition, in
// 64-byte words.
#pragma once

#include <memory>
#include <vector>

#include "gaspipe/line_order.h"
#include "gaspipe/partition.h"
#include "hls/edge_codec.h"
#include "hls/word.h"

namespace gaspipe {

class DeviceEdges {
 public:
  struct SubPartition {
    std::uint32_t num_words = 0;                       // of ids, or packed edges, 16 each
    Array<Word<VertexId>> sources, destinations;       // EdgeLayout::kPlain
    Array<Word<std::uint32_t>> edges, sub_partitions;  // kPacked: the edges, and their descriptor
    Array<Word<std::uint64_t>> weights;  // as many as ids, of the partitioning's type; none without weights

    // By the name of the kernels' port. Error where a sub-partition has no such array.
    abi::Buffer array(const char* name) const;
    std::uint64_t num_bytes() const;
  };

  // Weights are of `edge_type`, kNone for none. `is_balanced`: vertices have a LineOrder, and ids are places.
  // CapacityError where a sub-partition has more words than a kernel counts.
  static std::shared_ptr<const DeviceEdges> make(std::shared_ptr<const Partitioning> partitioning,
                                                 abi::Scalar edge_type, EdgeLayout layout, bool is_balanced,
                                                 Workers& workers);

  const Partitioning& partitioning() const { return *partitioning_; }
  EdgeLayout layout() const { return layout_; }
  const LineOrder& lines() const { return lines_; }
  const SubPartition& sub_partition(std::size_t partition, std::size_t unit) const {
    return sub_partitions_[partition * num_units_ + unit];
  }

 private:
  std::shared_ptr<const Partitioning> partitioning_;
  std::size_t num_units_ = 1;
  EdgeLayout layout_ = EdgeLayout::kPlain;
  LineOrder lines_;
  std::vector<SubPartition> sub_partitions_;
};

}  // namespace gaspipe
