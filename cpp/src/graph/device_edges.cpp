// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/device_edges.h"

#include <cstring>
#include <limits>

#include "gaspipe/error.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace {

template <class T>
Array<T> copy_words(const void* data, std::uint64_t num_bytes, std::uint64_t num_words) {
  const Writable<T> words(num_words);
  auto* bytes = reinterpret_cast<char*>(words.data());
  if (num_bytes > 0) std::memcpy(bytes, data, num_bytes);
  std::memset(bytes + num_bytes, 0, num_words * sizeof(T) - num_bytes);
  return words.freeze();
}

}  // namespace

std::shared_ptr<const DeviceEdges> DeviceEdges::make(std::shared_ptr<const Partitioning> partitioning,
                                                     abi::Scalar edge_type, Workers& workers) {
  auto made = std::make_shared<DeviceEdges>();
  made->num_units_ = partitioning->config().compute_units;
  made->shares_.resize(partitioning->size() * made->num_units_);
  const std::uint64_t weight_bytes =
      edge_type == abi::kNone                                                               ? 0
      : edge_type == abi::kInt32 || edge_type == abi::kUint32 || edge_type == abi::kFloat32 ? 4
                                                                                            : 8;
  workers.each(made->shares_.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const std::size_t p = i / made->num_units_, unit = i % made->num_units_;
    const SubPartition part =
        partitioning->get_partition(static_cast<std::int64_t>(p)).get_sub_partition(static_cast<std::int64_t>(unit));
    const std::uint64_t padded = part.num_padded_edges();
    const std::uint64_t num_words = padded / PlainEdgeCodec::kEdgesPerWord;
    if (num_words > std::numeric_limits<std::uint32_t>::max() / 2) {
      throw CapacityError(message("sub-partition ", unit, " of partition ", p, " has ", part.num_edges(),
                                  " edges; a kernel counts to 2^35; use more compute units or a smaller capacity"));
    }
    const SubPartition::Encoded encoded = part.encode();
    Share& share = made->shares_[i];
    share.num_words = static_cast<std::uint32_t>(num_words);
    share.sources = copy_words<Word<VertexId>>(encoded.sources.data(), 4 * padded, num_words);
    share.destinations = copy_words<Word<VertexId>>(encoded.destinations.data(), 4 * padded, num_words);
    if (weight_bytes != 0) {
      const abi::Partition& stored = partitioning->table().partitions[p];
      const char* weights = static_cast<const char*>(stored.weights) + part.first_edge() * weight_bytes;
      share.weights =
          copy_words<Word<std::uint64_t>>(weights, part.num_edges() * weight_bytes, (padded * weight_bytes + 63) / 64);
    }
  });
  made->partitioning_ = std::move(partitioning);
  return made;
}

}  // namespace gaspipe
