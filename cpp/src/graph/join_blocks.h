// SPDX-License-Identifier: Apache-2.0
// Columns of parsed blocks as arrays of edges. Blocks give up what they have, so that edges are not held twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "edge_block.h"
#include "gaspipe/array.h"
#include "gaspipe/csr.h"

namespace gaspipe {
namespace detail {

// The blocks that hold the edges from `first` to before `last`.
struct Blocks {
  std::vector<EdgeBlock>& blocks;
  std::uint64_t first, last;
  Workers& workers;

  std::uint64_t size() const { return last - first; }
  // As compact_ids.h takes ids.
  template <class Body>
  void each(const Body& body) const {
    for_each_block(blocks, workers, [&](const EdgeBlock& block) { body(Piece{block}, block.first_edge); });
  }

 private:
  struct Piece {
    const EdgeBlock& block;

    template <class F>
    void each(const F& f) const {
      std::visit(
          [&](const auto& column) {
            for (const std::uint64_t id : column) f(id);
          },
          block.ids);
    }
  };
};

// Edges between place(id) of the ids.
template <class Place>
void join_ends(const Blocks& from, const Place& place, EdgeList& edges) {
  const Writable<VertexId> sources(from.size()), targets(from.size());
  for_each_block(from.blocks, from.workers, [&](EdgeBlock& block) {
    std::visit(
        [&](auto& column) {
          const std::uint64_t start = block.first_edge - from.first;
          for (std::size_t i = 0; 2 * i < column.size(); ++i) {
            sources[start + i] = place(column[2 * i]);
            targets[start + i] = place(column[2 * i + 1]);
          }
          column = {};
        },
        block.ids);
  });
  edges.sources = sources.freeze();
  edges.targets = targets.freeze();
}

template <class T>
Array<T> join_weights_as(const Blocks& from) {
  const Writable<T> joined(from.size());
  for_each_block(from.blocks, from.workers, [&](EdgeBlock& block) {
    std::visit(
        [&](auto& column) {
          std::transform(column.begin(), column.end(), joined.data() + (block.first_edge - from.first),
                         [](auto weight) { return static_cast<T>(weight); });
          column = {};
        },
        block.weights);
  });
  return joined.freeze();
}

// In the narrowest type that holds all, `widest` at least, as WeightColumn numbers them.
inline Weights join_weights(const Blocks& from, std::size_t widest) {
  for (const EdgeBlock& block : from.blocks) widest = std::max(widest, block.weights.index());
  if (widest == 0) return join_weights_as<std::int32_t>(from);
  if (widest == 1) return join_weights_as<std::int64_t>(from);
  return join_weights_as<double>(from);
}

}  // namespace detail
}  // namespace gaspipe
