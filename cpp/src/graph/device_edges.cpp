// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/device_edges.h"

#include <array>
#include <cstring>
#include <limits>

#include "gaspipe/error.h"
#include "hls/module/sub_partition.h"

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

std::uint64_t edge_value_bytes(abi::Scalar type) {
  if (type == abi::kNone) return 0;
  return type == abi::kInt32 || type == abi::kUint32 || type == abi::kFloat32 ? 4 : 8;
}

// Edges of a sub-partition before they are laid out, padding behind them.
struct Edges {
  SubPartition part;
  SubPartition::Encoded encoded;
  VertexId first, last;  // destinations
  const char* weights;   // of the first edge
  std::uint64_t weight_bytes;
};

// The edges by the places of their vertices, sorted by that of the source, else in their order. `weights` takes theirs.
void place_in_lines(const LineOrder& lines, Edges& edges, Writable<char>& weights) {
  const Array<VertexId> from = edges.encoded.sources, to = edges.encoded.destinations;
  const EdgeCount num_edges = edges.part.num_edges();
  const Writable<VertexId> sources(from.size()), destinations(to.size());
  weights = Writable<char>(num_edges * edges.weight_bytes);
  for (EdgeCount first = 0, last = 0; first < num_edges; first = last) {
    // The edges from a line, sorted by counting.
    std::array<EdgeCount, LineOrder::kVertices + 1> next{};  // of every place: where its next edge goes
    const VertexId line = from[first] / LineOrder::kVertices;
    for (; last < num_edges && from[last] / LineOrder::kVertices == line; ++last) {
      ++next[lines.place(from[last]) % LineOrder::kVertices + 1];
    }
    next[0] = first;
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (EdgeCount edge = first; edge < last; ++edge) {
      const VertexId source = lines.place(from[edge]);
      const EdgeCount at = next[source % LineOrder::kVertices]++;
      sources[at] = source;
      destinations[at] = lines.place(to[edge]);
      if (edges.weight_bytes == 0) continue;
      std::memcpy(weights.data() + at * edges.weight_bytes, edges.weights + edge * edges.weight_bytes,
                  edges.weight_bytes);
    }
  }
  // Padding repeats the last source.
  for (EdgeCount i = num_edges; i < sources.size(); ++i) {
    sources[i] = num_edges == 0 ? from[i] : sources[num_edges - 1];
    destinations[i] = to[i];
  }
  edges.encoded = {sources.freeze(), destinations.freeze()};
  edges.weights = weights.data();
}

std::uint32_t checked_words(const Edges& edges, std::uint64_t places, int per_word) {
  const std::uint64_t num_words = places / static_cast<unsigned>(per_word);
  if (num_words > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw CapacityError(message("sub-partition ", edges.part.index(), " of partition ", edges.part.partition(), " has ",
                                edges.part.num_edges(),
                                " edges; a kernel counts to 2^35; use more compute units or a smaller capacity"));
  }
  return static_cast<std::uint32_t>(num_words);
}

void lay_out_plain(const Edges& edges, DeviceEdges::SubPartition& stored) {
  const std::uint64_t places = edges.part.num_padded_edges();
  stored.num_words = checked_words(edges, places, PlainEdgeCodec::kEdgesPerWord);
  stored.sources = copy_words<Word<VertexId>>(edges.encoded.sources.data(), 4 * places, stored.num_words);
  stored.destinations = copy_words<Word<VertexId>>(edges.encoded.destinations.data(), 4 * places, stored.num_words);
  if (edges.weight_bytes != 0) {
    stored.weights = copy_words<Word<std::uint64_t>>(edges.weights, edges.part.num_edges() * edges.weight_bytes,
                                                     (places * edges.weight_bytes + 63) / 64);
  }
}

// A launch of its own: all words are counted from the start of each array.
void lay_out_packed(const Edges& edges, DeviceEdges::SubPartition& stored) {
  const EdgeCount num_edges = edges.part.num_edges();
  const VertexId base = num_edges == 0 ? 0 : edges.encoded.sources[0];
  const auto source = [&](EdgeCount i) { return edges.encoded.sources[i]; };
  const EdgeCount places = PackedEdgeCodec::padded(num_edges, base, source);
  stored.num_words = checked_words(edges, places, PackedEdgeCodec::kEdgesPerWord);
  const Writable<Word<std::uint32_t>> words(stored.num_words);
  const Writable<Word<std::uint64_t>> weights((places * edges.weight_bytes + 63) / 64);
  std::uint32_t* const word_at = words.data()->lane;
  char* const weight_at = reinterpret_cast<char*>(weights.data());
  std::memset(weight_at, 0, weights.size() * sizeof weights.data()[0]);
  PackedEdgeCodec::encode(
      num_edges, base, source, [&](EdgeCount i) { return edges.encoded.destinations[i] - edges.first; },
      [&](EdgeCount place, std::uint32_t word, EdgeCount edge) {
        word_at[place] = word;
        if (edges.weight_bytes == 0 || edge == PackedEdgeCodec::kNoEdge) return;
        std::memcpy(weight_at + place * edges.weight_bytes, edges.weights + edge * edges.weight_bytes,
                    edges.weight_bytes);
      });
  Word<std::uint32_t> descriptor{};
  descriptor.lane[SubPartitionLane::kNumEdgeWords] = stored.num_words;
  descriptor.lane[SubPartitionLane::kFirstVertex] = edges.first;
  descriptor.lane[SubPartitionLane::kLastVertex] = edges.last;
  descriptor.lane[SubPartitionLane::kBaseSource] = base;
  stored.edges = words.freeze();
  stored.sub_partitions = copy_words<Word<std::uint32_t>>(&descriptor, sizeof descriptor, 1);
  if (edges.weight_bytes != 0) stored.weights = weights.freeze();
}

}  // namespace

abi::Buffer DeviceEdges::SubPartition::array(const char* name) const {
  const auto buffer = [](const auto& words) {
    return abi::Buffer{const_cast<void*>(static_cast<const void*>(words.data())), words.size() * 64};
  };
  const std::string wanted = name;
  if (wanted == "sources") return buffer(sources);
  if (wanted == "destinations") return buffer(destinations);
  if (wanted == "weights") return buffer(weights);
  if (wanted == "edges") return buffer(edges);
  if (wanted == "sub_partitions") return buffer(sub_partitions);
  throw Error(message("a sub-partition has no array \"", name, "\", which a kernel's table of ports names"));
}

std::uint64_t DeviceEdges::SubPartition::num_bytes() const {
  return 64 * (sources.size() + destinations.size() + edges.size() + sub_partitions.size() + weights.size());
}

std::shared_ptr<const DeviceEdges> DeviceEdges::make(std::shared_ptr<const Partitioning> partitioning,
                                                     abi::Scalar edge_type, EdgeLayout layout, bool is_balanced,
                                                     Workers& workers) {
  auto made = std::make_shared<DeviceEdges>();
  made->num_units_ = partitioning->config().compute_units;
  made->layout_ = layout;
  if (is_balanced) made->lines_ = LineOrder(*partitioning, workers);
  made->sub_partitions_.resize(partitioning->size() * made->num_units_);
  workers.each(made->sub_partitions_.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const std::size_t p = i / made->num_units_, unit = i % made->num_units_;
    const Partition partition = partitioning->get_partition(static_cast<std::int64_t>(p));
    const gaspipe::SubPartition part = partition.get_sub_partition(static_cast<std::int64_t>(unit));
    const std::uint64_t weight_bytes = edge_value_bytes(edge_type);
    const char* weights = static_cast<const char*>(partitioning->table().partitions[p].weights);
    Edges edges = {part,
                   part.encode(),
                   partition.first_vertex(),
                   partition.last_vertex(),
                   weight_bytes == 0 ? nullptr : weights + part.first_edge() * weight_bytes,
                   weight_bytes};
    Writable<char> placed_weights;
    if (is_balanced) place_in_lines(made->lines_, edges, placed_weights);
    (layout == EdgeLayout::kPacked ? lay_out_packed : lay_out_plain)(edges, made->sub_partitions_[i]);
  });
  made->partitioning_ = std::move(partitioning);
  return made;
}

}  // namespace gaspipe
