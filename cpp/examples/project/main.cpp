// SPDX-License-Identifier: Apache-2.0
// Reads a graph and prints, for every vertex, its hops from vertex 0, its PageRank, and the widest path from vertex 0: an
// algorithm of hooks, compiled here for the CPU. A path is as wide as its narrowest edge.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gaspipe/engine/on_cpu.h"
#include "gaspipe/read_graph.h"
#include "gaspipe/run.h"

namespace {

template <class Number>
struct Hooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;  // no path
  static constexpr bool kReadsEdgeProperty = true;
  static Property preprocessProperty(Property width) { return width; }
  static Property scatterFunc(Property width, Property edge) { return std::min(width, edge); }
  static Property updateMergeInRAWSolver(Property a, Property b) { return std::max(a, b); }
  static Property gatherFunc(Property a, Property b) { return std::max(a, b); }
  static Property applyMerge(Property a, Property b) { return std::max(a, b); }
  static Property applyFunc(Property update, Property old, Property, unsigned& extra, unsigned) {
    extra += update > old;  // vertices with a wider path; the run ends at none
    return std::max(update, old);
  }
};

struct WidestPath {
  struct Parameters {
    template <class Visit>
    void each(Visit&&) {}
  };
  using Numbers = gaspipe::NumberList<std::uint32_t>;
  template <class Number>
  struct Program {
    using Hooks = ::Hooks<Number>;
    using Value = std::int64_t;
    const gaspipe::Context<Parameters>& context;
    Number initial(gaspipe::VertexId v) const { return v == 0 ? Number(-1) : 0; }
    gaspipe::Until until(int, const std::uint64_t* sums) const { return gaspipe::done_if(sums[0] == 0); }
    Value finish(Number width, gaspipe::VertexId v) const { return v == 0 ? -1 : Value(width); }
  };
  static const gaspipe::Description& description() {
    static constexpr gaspipe::Description text = {"Widest path.", "", "width", "0 where there is none", ""};
    return text;
  }
};

template <class T>
std::vector<T> values_of(const gaspipe::Result& result) {
  std::vector<T> values(result.size);
  std::memcpy(values.data(), result.values.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

int main(int num_words, char** words) try {
  if (num_words != 2) return std::fputs("usage: widest_paths FILE\n", stderr), 2;
  using namespace gaspipe;
  const Graph graph = from_file(words[1]);
  const auto hops = values_of<std::int32_t>(run(find_program("bfs"), graph, {{"root", std::int64_t(0)}}));
  const auto ranks = values_of<double>(run(find_program("pagerank"), graph, {}));
  const auto widths =
      values_of<std::int64_t>(run(*engine::program_table<WidestPath, engine::OnCpu>("widest_path"), graph, {}));
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    std::printf("%u: hops %d, rank %.3f, width %lld\n", v, hops[v], ranks[v], static_cast<long long>(widths[v]));
  }
  return 0;
} catch (const gaspipe::Error& error) {
  return std::fprintf(stderr, "widest_paths: %s\n", error.what()), 1;
}
