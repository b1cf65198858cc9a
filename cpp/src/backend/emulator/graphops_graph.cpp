// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/graphops_graph.h"

#include <algorithm>
#include <cstring>

namespace gaspipe {
namespace {

constexpr std::uint64_t kPermuteGrain = 1 << 14;

template <class T>
Lines copied(const Array<Word<T>>& words) {
  Lines lines = lines_of(words.size(), 64);
  if (words.size() != 0) std::memcpy(lines.data(), words.data(), words.size() * 64);
  return lines;
}

template <class T>
void fill_ones(Lines& lines) {
  T* values = reinterpret_cast<T*>(lines.data());
  std::fill(values, values + lines.size() * 64 / sizeof(T), T(1));
}
Lines ones(std::uint64_t num, abi::Scalar type) {
  Lines lines = lines_of(num, type == abi::kFloat32 || type == abi::kInt32 || type == abi::kUint32 ? 4 : 8);
  if (type == abi::kFloat32) {
    fill_ones<float>(lines);
  } else if (type == abi::kFloat64) {
    fill_ones<double>(lines);
  } else if (type == abi::kInt32 || type == abi::kUint32) {
    fill_ones<std::uint32_t>(lines);
  } else {
    fill_ones<std::uint64_t>(lines);
  }
  return lines;
}

template <class T>
void copy_along(const EdgeCount* edges, std::uint64_t num, const T& value, Lines& replicas) {
  T* to = reinterpret_cast<T*>(replicas.data());
  for (std::uint64_t i = 0; i < num; ++i) to[edges[i]] = value;
}

}  // namespace

GraphopsGraph::GraphopsGraph(const Graph& graph, View view, abi::Scalar stored_weights, abi::Scalar needed_weights,
                             int value_bytes, Workers& workers)
    : csr_(graph.view(view, workers)),
      rows_(std::make_shared<const DeviceRows>(DeviceRows::make(*csr_, workers))),
      value_bytes_(value_bytes) {
  offsets_ = copied(rows_->offsets);
  targets_ = copied(rows_->targets);
  replicas_ = lines_of(rows_->num_edges, value_bytes);
  if (needed_weights == abi::kNone) return;
  if (stored_weights == abi::kNone) {
    weights_ = ones(rows_->num_edges, needed_weights);
    return;
  }
  const Array<std::uint8_t> weights = graph.weights_as(view, needed_weights, workers);
  weights_ = lines_of(weights.size(), 1);
  std::copy(weights.begin(), weights.end(), reinterpret_cast<std::uint8_t*>(weights_.data()));
}

void GraphopsGraph::refresh(const void* properties, Workers& workers) {
  const VertexId* targets = reinterpret_cast<const VertexId*>(targets_.data());
  const auto gather = [&](const auto* from, auto* to) {
    workers.each(rows_->num_edges, kPermuteGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t e = first; e < last; ++e) to[e] = from[targets[e]];
    });
    workers.check();
  };
  if (value_bytes_ == 4) {
    gather(static_cast<const std::uint32_t*>(properties), reinterpret_cast<std::uint32_t*>(replicas_.data()));
  } else {
    gather(static_cast<const std::uint64_t*>(properties), reinterpret_cast<std::uint64_t*>(replicas_.data()));
  }
}

void GraphopsGraph::refresh(const void* properties, const std::vector<VertexId>& vertices, Workers& workers) {
  if (first_into_.empty()) list_edges_into(workers);  // not among several workers
  workers.each(vertices.size(), kPermuteGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      const VertexId v = vertices[i];
      const auto [edges, num] = edges_into(v, workers);
      if (value_bytes_ == 4) {
        copy_along(edges, num, static_cast<const std::uint32_t*>(properties)[v], replicas_);
      } else {
        copy_along(edges, num, static_cast<const std::uint64_t*>(properties)[v], replicas_);
      }
    }
  });
  workers.check();
}

std::pair<const EdgeCount*, EdgeCount> GraphopsGraph::edges_into(VertexId v, Workers& workers) {
  if (first_into_.empty()) list_edges_into(workers);
  return {edges_into_.data() + first_into_[v], first_into_[std::size_t(v) + 1] - first_into_[v]};
}

void GraphopsGraph::list_edges_into(Workers& workers) {
  const VertexId* targets = reinterpret_cast<const VertexId*>(targets_.data());
  VertexId num_targets = rows_->num_vertices;
  for (EdgeCount e = 0; e < rows_->num_edges; ++e) num_targets = std::max(num_targets, targets[e] + 1);
  workers.check();
  first_into_.assign(std::size_t(num_targets) + 2, 0);
  for (EdgeCount e = 0; e < rows_->num_edges; ++e) ++first_into_[std::size_t(targets[e]) + 2];
  for (std::size_t v = 2; v < first_into_.size(); ++v) first_into_[v] += first_into_[v - 1];
  edges_into_.resize(rows_->num_edges);
  for (EdgeCount e = 0; e < rows_->num_edges; ++e) edges_into_[first_into_[std::size_t(targets[e]) + 1]++] = e;
  workers.check();
}

}  // namespace gaspipe
