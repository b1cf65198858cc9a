// SPDX-License-Identifier: Apache-2.0
// Sums along paths that were too large for a number format, found at the end of a run. During the run they count as no
// path, so every answer that fits is right, and one that does not fit is missing. The first vertex of its path without
// an answer is then the end of an edge from a vertex that has one. This is exact, and the same for every device and
// method: sums that a better path replaced play no part.
#include "cpp/src/run/overflow.h"

#include <atomic>
#include <cmath>
#include <type_traits>
#include <variant>

#include "gaspipe/largest_finite.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kBoundGrain = 1 << 13;  // vertices
constexpr double kNearlyAll = 0.999;            // of a format; below it, rounding to doubles plays no part

template <class Value>
bool has_answer(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return std::isfinite(value);
  } else {
    return value >= 0;
  }
}

// Whether an edge of finite weight leads from a vertex with an answer to one without.
template <class Value, class IsFinite>
bool is_missing_one(const Csr& rows, const Value* values, const IsFinite& is_finite, Workers& workers) {
  std::atomic<bool> found{false};
  workers.each(rows.num_rows, kBoundGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    for (std::uint64_t u = first; u < last && !found.load(std::memory_order_relaxed); ++u) {
      if (!has_answer(values[u])) continue;
      for (EdgeCount e = rows.offsets[u]; e < rows.offsets[u + 1]; ++e) {
        if (!has_answer(values[rows.targets[e]]) && is_finite(e)) found = true;
      }
      if (workers.poll(worker)) return;
    }
  });
  return found;
}

// Likewise, of edges that stay in a file.
template <class Value>
bool is_missing_one(const StoredEdges& stored, View view, const Value* values, Workers& workers) {
  const bool is_float = stored.weight_type() == abi::kFloat32 || stored.weight_type() == abi::kFloat64;
  const auto is_finite = [&](const std::uint8_t* weights, std::uint32_t e) {
    if (!is_float) return true;
    if (stored.weight_type() == abi::kFloat32) return std::isfinite(reinterpret_cast<const float*>(weights)[e]);
    return std::isfinite(reinterpret_cast<const double*>(weights)[e]);
  };
  bool found = false;
  stored.scan(
      stored.view(view, true, true), [&] { return workers.poll(0); },
      [&](const BlockEntry& block, const BlockPiece& piece) {
        const Value* const into = values + std::uint64_t(block.partition) * kBlockCapacity;
        std::uint32_t e = 0;
        for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
          const std::uint32_t end = e + piece.run_lengths[run];
          const bool may_miss = has_answer(values[piece.run_sources[run]]);
          for (; e < end; ++e) {
            found |= may_miss && !has_answer(into[piece.destinations[e]]) && is_finite(piece.weights, e);
          }
        }
      });
  return found;
}

template <class Value>
bool values_overflow(double largest_sum, const Graph& graph, View view, bool is_part, const Value* values,
                     Workers& workers) {
  const double near = kNearlyAll * largest_sum, weight = graph.largest_weight(workers);
  // No path has as many edges, and rounding adds at most a weight to each sum.
  if (!is_part && 2 * weight * graph.num_vertices() < near) return false;
  if (largest_finite(values, graph.num_vertices(), workers) + weight < near) return false;
  if (graph.stored()) return is_missing_one(*graph.stored(), view, values, workers);
  const auto shared = graph.view(view, workers);
  const Csr& rows = *shared;
  return std::visit(
      [&](const auto& weights) {
        return is_missing_one(
            rows, values,
            [&](EdgeCount e) {
              if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
                return true;
              } else {
                return std::isfinite(static_cast<double>(weights[e]));
              }
            },
            workers);
      },
      rows.weights);
}

}  // namespace

bool has_overflowed(const abi::Instance& instance, const Graph& graph, View view, bool is_part, const void* values,
                    Workers& workers) {
  const double largest = instance.largest_sum;
  if (largest == 0) return false;
  switch (instance.value_type) {
    case abi::kInt32:
      return values_overflow(largest, graph, view, is_part, static_cast<const std::int32_t*>(values), workers);
    case abi::kInt64:
      return values_overflow(largest, graph, view, is_part, static_cast<const std::int64_t*>(values), workers);
    case abi::kFloat32:
      return values_overflow(largest, graph, view, is_part, static_cast<const float*>(values), workers);
    default:
      return values_overflow(largest, graph, view, is_part, static_cast<const double*>(values), workers);
  }
}

}  // namespace gaspipe
