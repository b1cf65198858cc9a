// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/block_rows.h"

#include <algorithm>
#include <cstring>

#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

template <class T>
Weights typed(const std::uint8_t* bytes, std::size_t count) {
  const Writable<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes, count * sizeof(T));
  return values.freeze();
}

Weights read_weights(const std::uint8_t* bytes, std::size_t count, WeightType type) {
  switch (type) {
    case WeightType::kInt32:
      return typed<std::int32_t>(bytes, count);
    case WeightType::kInt64:
      return typed<std::int64_t>(bytes, count);
    case WeightType::kFloat32:
      return typed<float>(bytes, count);
    case WeightType::kFloat64:
      return typed<double>(bytes, count);
    case WeightType::kNone:
      break;
  }
  return {};
}

// The same memory as an array of another type; it is aligned for all of them.
template <class T>
Array<T> viewed(const Writable<std::uint8_t>& bytes) {
  const Array<std::uint8_t> frozen = bytes.freeze();
  return Array<T>(frozen.owner(), reinterpret_cast<const T*>(frozen.data()), frozen.size() / sizeof(T));
}

}  // namespace

void check_block(const BlockEntry& entry, const std::uint8_t* bytes) {
  if (crc32(bytes, entry.bytes) != entry.checksum) throw GraphFormatError("its checksum is wrong");
}

BlockEdges read_block(const BlockEntry& entry, const std::uint8_t* bytes, WeightType type) {
  BlockEdges edges;
  edges.sources.reserve(entry.num_edges);
  edges.destinations.reserve(entry.num_edges);
  BlockReader reader;
  BlockPiece piece;
  reader.start(entry, bytes, weight_bytes(type));
  while (reader.next(&piece)) {
    for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
      edges.sources.insert(edges.sources.end(), piece.run_lengths[run], piece.run_sources[run]);
    }
    for (std::uint32_t e = 0; e < piece.num_edges; ++e) {
      edges.destinations.push_back(entry.partition * kBlockCapacity + piece.destinations[e]);
    }
  }
  edges.weights = read_weights(bytes, entry.num_edges, type);
  return edges;
}

BlockRows::BlockRows(Offsets offsets, WeightType type)
    : offsets_(std::move(offsets)),
      type_(type),
      next_(offsets_.size() - 1),
      targets_(offsets_[offsets_.size() - 1]),
      weights_(offsets_[offsets_.size() - 1] * weight_bytes(type)) {
  for (std::size_t row = 0; row < next_.size(); ++row) next_[row] = offsets_[row];
}

void BlockRows::add(const BlockEntry& entry, const std::uint8_t* bytes) {
  const std::uint32_t width = weight_bytes(type_);
  const VertexId first = entry.partition * kBlockCapacity;
  BlockPiece piece;
  reader_.start(entry, bytes, width);
  while (reader_.next(&piece)) {
    std::uint32_t e = 0;
    for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
      const VertexId source = piece.run_sources[run];
      const std::uint32_t length = piece.run_lengths[run];
      const std::uint64_t place = next_[source];
      if (length > offsets_[std::size_t(source) + 1] - place) {
        throw GraphFormatError(message("vertex ", source, " has more edges than the offsets say"));
      }
      std::uint64_t before = place == offsets_[source] ? 0 : targets_[place - 1];
      for (std::uint32_t i = 0; i < length; ++i) {
        const VertexId destination = first + piece.destinations[e + i];
        if (destination < before) throw GraphFormatError("its destinations do not ascend");
        targets_[place + i] = destination;
        before = destination;
      }
      if (width > 0) {
        std::memcpy(weights_.data() + place * width, piece.weights + std::size_t(e) * width,
                    std::size_t(length) * width);
      }
      next_[source] += length;
      e += length;
    }
  }
  num_edges_ += entry.num_edges;
}

Array<VertexId> BlockRows::targets() const {
  if (num_edges_ != targets_.size()) {
    throw GraphFormatError(message("blocks of ", num_edges_, " edges; the offsets say ", targets_.size()));
  }
  return targets_.freeze();
}

Weights BlockRows::weights() const {
  switch (type_) {
    case WeightType::kInt32:
      return viewed<std::int32_t>(weights_);
    case WeightType::kInt64:
      return viewed<std::int64_t>(weights_);
    case WeightType::kFloat32:
      return viewed<float>(weights_);
    case WeightType::kFloat64:
      return viewed<double>(weights_);
    case WeightType::kNone:
      break;
  }
  return {};
}

}  // namespace gaspipe
