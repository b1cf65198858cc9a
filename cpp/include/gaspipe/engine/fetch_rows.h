// SPDX-License-Identifier: Apache-2.0
// What a loop over a list of vertices reads of those behind the one at work, fetched ahead. Of short rows that is their
// start: more, and asking whether it is needed, takes longer than what it saves. Of long rows the offsets are fetched
// first, and then a good part of the edges, where they are needed.
#pragma once

#include <cstddef>

#include "gaspipe/engine/rows.h"

namespace gaspipe {
namespace engine {

// `vertex(i)` is that of entry i of `size`, `is_needed(i)` whether its edges will be walked. All of it is inlined: see
// fetch_ahead() in rows.h.
template <bool with_weights, class AnyRows, class Property, class VertexAt, class IsNeeded>
class FetchRows {
 public:
  FetchRows(const AnyRows& rows, const Property* property, std::size_t size, VertexAt vertex, IsNeeded is_needed)
      : rows_(rows),
        property_(property),
        size_(size),
        has_long_rows_(rows.num_edges() / kEdgesOfLongRows >= rows.num_vertices()),
        vertex_(vertex),
        is_needed_(is_needed) {}

  // Before the first entry.
  [[gnu::always_inline]] void begin() const {
    if (!has_long_rows_) return;
    for (std::size_t i = 0; i < 2 * kRowsAhead; ++i) fetch_vertex(i);
    for (std::size_t i = 0; i < kRowsAhead; ++i) fetch_edges(i);
  }
  // At entry i.
  [[gnu::always_inline]] void at(std::size_t i) const {
    if (has_long_rows_) {
      fetch_vertex(i + 2 * kRowsAhead);
      fetch_edges(i + kRowsAhead);
    } else if (i + kRowsAhead < size_) {
      const VertexId ahead = vertex_(i + kRowsAhead);
      rows_.template prefetch_row<with_weights>(ahead);
      __builtin_prefetch(property_ + ahead);
    }
  }

 private:
  [[gnu::always_inline]] void fetch_vertex(std::size_t i) const {
    if (i >= size_) return;
    rows_.prefetch_degree(vertex_(i));
    __builtin_prefetch(property_ + vertex_(i));
  }
  [[gnu::always_inline]] void fetch_edges(std::size_t i) const {
    if (i < size_ && is_needed_(i)) rows_.template prefetch_edges<with_weights>(vertex_(i));
  }

  const AnyRows& rows_;
  const Property* const property_;
  const std::size_t size_;
  const bool has_long_rows_;
  const VertexAt vertex_;
  const IsNeeded is_needed_;
};

template <bool with_weights, class AnyRows, class Property, class VertexAt, class IsNeeded>
FetchRows<with_weights, AnyRows, Property, VertexAt, IsNeeded> fetch_rows(const AnyRows& rows, const Property* property,
                                                                          std::size_t size, VertexAt vertex,
                                                                          IsNeeded is_needed) {
  return {rows, property, size, vertex, is_needed};
}

}  // namespace engine
}  // namespace gaspipe
