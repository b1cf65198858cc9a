// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/graphops_device.h"

#include <algorithm>
#include <cstring>

#include "cpp/src/backend/emulator/host_kernels.h"
#include "cpp/src/clock.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr VertexId kApplied = 1 << 16;  // vertices that a worker applies at once; they begin a word

// What vertices have that no search has reached: the identity of the minimum, in each number format.
std::uint64_t unreached(std::int32_t type) {
  switch (type) {
    case abi::kUint32:
      return 0xffffffffu;
    case abi::kFloat32:
      return 0x7f800000u;
    case abi::kFloat64:
      return 0x7ff0000000000000u;
    default:
      return ~std::uint64_t(0);
  }
}

const std::uint64_t* words_of_lines(const Lines& lines) { return reinterpret_cast<const std::uint64_t*>(lines.data()); }

}  // namespace

GraphopsDevice::GraphopsDevice(const abi::Instance& instance, GraphopsKernel& kernel, GraphopsGraph& graph,
                               VertexId num_vertices, Workers& workers)
    : instance_(instance),
      kernel_(kernel),
      graph_(graph),
      num_vertices_(num_vertices),
      workers_(workers),
      properties_(lines_of(num_vertices, instance.property_bytes)),
      updated_(properties_),
      gathered_(lines_of(num_vertices, instance.update_bytes)),
      set_(1),
      next_set_(1),
      aux_(static_cast<std::size_t>(instance.num_aux), lines_of(num_vertices, instance.aux_bytes)) {
  // A group for every change of a line at most, and those are no more than edges; to be read, one for every line.
  kernel_.begin(graph.key(), graph.rows().num_edges, properties_.size());
}

void GraphopsDevice::write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) {
  std::memcpy(aux_[k].data(), data, num_bytes);
}
void GraphopsDevice::read_properties(void* data, std::uint64_t num_bytes) {
  std::memcpy(data, properties_.data(), num_bytes);
}

std::uint64_t GraphopsDevice::property_word(const Lines& lines, VertexId v) const {
  if (instance_.property_bytes == 4) return reinterpret_cast<const std::uint32_t*>(lines.data())[v];
  return reinterpret_cast<const std::uint64_t*>(lines.data())[v];
}

void GraphopsDevice::write_properties(const void* properties, std::uint64_t num_bytes) {
  std::memcpy(properties_.data(), properties, num_bytes);
  const auto refreshing = Clock::now();
  graph_.refresh(properties_.data(), workers_);
  kernel_.add_host_seconds(seconds_since(refreshing));
  if (instance_.idempotent == 0) {
    // Of vertices that receive nothing: the identity of the sums.
    gathered_.assign(gathered_.size(), {});
    return;
  }
  updated_ = properties_;
  active_.clear();
  for (VertexId v = 0; v < num_vertices_; ++v) {
    if (property_word(properties_, v) != unreached(instance_.property_type)) active_.push_back(v);
  }
  num_groups_ = 0;
  root_ = active_.size() == 1 ? active_[0] : kNoVertex;
  if (root_ != kNoVertex) return;
  write_set();
}

// The active vertices, ascending, in groups of a line.
void GraphopsDevice::write_set() {
  const auto size = static_cast<VertexId>(64 / instance_.property_bytes);
  std::vector<std::uint64_t> groups;
  for (VertexId v : active_) {
    if (groups.empty() || groups.back() >> 32 != v / size) groups.push_back(std::uint64_t(v / size) << 32);
    groups.back() |= std::uint64_t(1) << v % size;
  }
  num_groups_ = groups.size();
  set_ = lines_of(num_groups_, 8);
  std::copy(groups.begin(), groups.end(), reinterpret_cast<std::uint64_t*>(set_.data()));
}

abi::Buffer GraphopsDevice::buffer(const std::string& port) {
  const auto whole = [](Lines& lines) { return abi::Buffer{lines.data(), lines.size() * 64}; };
  if (port == "offsets") return whole(graph_.offsets());
  if (port == "targets") return whole(graph_.targets());
  if (port == "weights") return whole(graph_.weights());
  if (port == "replicas") return whole(graph_.replicas());
  if (port == "set") return whole(set_);
  if (port == "next_set") return whole(next_set_);
  if (port == "owners") return whole(properties_);
  if (instance_.idempotent == 0) return whole(gathered_);  // gathered and updated
  return whole(updated_);                                  // properties and updated
}

const std::uint64_t* GraphopsDevice::run(const std::vector<std::uint32_t>& scalars, EdgeCount num_edges) {
  return kernel_.run([this](const std::string& port) { return buffer(port); }, scalars, !graph_.weights().empty(),
                     num_edges);
}

void GraphopsDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  const auto start = Clock::now();
  std::memset(sums, 0, static_cast<std::size_t>(std::max(1, instance_.num_extras)) * 8);
  if (instance_.idempotent == 0) {
    gather_and_apply(arg, sums, stats);
  } else {
    search(sums, stats);
  }
  stats->seconds[abi::kScatterGather] = seconds_since(start) - stats->seconds[abi::kApply];
}

void GraphopsDevice::gather_and_apply(const void* arg, void* sums, abi::Superstep* stats) {
  run({num_vertices_}, graph_.rows().num_edges);
  const auto applying = Clock::now();
  apply(arg, sums);
  std::swap(properties_, updated_);
  graph_.refresh(properties_.data(), workers_);
  stats->seconds[abi::kApply] = seconds_since(applying);
  kernel_.add_host_seconds(stats->seconds[abi::kApply]);
}

void GraphopsDevice::apply(const void* arg, void* sums) {
  const HostKernels host(instance_);
  const std::uint64_t num_ranges = (std::uint64_t(num_vertices_) + kApplied - 1) / kApplied;
  std::vector<Lines> counts(num_ranges);
  workers_.each(num_ranges, 1, [&](std::uint64_t range, std::uint64_t, int) {
    const auto first = static_cast<VertexId>(range * kApplied);
    const std::uint64_t line = std::uint64_t(first) * static_cast<unsigned>(instance_.update_bytes) / 64;
    const auto buffer = [](Lines& lines, std::uint64_t from) {
      return abi::Buffer{lines.data() + from, (lines.size() - from) * 64};
    };
    HostKernels::Vertices vertices{buffer(gathered_, line), buffer(properties_, 0), {}, buffer(updated_, 0)};
    for (Lines& aux : aux_) vertices.aux.push_back(buffer(aux, 0));
    counts[range] = host.apply(first, std::min(num_vertices_, first + kApplied), vertices, arg);
  });
  workers_.check();
  for (const Lines& part : counts) host.add_counts(part, sums);
}

void GraphopsDevice::list_active(const std::uint64_t* groups, std::uint64_t num_groups) {
  const auto size = static_cast<VertexId>(64 / instance_.property_bytes);
  active_.clear();
  for (std::uint64_t i = 0; i < num_groups; ++i) {
    for (VertexId lane = 0; lane < size; ++lane) {
      if ((groups[i] >> lane & 1) != 0) active_.push_back(static_cast<VertexId>(groups[i] >> 32) * size + lane);
    }
  }
  std::sort(active_.begin(), active_.end());
  active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
  if (active_.empty() || active_.back() < num_vertices_) return;
  throw DeviceError(message(kernel_.name(), " wrote a set with vertex ", active_.back(), " of ", num_vertices_,
                            "; nothing of this run can be used"));
}

void GraphopsDevice::search(void* sums, abi::Superstep* stats) {
  if (active_.empty()) return;
  const auto* offsets = reinterpret_cast<const EdgeCount*>(graph_.offsets().data());
  EdgeCount edges = 0;
  for (VertexId v : active_) edges += offsets[std::size_t(v) + 1] - offsets[v];
  stats->active_vertices = active_.size();
  stats->edges = edges;
  next_set_.resize(std::max(next_set_.size(), lines_of(edges, 8).size()));
  std::vector<std::uint32_t> scalars{static_cast<std::uint32_t>(num_groups_), root_};
  if (std::strcmp(kernel_.name(), "graphops_bfs") == 0) {
    scalars.push_back(static_cast<std::uint32_t>(property_word(properties_, active_[0])));
    scalars.push_back(num_vertices_);
  }
  num_groups_ = run(scalars, edges)[0];
  const auto refreshing = Clock::now();
  root_ = kNoVertex;
  list_active(words_of_lines(next_set_), num_groups_);
  for (VertexId v : active_) {
    const std::size_t line = std::size_t(v) * static_cast<unsigned>(instance_.property_bytes) / 64;
    properties_[line] = updated_[line];
  }
  graph_.refresh(properties_.data(), active_, workers_);
  if (kernel_.wants_groups_once()) {
    write_set();
  } else {
    std::swap(set_, next_set_);
  }
  static_cast<std::uint64_t*>(sums)[0] = active_.size();
  stats->seconds[abi::kApply] = seconds_since(refreshing);
  kernel_.add_host_seconds(stats->seconds[abi::kApply]);
}

}  // namespace gaspipe
