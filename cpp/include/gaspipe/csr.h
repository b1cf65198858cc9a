// SPDX-License-Identifier: Apache-2.0
// A directed graph, or any sparse matrix, by rows: entry (i, j) is the edge i -> j. Values are shared and never change.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>

#include "gaspipe/array.h"
#include "gaspipe/error.h"
#include "gaspipe/workers.h"
#include "hls/types.h"

namespace gaspipe {

// One more than the largest vertex id: kNoVertex is no vertex, and n itself must fit too.
constexpr std::uint64_t kMostVertices = 0xffffffffull;

// Offsets of the rows: 32 bits where they fit, else 64.
class Offsets {
 public:
  Offsets() = default;
  explicit Offsets(Array<std::uint32_t> narrow) : narrow_(std::move(narrow)) {}
  explicit Offsets(Array<std::uint64_t> wide) : wide_(std::move(wide)), is_wide_(true) {}

  bool is_wide() const { return is_wide_; }
  std::size_t size() const { return is_wide_ ? wide_.size() : narrow_.size(); }
  EdgeCount operator[](std::size_t i) const { return is_wide_ ? wide_[i] : narrow_[i]; }
  const void* data() const { return is_wide_ ? static_cast<const void*>(wide_.data()) : narrow_.data(); }
  const Array<std::uint32_t>& narrow() const { return narrow_; }
  const Array<std::uint64_t>& wide() const { return wide_; }

 private:
  Array<std::uint32_t> narrow_;
  Array<std::uint64_t> wide_;
  bool is_wide_ = false;
};

// Weights of the edges in one of four types, or none.
using Weights = std::variant<std::monostate, Array<std::int32_t>, Array<std::int64_t>, Array<float>, Array<double>>;

struct Csr {
  VertexId num_rows = 0;
  VertexId num_columns = 0;
  Offsets offsets;
  Array<VertexId> targets;
  Weights weights;

  EdgeCount num_edges() const { return targets.size(); }
  bool is_weighted() const { return weights.index() != 0; }
  EdgeCount degree(VertexId row) const { return offsets[std::size_t(row) + 1] - offsets[row]; }
};

// Edges as they come: parallel arrays, in any order.
struct EdgeList {
  std::uint64_t num_vertices = 0;
  Array<VertexId> sources, targets;
  Weights weights;
};

// Checks what a caller hands in (offsets ascending, columns in range); InputError says where it is not so.
void validate(const Csr& csr, Workers& workers);
void validate(const EdgeList& edges, std::uint64_t num_columns, Workers& workers);

// Rows from valid edges, each row in the order of the list; edges are kept as they are, parallel ones and loops too.
Csr build_csr(const EdgeList& edges, std::uint64_t num_columns, Workers& workers);
Csr transpose(const Csr& csr, Workers& workers);

struct Simplify {
  bool add_reverse = false;
  bool drop_self_loops = false;
};
// Every row sorted and without repetition; of parallel edges the smallest weight stays, NaN only where all are.
Csr simplify(const Csr& csr, const Simplify& options, Workers& workers);

namespace detail {
// Exclusive prefix sum of `counts` (n of them) into n + 1 offsets; throws CapacityError where Offset is too narrow.
template <class Offset>
Array<Offset> offsets_from_counts(const std::uint32_t* counts, std::size_t n) {
  Writable<Offset> offsets(n + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    offsets[i] = static_cast<Offset>(sum);
    sum += counts[i];
    if (sum > std::numeric_limits<Offset>::max()) {
      throw CapacityError(message(sum, " edges exceed the ", 8 * sizeof(Offset), "-bit offsets, which count to ",
                                  std::uint64_t(std::numeric_limits<Offset>::max())));
    }
  }
  offsets[n] = static_cast<Offset>(sum);
  return offsets.freeze();
}
}  // namespace detail

}  // namespace gaspipe
