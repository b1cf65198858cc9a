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
        struct Edge {
          VertexId target;
          Value weight;
          bool operator<(const Edge& other) const {
            return target != other.target ? target < other.target : detail::is_lighter(weight, other.weight);
          }
        };
        // Rows in their old places, shortened; then moved together.
        Writable<VertexId> loose(most_edges);
        Writable<Value> loose_weights(weighted ? most_edges : 0);
        Writable<std::uint32_t> counts(num_rows);
        workers.step("merging", num_rows);
        workers.each(num_rows, kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
          std::vector<Edge> row;
          for (std::uint64_t v = first; v < last; ++v) {
            row.clear();
            const auto add = [&](const Csr& from) {
              for (EdgeCount e = from.offsets[v]; e < from.offsets[v + 1]; ++e) {
                if (options.drop_self_loops && from.targets[e] == v) continue;
                if constexpr (weighted) {
                  row.push_back({from.targets[e], std::get<Weight>(from.weights)[e]});
                } else {
                  row.push_back({from.targets[e], Value{}});
                }
              }
            };
            add(csr);
            if (options.add_reverse) add(reverse);
            std::sort(row.begin(), row.end());
            std::uint64_t at = first_of(v);
            for (std::size_t i = 0; i < row.size(); ++i) {
              if (i > 0 && row[i].target == row[i - 1].target) continue;
              loose[at] = row[i].target;
              if constexpr (weighted) loose_weights[at] = row[i].weight;
              ++at;
            }
            counts[v] = static_cast<std::uint32_t>(at - first_of(v));
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
