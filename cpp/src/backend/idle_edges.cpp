// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/idle_edges.h"

#include <algorithm>
#include <utility>

#include "hls/edge_codec.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {
namespace {

ActiveSources sources_of(const Partitioning& partitioning) {
  std::vector<VertexId> firsts;
  VertexId end = 0;
  for (std::size_t p = 0; p < partitioning.size(); ++p) {
    const abi::Partition& partition = partitioning.table().partitions[p];
    firsts.push_back(partition.first);
    end = partition.last;
  }
  return {std::move(firsts), end};
}

// Padding repeats the last source.
EdgeSlices slices_of_plain(const DeviceEdges::SubPartition& stored, EdgeCount num_edges) {
  if (stored.num_words == 0) return {};
  EdgeSlices slices(stored.sources[0].lane[0]);
  constexpr EdgeCount kEdges = PlainEdgeCodec::kEdgesPerWord;
  for (std::uint32_t w = 0; w < stored.num_words; ++w) {
    slices.add(stored.sources[w].lane[kEdges - 1], static_cast<int>(std::min(kEdges, num_edges - w * kEdges)));
  }
  return slices;
}

EdgeSlices slices_of_packed(const DeviceEdges::SubPartition& stored) {
  if (stored.num_words == 0) return {};
  VertexId source = stored.sub_partitions[0].lane[SubPartitionLane::kBaseSource];
  EdgeSlices slices(source);
  for (std::uint32_t w = 0; w < stored.num_words; ++w) {
    int num_edges = 0;
    for (const std::uint32_t edge : stored.edges[w].lane) {
      source += PackedEdgeCodec::gap(edge);
      num_edges += PackedEdgeCodec::destination(edge) != PackedEdgeCodec::kPadding;
    }
    slices.add(source, num_edges);
  }
  return slices;
}

}  // namespace

std::shared_ptr<const std::vector<EdgeSlices>> find_edge_slices(const DeviceEdges& edges, const KernelPorts& ports,
                                                                Workers& workers) {
  const std::size_t num_units = edges.partitioning().config().compute_units;
  auto slices = std::make_shared<std::vector<EdgeSlices>>(edges.partitioning().size() * num_units);
  workers.each(slices->size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const DeviceEdges::SubPartition& stored = ports.sub_partition(i / num_units, i % num_units);
    const EdgeCount num_edges = ports.num_edges(i / num_units, i % num_units);
    (*slices)[i] = edges.layout() == EdgeLayout::kPlain ? slices_of_plain(stored, num_edges) : slices_of_packed(stored);
  });
  workers.check();
  return slices;
}

IdleEdges::IdleEdges(const abi::Instance& instance, const DeviceEdges& edges, const KernelPorts& ports,
                     std::shared_ptr<const std::vector<EdgeSlices>> slices, Skips skips)
    : ports_(ports),
      slices_(std::move(slices)),
      skips_(skips),
      is_idempotent_(instance.idempotent != 0),
      streams_all_(skips == Skips::kNothing || !may_be_idle(instance)),
      num_partitions_(edges.partitioning().size()),
      num_units_(edges.partitioning().config().compute_units),
      active_(sources_of(edges.partitioning())),
      is_clear_(num_partitions_ * num_units_),
      is_settled_(num_partitions_) {
  launches_.windows.resize(is_clear_.size());
  launches_.gathers.resize(is_clear_.size());
  launches_.applies.resize(num_partitions_);
  for (const EdgeSlices& of_unit : *slices_) num_edges_ += of_unit.whole().num_edges;
}

void IdleEdges::restart(const std::vector<std::uint64_t>& senders) {
  active_.restart(senders);
  std::fill(is_settled_.begin(), is_settled_.end(), 0);
}

EdgeWindow IdleEdges::window_of(std::size_t i, Skips skips) const {
  const EdgeSlices& slices = (*slices_)[i];
  if (skips == Skips::kNothing) return slices.whole();
  const EdgeWindow window = slices.window(active_);
  return skips == Skips::kEnd ? window.from_first() : window;
}

void IdleEdges::plan() {
  choose(skips_);
  num_idle_ = num_edges_ - num_edges();
}

void IdleEdges::plan_all() { choose(Skips::kNothing); }

void IdleEdges::look_back() {
  num_idle_ = num_edges_;
  for (std::size_t i = 0; i < launches_.windows.size(); ++i) num_idle_ -= window_of(i, skips_).num_edges;
}

void IdleEdges::choose(Skips skips) {
  std::vector<EdgeWindow>& windows = launches_.windows;
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i] = window_of(i, skips);
  launches_.streams_all = true;
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    bool has_edges = false;
    for (std::size_t i = p * num_units_; i < (p + 1) * num_units_; ++i) {
      const std::uint32_t all = (*slices_)[i].num_words();
      launches_.streams_all = launches_.streams_all && windows[i].num_words == all;
      const bool streams = skips == Skips::kNothing || windows[i].num_words > 0;
      launches_.gathers[i] = streams             ? GatherLaunch::kStream
                             : is_clear_[i] != 0 ? GatherLaunch::kNone
                                                 : GatherLaunch::kClear;
      is_clear_[i] = !streams;
      has_edges = has_edges || streams;
    }
    launches_.applies[p] = has_edges || is_settled_[p] == 0;
    is_settled_[p] = is_idempotent_ && !has_edges;
    if (!applies(p)) active_.set(p, ActivityWord{});
  }
}

void IdleEdges::applied(std::size_t partition, const ActivityWord& word) { active_.set(partition, word); }

EdgeCount IdleEdges::num_edges() const {
  EdgeCount sum = 0;
  for (const EdgeWindow& window : launches_.windows) sum += window.num_edges;
  return sum;
}

Word<std::uint32_t> IdleEdges::descriptor(std::size_t partition, std::size_t unit) const {
  const DeviceEdges::SubPartition& stored = ports_.sub_partition(partition, unit);
  const EdgeWindow& window = this->window(partition, unit);
  Word<std::uint32_t> descriptor = stored.sub_partitions[0];
  descriptor.lane[SubPartitionLane::kFirstEdgeWord] = window.first_word;
  descriptor.lane[SubPartitionLane::kNumEdgeWords] = window.num_words;
  if (window.num_words == 0) return descriptor;
  const auto weight_words = static_cast<std::uint32_t>(stored.weights.size() / stored.num_words);
  descriptor.lane[SubPartitionLane::kFirstWeightWord] = window.first_word * weight_words;
  descriptor.lane[SubPartitionLane::kBaseSource] = window.base_source;
  return descriptor;
}

}  // namespace gaspipe
