// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality, a search from every source.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace betweenness {

constexpr CpuDescription kDescription = {
    "Betweenness centrality of every vertex: on how many shortest paths between others it lies.",
    "The sum over sources s and targets t, other than the vertex, of the fraction of the shortest paths from s to t "
    "that pass through it; all vertices are targets. Pairs are ordered: of a graph with all edges in both directions, "
    "that is twice what is said where pairs are not, and the same where the sum is normalized. Edges count 1, weights "
    "are ignored, and parallel edges are different paths. Takes the time of a breadth-first search per source, "
    "or twice that.",
    "U. Brandes, \"A Faster Algorithm for Betweenness Centrality\", J. Mathematical Sociology 25(2), 2001, "
    "doi:10.1080/0022250X.2001.9990249."};

struct Parameters {
  VertexListView sources;
  bool normalized = true;
  template <class Visit>
  void each(Visit&& visit) {
    visit("sources", sources, Allowed::vertex(),
          "Where paths begin; by default everywhere. The sum over some stands for all: it is multiplied by "
          "num_vertices / len(sources) where it is normalized.");
    visit("normalized", normalized, Allowed::any(),
          "Whether the sum is divided by (num_vertices - 1) (num_vertices - 2), the ordered pairs of others.");
  }
};

struct Answer {
  Array<double> betweenness;

  template <class Visit>
  void each(Visit&& visit) {
    visit("betweenness", betweenness, "0 where no path passes");
  }
};

// The search from one source, and what every vertex gets of it. Paths are counted in a type of floating point; on a
// grid of 1000 x 1000 there are 2^1994 between two corners, more than doubles hold. Two levels meet along the edges out
// of the one or into the other, whichever are fewer.
template <class AnyRows, class Count>
class Search {
 public:
  // `in`: the edges into every vertex; null where they are not at hand.
  Search(const AnyRows& out, const AnyRows* in)
      : out_(out),
        in_(in),
        depth_(out.num_vertices(), kNoVertex),
        paths_(out.num_vertices(), 0),
        share_(out.num_vertices()),
        part_(out.num_vertices(), 0),
        order_(out.num_vertices()) {}

  // False where there are more paths than Count holds. Stops early when cancelled.
  bool run(VertexId source, Workers& workers, int worker) {
    clear();
    EdgeCount unreached_edges = out_.num_edges();
    paths_[source] = 1;
    reach(source, 0);
    levels_ = {{0, 0}};
    for (std::uint64_t first = 0; first < size_;) {
      if (workers.poll(worker)) return true;
      const std::uint64_t last = size_;
      EdgeCount edges = 0;
      for (std::uint64_t i = first; i < last; ++i) edges += out_.degree(order_[i]);
      unreached_edges -= edges;
      levels_.back().edges = edges;
      levels_.push_back({last, 0});
      if (in_ != nullptr && edges > unreached_edges + out_.num_vertices() / 4) {
        pull_paths(first, last);
      } else {
        push_paths(first, last);
      }
      first = last;
    }
    const auto is_too_large = [&](VertexId v) { return !(paths_[v] <= std::numeric_limits<Count>::max()); };
    if (std::any_of(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(size_), is_too_large)) return false;
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      if (workers.poll(worker)) return true;
      share_level(level);
    }
    share_[source] = 0;
    return true;
  }
  // What was found, in order of distance.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::uint64_t i = 0; i < size_; ++i) visit(order_[i], static_cast<double>(share_[order_[i]]));
  }

 private:
  struct Level {
    std::uint64_t first;
    EdgeCount edges;  // out of its vertices
  };

  void clear() {
    for (std::uint64_t i = 0; i < size_; ++i) {
      depth_[order_[i]] = kNoVertex;
      paths_[order_[i]] = 0;
    }
    size_ = 0;
  }
  void reach(VertexId v, VertexId depth) {
    depth_[v] = depth;
    order_[size_++] = v;
  }
  void fetch_row(const AnyRows& rows, std::uint64_t i, std::uint64_t last) const {
    if (i + engine::kRowsAhead < last) rows.prefetch_row(order_[i + engine::kRowsAhead]);
  }

  // Numbers of shortest paths to the next level: along the edges out of this one, or into what is not reached.
  void push_paths(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      fetch_row(out_, i, last);
      const VertexId v = order_[i];
      const VertexId below = depth_[v] + 1;
      const Count paths = paths_[v];
      for (const auto edge : out_[v]) {
        const VertexId u = edge.neighbor();
        if (depth_[u] == kNoVertex) reach(u, below);
        if (depth_[u] == below) paths_[u] += paths;
      }
    }
  }
  void pull_paths(std::uint64_t first, std::uint64_t last) {
    const VertexId below = depth_[order_[first]] + 1;
    for (std::uint64_t i = first; i < last; ++i) part_[order_[i]] = paths_[order_[i]];
    for (VertexId v = 0; v < out_.num_vertices(); ++v) {
      if (depth_[v] != kNoVertex) continue;
      const Count paths = sum_of_parts((*in_)[v]);
      if (paths == 0) continue;
      paths_[v] = paths;
      reach(v, below);
    }
    for (std::uint64_t i = first; i < last; ++i) part_[order_[i]] = 0;
  }
  template <class Row>
  Count sum_of_parts(const Row& row) const {
    Count sum = 0;
    for (const auto edge : row) sum += part_[edge.neighbor()];
    return sum;
  }

  // Shares of the paths that go on: for every path to a vertex, the parts of the vertices of the next level. To read
  // them takes half the time of adding to them.
  void share_level(std::size_t level) {
    const std::uint64_t first = levels_[level].first, last = levels_[level + 1].first;
    const std::uint64_t end = level + 2 < levels_.size() ? levels_[level + 2].first : last;
    if (in_ != nullptr && 2 * levels_[level + 1].edges < levels_[level].edges) {
      const VertexId above = static_cast<VertexId>(level);
      for (std::uint64_t i = first; i < last; ++i) share_[order_[i]] = 0;
      for (std::uint64_t i = last; i < end; ++i) {
        fetch_row(*in_, i, end);
        const Count part = part_of(order_[i]);
        for (const auto edge : (*in_)[order_[i]]) {
          if (depth_[edge.neighbor()] == above) share_[edge.neighbor()] += part;
        }
      }
      for (std::uint64_t i = first; i < last; ++i) share_[order_[i]] *= paths_[order_[i]];
      return;
    }
    for (std::uint64_t i = last; i < end; ++i) part_[order_[i]] = part_of(order_[i]);
    for (std::uint64_t i = first; i < last; ++i) {
      fetch_row(out_, i, last);
      share_[order_[i]] = paths_[order_[i]] * sum_of_parts(out_[order_[i]]);
    }
    for (std::uint64_t i = last; i < end; ++i) part_[order_[i]] = 0;
  }
  Count part_of(VertexId u) const { return (1 + share_[u]) / paths_[u]; }

  const AnyRows out_;
  const AnyRows* in_;
  std::vector<VertexId> depth_;
  std::vector<Count> paths_, share_;
  std::vector<Count> part_;  // of the level that the next one reads, and 0 elsewhere: paths, or a path's share
  std::vector<VertexId> order_;
  std::vector<Level> levels_;
  std::uint64_t size_ = 0;
};

// Counts in doubles, and where these do not suffice, in the widest numbers there are.
template <class AnyRows>
class SearchOf {
 public:
  SearchOf(const AnyRows& rows, const AnyRows* in) : rows_(rows), in_(in) {}

  bool run(VertexId source, Workers& workers, int worker) {
    if (!narrow_) narrow_ = std::make_shared<Search<AnyRows, double>>(rows_, in_);
    is_wide_ = !narrow_->run(source, workers, worker);
    if (!is_wide_) return true;
    if (!wide_) wide_ = std::make_shared<Search<AnyRows, long double>>(rows_, in_);
    return wide_->run(source, workers, worker);
  }
  template <class Visit>
  void each(const Visit& visit) const {
    is_wide_ ? wide_->each(visit) : narrow_->each(visit);
  }

 private:
  AnyRows rows_;
  const AnyRows* in_;
  std::shared_ptr<Search<AnyRows, double>> narrow_;
  std::shared_ptr<Search<AnyRows, long double>> wide_;
  bool is_wide_ = false;
};

// Searches run side by side, and their shares are added in the order of the sources: the same sum for any number of
// threads.
inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const PreparedGraph> form = run.relabeled(/*in_any_order=*/false);
  const Graph& graph = form ? form->graph : run.graph;
  const Array<VertexId> places = form ? form->places(run.workers) : Array<VertexId>();
  const Csr& csr = *graph.csr();
  const VertexId n = csr.num_rows;
  const std::uint64_t num_sources = parameters.sources.data ? parameters.sources.size : n;
  const Writable<double> sum(n);
  std::fill(sum.data(), sum.data() + n, 0.0);
  const auto num_workers = static_cast<std::uint64_t>(run.workers.size());
  engine::with_rows(table_of(csr), [&](const auto& rows) {
    using AnyRows = std::decay_t<decltype(rows)>;
    const bool is_symmetric = num_sources > 0 && graph.is_symmetric(run.workers);
    const AnyRows* const in = is_symmetric ? &rows : nullptr;
    std::vector<SearchOf<AnyRows>> searches(std::min(num_workers, num_sources), {rows, in});
    std::atomic<std::uint64_t> too_many{num_sources};
    run.workers.phase("searches", num_sources);
    for (std::uint64_t first = 0; first < num_sources; first += searches.size()) {
      const std::uint64_t size = std::min<std::uint64_t>(searches.size(), num_sources - first);
      const auto source = [&](std::uint64_t k) {
        return parameters.sources.data ? parameters.sources.data[k] : static_cast<VertexId>(k);
      };
      run.workers.each(size, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
        const VertexId from = source(first + i);
        if (!searches[i].run(form ? places[from] : from, run.workers, worker)) too_many = first + i;
      });
      if (too_many < num_sources) {
        throw CapacityError(message("there are more shortest paths from vertex ", source(too_many),
                                    " than floating-point numbers can count"));
      }
      for (std::uint64_t i = 0; i < size; ++i) {
        searches[i].each([&](VertexId v, double share) { sum[v] += share; });
      }
      run.workers.done(first + size);
    }
  });
  if (parameters.normalized) {
    const double others = n > 2 ? (n - 1.0) * (n - 2.0) : 1;
    const double scale = num_sources > 0 ? n / static_cast<double>(num_sources) / others : 0;
    for (VertexId v = 0; v < n; ++v) sum[v] *= scale;
  }
  return {form ? form->by_id(sum.freeze(), run.workers) : sum.freeze()};
}

}  // namespace betweenness
}  // namespace algorithm
}  // namespace gaspipe
