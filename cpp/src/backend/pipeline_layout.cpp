// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/pipeline_layout.h"

#include <algorithm>
#include <cstring>

#include "cpp/src/permute.h"
#include "cpp/src/predict/pipeline_timer.h"
#include "gaspipe/error.h"
#include "hls/edge_codec.h"
#include "hls/module/edge_list.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {
namespace {

constexpr VertexId kBlock = 16;  // every partition is whole blocks
constexpr std::uint64_t kLayoutGrain = 1 << 14, kWordBytes = 64;

// What a super-step streams of a sub-partition is slices of it, and those are whole groups.
static_assert(EdgeSlices::kWords % kGroupWords == 0, "no group is in two slices");

std::uint64_t gathered_words_of(const predict::PlannedPartition& partition, std::uint64_t update_bytes) {
  return ((partition.last - partition.first) * update_bytes + kWordBytes - 1) / kWordBytes;
}

PipelineLayout::Group group_of(std::uint64_t weight_bytes) {
  switch (weight_bytes) {
    case 0:
      return {1, 0, 0};
    case 4:
      return {kGroupWords, near_words<std::uint32_t>(), far_words<std::uint32_t>()};
    default:
      return {kGroupWords, near_words<std::uint64_t>(), far_words<std::uint64_t>()};
  }
}

}  // namespace

// The edges of all partitions, one partition after the other, by ascending source. Ids are the design's.
struct PipelineLayout::Edges {
  std::vector<EdgeCount> first;                 // of every partition
  std::vector<VertexId> sources, destinations;  // destinations are counted from the partition's first
  std::vector<EdgeCount> numbers;               // in the matrix; none without weights

  Edges(const predict::PipelinePlan& plan, const Csr& csr, bool has_weights, Workers& workers)
      : sources(csr.num_edges()), destinations(csr.num_edges()), numbers(has_weights ? csr.num_edges() : 0) {
    std::vector<std::uint32_t> partition_of(csr.num_columns / kBlock + 1);
    EdgeCount sum = 0;
    for (std::size_t p = 0; p < plan.partitions.size(); ++p) {
      const predict::PlannedPartition& partition = plan.partitions[p];
      std::fill(partition_of.begin() + partition.first / kBlock,
                partition_of.begin() + (partition.last + kBlock - 1) / kBlock, static_cast<std::uint32_t>(p));
      first.push_back(sum);
      sum += partition.num_edges;
    }
    std::vector<EdgeCount> next = first;
    for (VertexId source = 0; source < plan.vertices.size(); ++source) {
      if (source % kLayoutGrain == 0) workers.check();
      const VertexId vertex = plan.vertices[source];
      const EdgeCount end = csr.offsets[std::size_t(vertex) + 1];
      for (EdgeCount e = csr.offsets[vertex]; e < end; ++e) {
        const VertexId destination = plan.numbers[csr.targets[e]];
        const std::uint32_t partition = partition_of[destination / kBlock];
        const EdgeCount at = next[partition]++;
        sources[at] = source;
        destinations[at] = destination - plan.partitions[partition].first;
        if (has_weights) numbers[at] = e;
      }
    }
  }
};

PipelineLayout::PipelineLayout(const predict::PipelinePlan& plan, int num_pipelines, const Csr& csr, const Sizes& sizes,
                               const Array<std::uint8_t>& weights, const Board& board, const char* config,
                               Workers& workers)
    : group_(group_of(sizes.weight_bytes)),
      property_words_(sizes.property_words),
      vertices_(plan.vertices),
      pipelines_(static_cast<std::size_t>(num_pipelines)) {
  count(plan, sizes.update_bytes);
  const Edges edges(plan, csr, sizes.weight_bytes != 0, workers);
  predict::PipelineBytes bytes;
  bytes.num_edges = csr.num_edges();
  bytes.num_vertices = plan.vertices.size();
  bytes.property_bytes = sizes.property_bytes;
  for (std::size_t k = 0; k < pipelines_.size(); ++k) {
    std::uint64_t num_groups = 0;
    for (const predict::PlannedSlice& slice : plan.slices) {
      if (static_cast<std::size_t>(slice.pipeline) != k) continue;
      const VertexId* const sources = edges.sources.data() + edges.first[slice.partition] + slice.first_edge;
      num_groups +=
          PackedEdgeCodec::padded(
              slice.last_edge - slice.first_edge, sources[0], [&](EdgeCount i) { return sources[i]; }, group_.edges) /
          PackedEdgeCodec::kEdgesPerWord / group_.edges;
    }
    const std::uint64_t edge_words = pipelines_[k].num_sub_partitions + num_groups * (group_.edges + group_.near);
    const std::uint64_t weight_words = num_groups * group_.far;
    bytes.edges.push_back(edge_words * kWordBytes);
    bytes.others.push_back((pipelines_[k].gathered_words + weight_words) * kWordBytes);
    pipelines_[k].edges.resize(edge_words);
    pipelines_[k].memory.resize(sizes.property_words + weight_words);
  }
  predict::check_channels(config, board, bytes);
  workers.each(pipelines_.size(), 1,
               [&](std::uint64_t k, std::uint64_t, int) { lay_out(plan, k, edges, sizes, weights); });
  workers.check();
}

// The pipelines' sub-partitions, edges and words of what they gather.
void PipelineLayout::count(const predict::PipelinePlan& plan, std::uint64_t update_bytes) {
  std::vector<VertexId> next(pipelines_.size());  // the end of a pipeline's last partition
  for (const predict::PlannedSlice& slice : plan.slices) {
    const predict::PlannedPartition& partition = plan.partitions[slice.partition];
    const auto number = static_cast<std::size_t>(slice.pipeline);
    Pipeline& pipeline = pipelines_[number];
    if (partition.first < next[number]) throw Error("partitions of a pipeline do not ascend");
    next[number] = partition.last;
    pipeline.gathered_words += gathered_words_of(partition, update_bytes);
    pipeline.num_edges += slice.last_edge - slice.first_edge;
    ++pipeline.num_sub_partitions;
  }
}

void PipelineLayout::lay_out(const predict::PipelinePlan& plan, std::size_t number, const Edges& edges,
                             const Sizes& sizes, const Array<std::uint8_t>& weights) {
  constexpr std::uint64_t kEdges = PackedEdgeCodec::kEdgesPerWord;
  Pipeline& pipeline = pipelines_[number];
  std::uint64_t next_word = pipeline.num_sub_partitions, next_weight_word = sizes.property_words;
  std::uint64_t next_gathered_word = 0;
  std::size_t sub_partition = 0;
  for (const predict::PlannedSlice& slice : plan.slices) {
    if (static_cast<std::size_t>(slice.pipeline) != number) continue;
    const predict::PlannedPartition& partition = plan.partitions[slice.partition];
    const EdgeCount from = edges.first[slice.partition] + slice.first_edge;
    const VertexId base = edges.sources[from];
    Word<std::uint32_t>* const words = pipeline.edges.data() + next_word;
    Word<std::uint32_t>* const far = pipeline.memory.data() + next_weight_word;
    pipeline.slices.emplace_back(base);
    VertexId last_source = base;
    int edges_of_word = 0;
    const EdgeCount places = PackedEdgeCodec::encode(
        slice.last_edge - slice.first_edge, base, [&](EdgeCount i) { return edges.sources[from + i]; },
        [&](EdgeCount i) { return edges.destinations[from + i]; },
        [&](EdgeCount place, std::uint32_t edge, EdgeCount i) {
          const std::uint64_t in_group = place % (kEdges * group_.edges), group = place / (kEdges * group_.edges);
          Word<std::uint32_t>* const word = words + group * (group_.edges + group_.near);
          word[in_group / kEdges].lane[place % kEdges] = edge;
          last_source += PackedEdgeCodec::gap(edge);
          edges_of_word += i != PackedEdgeCodec::kNoEdge;
          if ((place + 1) % kEdges == 0) {
            pipeline.slices.back().add(last_source, edges_of_word);
            edges_of_word = 0;
          }
          if (sizes.weight_bytes == 0 || i == PackedEdgeCodec::kNoEdge) return;
          const std::uint64_t at = in_group * sizes.weight_bytes, near_bytes = group_.near * kWordBytes;
          char* const to = at < near_bytes ? reinterpret_cast<char*>(word + group_.edges) + at
                                           : reinterpret_cast<char*>(far + group * group_.far) + (at - near_bytes);
          std::memcpy(to, weights.data() + edges.numbers[from + i] * sizes.weight_bytes, sizes.weight_bytes);
        },
        group_.edges);
    const std::uint64_t num_groups = places / kEdges / group_.edges;
    std::uint32_t (&descriptor)[16] = pipeline.edges[sub_partition++].lane;
    descriptor[SubPartitionLane::kFirstEdgeWord] = static_cast<std::uint32_t>(next_word);
    descriptor[SubPartitionLane::kNumEdgeWords] = static_cast<std::uint32_t>(num_groups * group_.edges);
    descriptor[SubPartitionLane::kFirstWeightWord] = static_cast<std::uint32_t>(next_weight_word);
    descriptor[SubPartitionLane::kFirstVertex] = partition.first;
    descriptor[SubPartitionLane::kLastVertex] = partition.last;
    descriptor[SubPartitionLane::kFirstGatheredWord] = static_cast<std::uint32_t>(next_gathered_word);
    descriptor[SubPartitionLane::kBaseSource] = base;
    next_word += num_groups * (group_.edges + group_.near);
    next_weight_word += num_groups * group_.far;
    next_gathered_word += gathered_words_of(partition, sizes.update_bytes);
  }
  pipeline.descriptors.assign(pipeline.edges.begin(), pipeline.edges.begin() + pipeline.num_sub_partitions);
}

void PipelineLayout::select(std::size_t number, const ActiveSources* active, Streamed& streamed) const {
  const Pipeline& pipeline = pipelines_[number];
  streamed.descriptors.clear();
  streamed.num_edges = 0;
  for (std::uint32_t s = 0; s < pipeline.num_sub_partitions; ++s) {
    const EdgeWindow window = active != nullptr ? pipeline.slices[s].window(*active) : pipeline.slices[s].whole();
    if (window.num_words == 0) continue;
    Word<std::uint32_t> descriptor = pipeline.descriptors[s];
    const std::uint32_t first_group = window.first_word / group_.edges;
    descriptor.lane[SubPartitionLane::kFirstEdgeWord] += first_group * (group_.edges + group_.near);
    descriptor.lane[SubPartitionLane::kFirstWeightWord] += first_group * group_.far;
    descriptor.lane[SubPartitionLane::kNumEdgeWords] = window.num_words;
    descriptor.lane[SubPartitionLane::kBaseSource] = window.base_source;
    streamed.descriptors.push_back(descriptor);
    streamed.num_edges += window.num_edges;
  }
}

EdgeCount PipelineLayout::num_edges() const {
  EdgeCount num_edges = 0;
  for (const Pipeline& pipeline : pipelines_) num_edges += pipeline.num_edges;
  return num_edges;
}

EdgeCount PipelineLayout::num_idle(const ActiveSources& active) const {
  EdgeCount num_idle = 0;
  for (const Pipeline& pipeline : pipelines_) {
    for (const EdgeSlices& slices : pipeline.slices) {
      num_idle += slices.whole().num_edges - slices.window(active).num_edges;
    }
  }
  return num_idle;
}

void PipelineLayout::order(const void* from, void* to, std::uint64_t value_bytes, Workers& workers) const {
  const auto place = [&](std::uint64_t v) { return std::pair<std::uint64_t, std::uint64_t>(vertices_[v], v); };
  permute(from, to, value_bytes, vertices_.size(), workers, place);
}

void PipelineLayout::restore(const void* from, void* to, std::uint64_t value_bytes, Workers& workers) const {
  const auto place = [&](std::uint64_t v) { return std::pair<std::uint64_t, std::uint64_t>(v, vertices_[v]); };
  permute(from, to, value_bytes, vertices_.size(), workers, place);
}

}  // namespace gaspipe
