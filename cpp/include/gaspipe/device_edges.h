// SPDX-License-Identifier: Apache-2.0
// The edges of a partitioning as they lie in a device's memory (hls/edge_codec.h): one share per partition and compute
// unit, in 64-byte words.
#pragma once

#include <memory>
#include <vector>

#include "gaspipe/partition.h"
#include "hls/word.h"

namespace gaspipe {

class DeviceEdges {
 public:
  struct Share {
    std::uint32_t num_words = 0;  // of ids, 16 each
    Array<Word<VertexId>> sources, destinations;
    Array<Word<std::uint64_t>> weights;  // as many as ids, of the partitioning's type; none without weights
  };

  // Weights are of `edge_type`, kNone for none. CapacityError where a share has more words than a kernel counts.
  static std::shared_ptr<const DeviceEdges> make(std::shared_ptr<const Partitioning> partitioning,
                                                 abi::Scalar edge_type, Workers& workers);

  const Partitioning& partitioning() const { return *partitioning_; }
  const Share& share(std::size_t partition, std::size_t unit) const { return shares_[partition * num_units_ + unit]; }

 private:
  std::shared_ptr<const Partitioning> partitioning_;
  std::size_t num_units_ = 1;
  std::vector<Share> shares_;
};

}  // namespace gaspipe
