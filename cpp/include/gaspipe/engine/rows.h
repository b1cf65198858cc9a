// SPDX-License-Identifier: Apache-2.0
// The edges of every vertex, as the rows of an abi::Csr:
//
//   for (const auto edge : rows[v]) sum += edge.weight() * value[edge.neighbor()];
//
// Offsets have 32 or 64 bits, and this is the only file that asks which. `Rows` asks at every row. `with_rows` asks
// once and has the width in the type of the rows that it passes on, for loops over many short rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gaspipe/abi.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

constexpr EdgeCount kEdgesOfLongRows = 8;  // on average
constexpr std::uint64_t kRowsAhead = 8;    // of lists of vertices: how far ahead rows are fetched
constexpr EdgeCount kEdgesFetched = 128;
constexpr std::size_t kLineBytes = 64;

// Fetches what lies some way ahead of `at` in an array that is streamed. A core's own prefetcher falls behind where
// random reads keep it busy. The array may end before, or be null.
// Functions that only prefetch are always inlined: GCC drops calls of them, which it takes to have no effect.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* stream, std::uint64_t at) {
  constexpr std::uint64_t kAhead = 256;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(stream) + (at + kAhead) * sizeof(T)), 0, 1);
}

// The weight of rows whose weights are not read.
struct Unweighted {
  constexpr explicit Unweighted(int = 1) {}
};

// Weights of the edges: what is stored, or 1 where the graph has no weights.
template <class Weight>
struct Weights {
  const Weight* values;
  Weight operator[](EdgeCount e) const { return values != nullptr ? values[e] : Weight(1); }
};

template <class Weight>
class Edge {
 public:
  Edge(const VertexId* neighbors, Weights<Weight> weights, EdgeCount index) : Edge(neighbors[index], weights, index) {}
  Edge(VertexId neighbor, Weights<Weight> weights, EdgeCount index)
      : weights_(weights), index_(index), neighbor_(neighbor) {}

  EdgeCount index() const { return index_; }
  VertexId neighbor() const { return neighbor_; }  // where the edge leads, or where it comes from in rows of in-edges
  Weight weight() const { return weights_[index_]; }

 private:
  Weights<Weight> weights_;
  EdgeCount index_;
  VertexId neighbor_;
};

template <class Weight>
class Row {
 public:
  class Iterator {
   public:
    Iterator(const VertexId* neighbors, Weights<Weight> weights, EdgeCount index)
        : neighbors_(neighbors), weights_(weights), index_(index) {}
    Edge<Weight> operator*() const { return {neighbors_, weights_, index_}; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const VertexId* neighbors_;
    Weights<Weight> weights_;
    EdgeCount index_;
  };

  Row(const VertexId* neighbors, Weights<Weight> weights, EdgeCount first, EdgeCount last)
      : neighbors_(neighbors), weights_(weights), first_(first), last_(last) {}

  EdgeCount first_edge() const { return first_; }
  EdgeCount last_edge() const { return last_; }  // one past the last
  EdgeCount size() const { return last_ - first_; }
  Iterator begin() const { return {neighbors_, weights_, first_}; }
  Iterator end() const { return {neighbors_, weights_, last_}; }
  // Its first edges, at most so many.
  Row first(EdgeCount most) const { return {neighbors_, weights_, first_, std::min(last_, first_ + most)}; }

 private:
  const VertexId* neighbors_;
  Weights<Weight> weights_;
  EdgeCount first_, last_;
};

// Offsets whose width is asked for at each of them.
class AnyOffsets {
 public:
  explicit AnyOffsets(const abi::Csr& csr) : data_(csr.offsets), is_wide_(csr.offset_bytes == 8) {}
  EdgeCount operator[](std::uint64_t i) const {
    return is_wide_ ? static_cast<const std::uint64_t*>(data_)[i] : static_cast<const std::uint32_t*>(data_)[i];
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const {
    __builtin_prefetch(static_cast<const char*>(data_) + i * (is_wide_ ? 8 : 4));
  }

 private:
  const void* data_;
  bool is_wide_;
};

// Offsets of a known width.
template <class Offset>
class OffsetsOf {
 public:
  explicit OffsetsOf(const abi::Csr& csr) : data_(static_cast<const Offset*>(csr.offsets)) {}
  EdgeCount operator[](std::uint64_t i) const { return data_[i]; }
  void skip(std::uint64_t n) { data_ += n; }
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const { __builtin_prefetch(data_ + i); }

 private:
  const Offset* data_;
};

// A value of a few pointers. Loops should copy it: after an atomic operation a compiler reads members again.
template <class Weight, class Offsets>
class RowsOf {
 public:
  explicit RowsOf(const abi::Csr& csr)
      : offsets_(csr),
        neighbors_(csr.targets),
        weights_{static_cast<const Weight*>(csr.weights)},
        first_targets_(csr.first_targets),
        num_edges_(csr.num_edges),
        num_vertices_(csr.num_vertices) {}

  VertexId num_vertices() const { return num_vertices_; }
  EdgeCount num_edges() const { return num_edges_; }
  EdgeCount begin(VertexId v) const { return offsets_[v]; }
  EdgeCount end(VertexId v) const { return offsets_[std::uint64_t(v) + 1]; }
  EdgeCount offset(std::uint64_t i) const { return offsets_[i]; }  // of the row of vertex i; the last is num_edges()
  EdgeCount degree(VertexId v) const { return end(v) - begin(v); }
  Row<Weight> operator[](VertexId v) const { return {neighbors_, weights_, begin(v), end(v)}; }
  Edge<Weight> edge(EdgeCount e) const { return {neighbors_, weights_, e}; }
  // The first neighbors of rows, by themselves; null where these are not at hand.
  const VertexId* first_targets() const { return first_targets_; }
  Edge<Weight> first_edge(VertexId v) const { return {first_targets_[v], weights_, begin(v)}; }
  // The rows from v on, numbered from 0; num_edges() stays. Of a known width only.
  RowsOf from(VertexId v) const {
    RowsOf rest(*this);
    rest.offsets_.skip(v);
    rest.num_vertices_ -= v;
    if (rest.first_targets_ != nullptr) rest.first_targets_ += v;
    return rest;
  }

  [[gnu::always_inline]] void prefetch_degree(VertexId v) const { offsets_.prefetch(v); }
  template <bool with_weights = false>
  [[gnu::always_inline]] void prefetch_row(VertexId v) const {
    const EdgeCount first = begin(v);
    __builtin_prefetch(neighbors_ + first);
    if (with_weights && weights_.values != nullptr) __builtin_prefetch(weights_.values + first);
  }
  // The first kEdgesFetched edges of a row.
  template <bool with_weights>
  [[gnu::always_inline]] void prefetch_edges(VertexId v) const {
    static_assert(sizeof(Weight) <= kLineBytes);
    const EdgeCount first = begin(v), last = std::min(end(v), first + kEdgesFetched);
    for (EdgeCount e = first; e < last; e += kLineBytes / sizeof(VertexId)) __builtin_prefetch(neighbors_ + e);
    if (!with_weights || weights_.values == nullptr) return;
    for (EdgeCount e = first; e < last; e += kLineBytes / sizeof(Weight)) __builtin_prefetch(weights_.values + e);
  }
  // For a long row that is at edge e.
  template <bool with_weights>
  [[gnu::always_inline]] void fetch_ahead(EdgeCount e) const {
    engine::fetch_ahead(neighbors_, e);
    if (with_weights) engine::fetch_ahead(weights_.values, e);
  }

 private:
  Offsets offsets_;
  const VertexId* neighbors_;
  Weights<Weight> weights_;
  const VertexId* first_targets_;
  EdgeCount num_edges_;
  VertexId num_vertices_;
};

template <class Weight = Unweighted>
using Rows = RowsOf<Weight, AnyOffsets>;

// Calls visit(rows) with the rows of `csr`, the width of their offsets in their type.
template <class Weight = Unweighted, class Visit>
decltype(auto) with_rows(const abi::Csr& csr, Visit&& visit) {
  return csr.offset_bytes == 8 ? visit(RowsOf<Weight, OffsetsOf<std::uint64_t>>(csr))
                               : visit(RowsOf<Weight, OffsetsOf<std::uint32_t>>(csr));
}

// Whether a row often has another length than the one before, as in road networks: the branch at the end of a row is
// unpredictable then. By a sample of the rows.
template <class AnyRows>
bool has_uneven_rows(const AnyRows& rows) {
  constexpr std::uint64_t kSampledRows = 1 << 10;
  const std::uint64_t stride = rows.num_vertices() / kSampledRows + 1;
  std::uint64_t num_uneven = 0, num_seen = 0;
  for (std::uint64_t v = 1; v < rows.num_vertices(); v += stride, ++num_seen) {
    const auto u = static_cast<VertexId>(v);
    num_uneven += rows.degree(u) != rows.degree(u - 1);
  }
  return num_uneven > num_seen / 4;
}

}  // namespace engine
}  // namespace gaspipe
