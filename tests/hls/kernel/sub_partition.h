// SPDX-License-Identifier: Apache-2.0
// A sub-partition for the tests of the gather-scatter kernels: random edges, as device memory holds them, and what a
// plain loop gathers from them.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "hls/bit_set.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {
namespace testing {

// Edges sorted by source into destinations [first, last), as device memory holds them.
template <class Hooks>
struct SubPartition {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  struct Edge {
    VertexId source, destination;
    Weight weight;
  };

  VertexId first, last;
  std::vector<Edge> edges;
  std::vector<Word<VertexId>> sources, destinations;
  std::vector<Word<Weight>> weights;
  std::vector<Word<Property>> properties;

  // Edges as given, sorted by source.
  SubPartition(VertexId first_vertex, VertexId last_vertex, std::vector<Edge> sorted)
      : first(first_vertex), last(last_vertex), edges(std::move(sorted)) {
    const std::size_t num_edges = edges.size(), num_words = (num_edges + 15) / 16;
    sources.resize(num_words);
    destinations.resize(num_words);
    weights.resize(num_words * 16 / Word<Weight>::kSize);
    for (std::size_t i = 0; i < num_words * 16; ++i) {
      const bool is_edge = i < num_edges;
      sources[i / 16].lane[i % 16] = is_edge ? edges[i].source : edges.back().source;
      destinations[i / 16].lane[i % 16] = is_edge ? edges[i].destination : kNoVertex;
      weights[i / Word<Weight>::kSize].lane[i % Word<Weight>::kSize] = is_edge ? edges[i].weight : Weight(0);
    }
  }
  // Random edges and properties. Sub-partitions of one graph have one `property_seed`; 0: their own.
  SubPartition(VertexId num_vertices, VertexId first_vertex, VertexId last_vertex, std::size_t num_edges, unsigned seed,
               unsigned property_seed = 0) {
    std::mt19937 random(seed);
    std::vector<Edge> drawn;
    for (std::size_t i = 0; i < num_edges; ++i) {
      drawn.push_back({VertexId(random() % num_vertices),
                       VertexId(first_vertex + random() % (last_vertex - first_vertex)), Weight(random() % 9 + 1)});
    }
    std::stable_sort(drawn.begin(), drawn.end(), [](const Edge& a, const Edge& b) { return a.source < b.source; });
    *this = SubPartition(first_vertex, last_vertex, std::move(drawn));
    if (property_seed != 0) random.seed(property_seed);
    properties.resize((num_vertices + Word<Property>::kSize - 1) / Word<Property>::kSize);
    for (auto& word : properties) {
      for (Property& property : word.lane)
        property = random() % 3 == 0 ? Traits<Hooks>::identity() : drawn_property(Property{}, random);
    }
  }
  template <class Number>
  static Number drawn_property(Number, std::mt19937& random) {
    return Number(random() % 50);
  }
  static BitSet<512> drawn_property(BitSet<512> some, std::mt19937& random) {
    for (int i = 0; i < 5; ++i) add_bit(some, static_cast<int>(random() % 512), true);
    return some;
  }
  Property property(VertexId v) const { return properties[v / Word<Property>::kSize].lane[v % Word<Property>::kSize]; }

  // What every vertex of the range gathers.
  std::vector<Value> plain(bool weighted) const {
    std::vector<Value> gathered(last - first, Traits<Hooks>::identity());
    for (const Edge& edge : edges) {
      const Value update =
          Hooks::scatterFunc(Hooks::preprocessProperty(property(edge.source)), weighted ? edge.weight : Weight(1));
      if (!Traits<Hooks>::is_active(update)) continue;
      Value& at = gathered[edge.destination - first];
      at = Hooks::gatherFunc(at, update);
    }
    return gathered;
  }
  // The vertices' values in words of memory.
  std::vector<Value> values_of(const std::vector<Word<Value>>& words) const {
    std::vector<Value> values;
    for (VertexId v = 0; v < last - first; ++v)
      values.push_back(words[v / Word<Value>::kSize].lane[v % Word<Value>::kSize]);
    return values;
  }
  std::size_t num_gathered_words() const { return (last - first + Word<Value>::kSize - 1) / Word<Value>::kSize; }
  std::uint32_t num_words() const { return static_cast<std::uint32_t>(sources.size()); }
};

}  // namespace testing
}  // namespace gaspipe
