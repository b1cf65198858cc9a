// SPDX-License-Identifier: Apache-2.0
// Building, reversing and simplifying rows. One stable counting sort serves the first two: the input is cut into
// chunks, which sort their edges into blocks of consecutive keys; then every block is sorted on its own. Chunks and
// blocks depend on the input's size alone, so the result is the same for any number of threads.
#include "gaspipe/csr.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "weights.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kRowGrain = 1 << 12;
constexpr std::uint64_t kEdgeGrain = 1 << 16;

using detail::ElementOf;
using detail::is_weighted_v;

// Edges sorted by key, those of a key in input order. `visit(first, last, sink)` calls sink(key, value, e) for the
// input positions e in [first, last), ascending; e also finds the weight.
template <class Offset, class Weight, class Visit>
Csr sort_by_key(std::uint64_t num_keys, std::uint64_t num_values, std::uint64_t num_edges, const Weight& weight,
                Workers& workers, const Visit& visit) {
  constexpr bool weighted = is_weighted_v<Weight>;
  using Value = typename ElementOf<Weight>::Type;
  constexpr std::uint64_t kMostBlocks = 512, kMostChunks = 64;
  int shift = 0;
  while ((num_keys >> shift) >= kMostBlocks) ++shift;
  const std::size_t num_blocks = (num_keys >> shift) + 1;
  const std::size_t num_chunks = std::clamp<std::uint64_t>(num_edges / kEdgeGrain, 1, kMostChunks);
  const auto chunk_first = [&](std::uint64_t chunk) {
    return num_edges / num_chunks * chunk + std::min(chunk, num_edges % num_chunks);
  };

  std::vector<std::uint64_t> place(num_chunks * num_blocks, 0);
  workers.step("counting", num_edges);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    std::uint64_t* count = place.data() + chunk * num_blocks;
    visit(chunk_first(chunk), chunk_first(chunk + 1),
          [&](VertexId key, VertexId, std::uint64_t) { ++count[key >> shift]; });
  });
  std::vector<std::uint64_t> block_first(num_blocks + 1);
  std::uint64_t sum = 0;
  for (std::size_t block = 0; block < num_blocks; ++block) {
    block_first[block] = sum;
    for (std::size_t chunk = 0; chunk < num_chunks; ++chunk)
      sum += std::exchange(place[chunk * num_blocks + block], sum);
  }
  block_first[num_blocks] = sum;

  Writable<VertexId> keys(num_edges), values(num_edges);
  Writable<Value> weights(weighted ? num_edges : 0);
  workers.step("sorting", num_edges);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    std::uint64_t* next = place.data() + chunk * num_blocks;
    visit(chunk_first(chunk), chunk_first(chunk + 1),
          [&](VertexId key, VertexId value, [[maybe_unused]] std::uint64_t e) {
            const std::uint64_t at = next[key >> shift]++;
            keys[at] = key;
            values[at] = value;
            if constexpr (weighted) weights[at] = weight[e];
          });
  });

  Writable<Offset> offsets(num_keys + 1);
  Writable<VertexId> targets(num_edges);
  Writable<Value> target_weights(weighted ? num_edges : 0);
  workers.step("rows", num_keys);
  workers.each(num_blocks, 1, [&](std::uint64_t block, std::uint64_t, int) {
    const std::uint64_t first_key = block << shift, last_key = std::min((block + 1) << shift, num_keys);
    if (first_key >= last_key) return;
    std::vector<std::uint64_t> next(last_key - first_key, 0);
    for (std::uint64_t i = block_first[block]; i < block_first[block + 1]; ++i) ++next[keys[i] - first_key];
    std::uint64_t at = block_first[block];
    for (std::uint64_t key = first_key; key < last_key; ++key) {
      offsets[key] = static_cast<Offset>(at);
      at += std::exchange(next[key - first_key], at);
    }
    for (std::uint64_t i = block_first[block]; i < block_first[block + 1]; ++i) {
      const std::uint64_t to = next[keys[i] - first_key]++;
      targets[to] = values[i];
      if constexpr (weighted) target_weights[to] = weights[i];
    }
  });
  offsets[num_keys] = static_cast<Offset>(num_edges);

  Csr csr;
  csr.num_rows = static_cast<VertexId>(num_keys);
  csr.num_columns = static_cast<VertexId>(num_values);
  csr.offsets = Offsets(offsets.freeze());
  csr.targets = targets.freeze();
  if constexpr (weighted) csr.weights = target_weights.freeze();
  return csr;
}

template <class Visit>
Csr sort_by_key(std::uint64_t num_keys, std::uint64_t num_values, std::uint64_t num_edges, const Weights& weights,
                Workers& workers, const Visit& visit) {
  return std::visit(
      [&](const auto& weight) {
        return num_edges <= std::numeric_limits<std::uint32_t>::max()
                   ? sort_by_key<std::uint32_t>(num_keys, num_values, num_edges, weight, workers, visit)
                   : sort_by_key<std::uint64_t>(num_keys, num_values, num_edges, weight, workers, visit);
      },
      weights);
}

// Some edges of a vertex; without weights those are null.
template <class Value>
struct EdgesOfRow {
  const VertexId* targets = nullptr;
  const Value* weights = nullptr;
  EdgeCount size = 0;
};

// A row with ascending targets: as it is, or sorted in memory of its own.
template <class Value>
class SortedRow {
 public:
  // Until the next call.
  EdgesOfRow<Value> of(const EdgesOfRow<Value>& row) {
    if (std::is_sorted(row.targets, row.targets + row.size)) return row;
    targets_.assign(row.targets, row.targets + row.size);
    if (row.weights == nullptr) {
      std::sort(targets_.begin(), targets_.end());
      return {targets_.data(), nullptr, row.size};
    }
    edges_.resize(row.size);
    for (EdgeCount i = 0; i < row.size; ++i) edges_[i] = {row.targets[i], row.weights[i]};
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.target < b.target; });
    weights_.resize(row.size);
    for (EdgeCount i = 0; i < row.size; ++i) {
      targets_[i] = edges_[i].target;
      weights_[i] = edges_[i].weight;
    }
    return {targets_.data(), weights_.data(), row.size};
  }

 private:
  struct Edge {
    VertexId target;
    Value weight;
  };
  std::vector<VertexId> targets_;
  std::vector<Value> weights_;
  std::vector<Edge> edges_;
};

// A row while it is written: ascending, of parallel edges the lightest, without `dropped`.
template <class Value>
struct SimpleRow {
  VertexId* targets;
  Value* weights;
  VertexId dropped;
  EdgeCount size = 0;

  void merge(const EdgesOfRow<Value>& a, const EdgesOfRow<Value>& b) {
    EdgeCount i = 0, j = 0;
    while (i < a.size && j < b.size) a.targets[i] <= b.targets[j] ? add(a, i++) : add(b, j++);
    while (i < a.size) add(a, i++);
    while (j < b.size) add(b, j++);
  }

 private:
  void add(const EdgesOfRow<Value>& from, EdgeCount i) {
    const VertexId target = from.targets[i];
    if (target == dropped) return;
    if (size > 0 && targets[size - 1] == target) {
      if (weights != nullptr && detail::is_lighter(from.weights[i], weights[size - 1]))
        weights[size - 1] = from.weights[i];
      return;
    }
    targets[size] = target;
    if (weights != nullptr) weights[size] = from.weights[i];
    ++size;
  }
};

}  // namespace

Csr build_csr(const EdgeList& edges, std::uint64_t num_columns, Workers& workers) {
  return sort_by_key(edges.num_vertices, num_columns, edges.sources.size(), edges.weights, workers,
                     [&](std::uint64_t first, std::uint64_t last, const auto& sink) {
                       for (std::uint64_t e = first; e < last; ++e) sink(edges.sources[e], edges.targets[e], e);
                     });
}

Csr transpose(const Csr& csr, Workers& workers) {
  return sort_by_key(csr.num_columns, csr.num_rows, csr.num_edges(), csr.weights, workers,
                     [&](std::uint64_t first, std::uint64_t last, const auto& sink) {
                       // The row of `first`: the last one that starts at or before it.
                       std::uint64_t low = 0, high = csr.num_rows;
                       while (high - low > 1) {
                         const std::uint64_t middle = (low + high) / 2;
                         (csr.offsets[middle] <= first ? low : high) = middle;
                       }
                       std::uint64_t row = low;
                       for (std::uint64_t e = first; e < last; ++e) {
                         while (csr.offsets[row + 1] <= e) ++row;
                         sink(csr.targets[e], static_cast<VertexId>(row), e);
                       }
                     });
}

Csr simplify(const Csr& csr, const Simplify& options, Workers& workers) {
  const Csr reverse = options.add_reverse ? transpose(csr, workers) : Csr{};
  const std::uint64_t num_rows = csr.num_rows;
  const auto first_of = [&](std::uint64_t v) {
    return csr.offsets[v] + (options.add_reverse ? reverse.offsets[v] : 0);
  };
  const std::uint64_t most_edges = first_of(num_rows);

  return std::visit(
      [&](const auto& weight) {
        using Weight = std::decay_t<decltype(weight)>;
        constexpr bool weighted = is_weighted_v<Weight>;
        using Value = typename ElementOf<Weight>::Type;
        // Rows in their old places, shortened; then moved together.
        Writable<VertexId> loose(most_edges);
        Writable<Value> loose_weights(weighted ? most_edges : 0);
        Writable<std::uint32_t> counts(num_rows);
        const auto edges_of = [&](const Csr& from, std::uint64_t v) {
          const EdgeCount first = from.offsets[v];
          const Value* weights = nullptr;
          if constexpr (weighted) weights = std::get<Weight>(from.weights).data() + first;
          return EdgesOfRow<Value>{from.targets.data() + first, weights, from.offsets[v + 1] - first};
        };
        workers.step("merging", num_rows);
        workers.each(num_rows, kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
          SortedRow<Value> sorted;
          for (std::uint64_t v = first; v < last; ++v) {
            const EdgeCount start = first_of(v);
            SimpleRow<Value> row{loose.data() + start, weighted ? loose_weights.data() + start : nullptr,
                                 options.drop_self_loops ? static_cast<VertexId>(v) : kNoVertex};
            const EdgesOfRow<Value> out = sorted.of(edges_of(csr, v));
            // Those of the reverse ascend: they were put there in the order of their sources.
            row.merge(out, options.add_reverse ? edges_of(reverse, v) : EdgesOfRow<Value>{});
            counts[v] = static_cast<std::uint32_t>(row.size);
          }
        });

        Csr result;
        result.num_rows = csr.num_rows;
        result.num_columns = csr.num_columns;
        const bool narrow = most_edges <= std::numeric_limits<std::uint32_t>::max();
        result.offsets = narrow ? Offsets(detail::offsets_from_counts<std::uint32_t>(counts.data(), num_rows))
                                : Offsets(detail::offsets_from_counts<std::uint64_t>(counts.data(), num_rows));
        const std::uint64_t num_edges = result.offsets[num_rows];
        Writable<VertexId> targets(num_edges);
        Writable<Value> weights(weighted ? num_edges : 0);
        workers.step("moving", num_rows);
        workers.each(num_rows, kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
          for (std::uint64_t v = first; v < last; ++v) {
            std::copy_n(loose.data() + first_of(v), counts[v], targets.data() + result.offsets[v]);
            if constexpr (weighted)
              std::copy_n(loose_weights.data() + first_of(v), counts[v], weights.data() + result.offsets[v]);
          }
        });
        result.targets = targets.freeze();
        if constexpr (weighted) result.weights = weights.freeze();
        return result;
      },
      csr.weights);
}

}  // namespace gaspipe
