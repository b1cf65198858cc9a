// SPDX-License-Identifier: Apache-2.0
// Blocks are in the order of partitions and have the edges of a source in the order of destinations, so one pass over
// the file meets the edges of every row in the row's order, those of other rows between them.
#include "cpp/src/stream/stored_transitions.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <type_traits>

#include "cpp/src/graph/fixed_shares.h"
#include "cpp/src/stream/temporary_file.h"
#include "gaspipe/csr.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint32_t kBlockEdges = 1 << 15;
constexpr std::uint8_t kZeros[kBlockAlignment] = {};

// Weight of edge e of a piece; void: every edge weighs 1.
template <class Weight>
Weight weight_of(const BlockPiece& piece, std::uint32_t e) {
  return reinterpret_cast<const Weight*>(piece.weights)[e];
}

// visit(source, destination, weight) for all edges.
template <class Weight, class Visit>
void each_edge(const StoredEdges& edges, const StoredView& view, const std::function<bool()>& stopped,
               const Visit& visit) {
  edges.scan(view, stopped, [&](const BlockEntry& block, const BlockPiece& piece) {
    const VertexId first = block.partition * kBlockCapacity;
    std::uint32_t e = 0;
    for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
      for (const std::uint32_t end = e + piece.run_lengths[run]; e < end; ++e) {
        if constexpr (std::is_void_v<Weight>) {
          visit(piece.run_sources[run], first + piece.destinations[e], std::int32_t(1));
        } else {
          visit(piece.run_sources[run], first + piece.destinations[e], weight_of<Weight>(piece, e));
        }
      }
    }
  });
}

// Calls f with a null pointer to the type of the weights; to void where there are none.
template <class F>
auto with_weight_type(abi::Scalar type, const F& f) {
  switch (type) {
    case abi::kInt32:
      return f(static_cast<std::int32_t*>(nullptr));
    case abi::kInt64:
      return f(static_cast<std::int64_t*>(nullptr));
    case abi::kFloat32:
      return f(static_cast<float*>(nullptr));
    case abi::kFloat64:
      return f(static_cast<double*>(nullptr));
    default:
      return f(static_cast<void*>(nullptr));
  }
}

template <class Weight>
RowSums row_sums(const StoredEdges& edges, const StoredView& forward, const std::function<bool()>& stopped) {
  const std::size_t n = edges.num_vertices();
  std::vector<CompensatedSum> sums(n);
  const Writable<std::uint64_t> offsets(n + 1);
  std::fill(offsets.data(), offsets.data() + n + 1, std::uint64_t(0));
  each_edge<Weight>(edges, forward, stopped, [&](VertexId source, VertexId destination, auto weight) {
    if (!(weight >= 0) || static_cast<double>(weight) > std::numeric_limits<double>::max()) {
      throw InputError(message(edges.file()->name(), ": edge ", source, " -> ", destination, " has weight ", weight,
                               "; probabilities of following edges need finite weights >= 0"));
    }
    offsets[std::size_t(source) + 1] += weight != 0;
    sums[source].add(static_cast<double>(weight));
  });
  RowSums rows;
  rows.sums.resize(n);
  bool are_finite = true;
  for (std::size_t v = 0; v < n; ++v) {
    offsets[v + 1] += offsets[v];
    rows.sums[v] = sums[v].value();
    if (std::isfinite(rows.sums[v])) continue;
    are_finite = false;
    sums[v] = {};
  }
  rows.offsets = offsets.freeze();
  if (are_finite) return rows;
  each_edge<Weight>(edges, forward, stopped, [&](VertexId source, VertexId, auto weight) {
    if (!std::isfinite(rows.sums[source])) sums[source].add(kScaleOfLargeSums * static_cast<double>(weight));
  });
  for (std::size_t v = 0; v < n; ++v) {
    if (!std::isfinite(rows.sums[v])) rows.sums[v] = -sums[v].value();
  }
  return rows;
}

// A row while its edges come by.
struct Row {
  FixedShares shares;
  std::uint64_t num_left = 0;  // edges whose weight is not 0
};
static_assert(sizeof(Row) == kFixedTransitionBytes);

template <class Weight>
void write_edges(const StoredEdges& edges, const StoredView& forward, const RowSums& rows,
                 const std::function<bool()>& stopped, BlockWriter& writer) {
  std::vector<Row> under_way(edges.num_vertices());
  for (std::size_t v = 0; v < under_way.size(); ++v) under_way[v].num_left = rows.offsets[v + 1] - rows.offsets[v];
  each_edge<Weight>(edges, forward, stopped, [&](VertexId source, VertexId destination, auto weight) {
    if (weight == 0) return;
    Row& row = under_way[source];
    const double sum = rows.sums[source];
    const bool is_last = --row.num_left == 0;
    const std::int64_t share = row.shares.next(scale_of(sum) * static_cast<double>(weight), std::abs(sum), is_last);
    writer.add(source, destination, &share);
  });
  writer.finish();
}

}  // namespace

RowSums find_row_sums(const StoredEdges& edges, const StoredView& forward, const std::function<bool()>& stopped) {
  return with_weight_type(edges.weight_type(), [&](auto* type) {
    return row_sums<std::remove_pointer_t<decltype(type)>>(edges, forward, stopped);
  });
}

std::shared_ptr<const StoredEdges> write_fixed_transitions(const StoredEdges& edges, const StoredView& forward,
                                                           const RowSums& rows, const std::function<bool()>& stopped) {
  static_assert(kBlockEdges * (sizeof(std::int64_t) + sizeof(std::uint16_t) + 2 + 4 + 1 + 4) < kMostFixedBlockBytes);
  const std::string folder = edges.folder().empty() ? std::filesystem::temp_directory_path().string() : edges.folder();
  detail::TemporaryFile file(folder, "transition probabilities");
  const int descriptor = file.make(0);
  StoredView view;
  BlockWriter writer(
      sizeof(std::int64_t),
      [&](BlockEntry entry, const std::uint8_t* bytes) {
        file.append(kZeros, (kBlockAlignment - file.size() % kBlockAlignment) % kBlockAlignment);
        entry.start = file.size();
        file.append(bytes, entry.bytes);
        view.blocks.push_back(entry);
      },
      kBlockEdges);
  with_weight_type(edges.weight_type(), [&](auto* type) {
    write_edges<std::remove_pointer_t<decltype(type)>>(edges, forward, rows, stopped, writer);
  });
  std::array<std::optional<StoredView>, 3> views;
  views[static_cast<std::size_t>(View::kForward)] = std::move(view);
  auto read = std::make_shared<const ReadFile>("transition probabilities of " + edges.file()->name(), descriptor);
  return std::make_shared<const StoredEdges>(std::move(read), edges.num_vertices(), abi::kInt64, StoredFacts(),
                                             std::move(views), edges.memory());
}

}  // namespace gaspipe
