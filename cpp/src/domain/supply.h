// SPDX-License-Identifier: Apache-2.0
// Edges for a Shuffle, by their number: of lists as they were handed in, and of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cpp/src/graph/weights.h"
#include "gaspipe/csr.h"
#include "gaspipe/sorted_edges.h"

namespace gaspipe {
namespace detail {

// A weight as another type, which holds it (common_type).
template <class Weight>
void write_weight(Weight weight, WeightType type, std::uint8_t* to) {
  const auto write = [&](auto value) { std::memcpy(to, &value, sizeof(value)); };
  switch (type) {
    case WeightType::kNone:
      return;
    case WeightType::kInt32:
      return write(static_cast<std::int32_t>(weight));
    case WeightType::kInt64:
      return write(static_cast<std::int64_t>(weight));
    case WeightType::kFloat32:
      return write(static_cast<float>(weight));
    case WeightType::kFloat64:
      return write(static_cast<double>(weight));
  }
}

// Frees the lists that are not needed again.
class ListSupply {
 public:
  ListSupply(std::vector<EdgeList>& lists, WeightType type) : lists_(lists), type_(type) {
    for (const EdgeList& list : lists) first_.push_back(first_.back() + list.sources.size());
  }

  template <class Sink>
  std::uint64_t walk(std::uint64_t first, const Sink& sink) const {
    auto i = static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), first) - first_.begin()) - 1;
    for (; i < lists_.size(); ++i) {
      const EdgeList& list = lists_[i];
      const std::uint64_t end = list.sources.size();
      const std::uint64_t at = std::visit(
          [&](const auto& weights) {
            std::uint8_t weight[8] = {};
            for (std::uint64_t e = first - first_[i]; e < end; ++e) {
              if constexpr (is_weighted_v<decltype(weights)>) write_weight(weights[e], type_, weight);
              if (!sink(list.sources[e], list.targets[e], static_cast<const std::uint8_t*>(weight))) return e;
            }
            return end;
          },
          list.weights);
      first = first_[i] + at;
      if (at < end) break;
    }
    return first;
  }
  void release(std::uint64_t end) {
    for (; num_released_ < lists_.size() && first_[num_released_ + 1] <= end; ++num_released_) {
      lists_[num_released_] = {};
    }
  }

 private:
  std::vector<EdgeList>& lists_;
  const WeightType type_;
  std::vector<std::uint64_t> first_{0};  // number of a list's first edge
  std::size_t num_released_ = 0;
};

// Rows, as a view has their edges. `source_of` and `target_of` say ids in the whole graph.
template <class SourceOf, class TargetOf>
class RowSupply {
 public:
  RowSupply(const Csr& rows, View view, const SourceOf& source_of, const TargetOf& target_of)
      : rows_(rows), view_(view), source_of_(source_of), target_of_(target_of) {}

  template <class Sink>
  std::uint64_t walk(std::uint64_t first, const Sink& sink) const {
    const std::uint64_t per_edge = view_ == View::kUndirected ? 2 : 1, num_edges = rows_.num_edges();
    return std::visit(
        [&](const auto& weights) {
          std::uint64_t row = row_of(first / per_edge);
          std::uint8_t weight[8] = {};
          for (std::uint64_t e = first / per_edge; e < num_edges; ++e) {
            while (rows_.offsets[row + 1] <= e) ++row;
            if constexpr (is_weighted_v<decltype(weights)>) {
              const auto value = weights[e];
              std::memcpy(weight, &value, sizeof(value));
            }
            const VertexId source = source_of_(static_cast<VertexId>(row)), target = target_of_(rows_.targets[e]);
            if (view_ != View::kReverse && first <= e * per_edge) {
              if (!sink(source, target, static_cast<const std::uint8_t*>(weight))) return e * per_edge;
            }
            if (view_ == View::kForward) continue;
            const std::uint64_t at = e * per_edge + (per_edge - 1);
            if (!sink(target, source, static_cast<const std::uint8_t*>(weight))) return at;
          }
          return num_edges * per_edge;
        },
        rows_.weights);
  }
  void release(std::uint64_t) {}

 private:
  std::uint64_t row_of(std::uint64_t edge) const {
    std::uint64_t low = 0, high = rows_.num_rows;
    while (high - low > 1) {
      const std::uint64_t middle = (low + high) / 2;
      (rows_.offsets[middle] <= edge ? low : high) = middle;
    }
    return low;
  }

  const Csr& rows_;
  const View view_;
  const SourceOf source_of_;
  const TargetOf target_of_;
};

}  // namespace detail
}  // namespace gaspipe
