// SPDX-License-Identifier: Apache-2.0
// Communities by modularity: Louvain's method, from fine to coarse and back, twice.
#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/both_directions.h"
#include "cpp/algorithm/common/community_graph.h"
#include "cpp/algorithm/common/community_moves.h"
#include "cpp/algorithm/common/connected_parts.h"
#include "cpp/algorithm/common/weights.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace louvain {

constexpr CpuDescription kDescription = {
    "Community of every vertex, by modularity: with many edges inside, and few between.",
    "Vertices move to the community where modularity gains most, communities become the vertices of the next level, "
    "and on the way back to the first level vertices move again. All that is done twice, unless `refine=False`: the "
    "second time within the communities of the first, until these have formed again. Nothing is random, and the "
    "answer is the same for any number of threads; NetworkX's `louvain_communities` visits vertices in random order, "
    "and finds others. "
    "Communities are connected. Directions of edges are ignored: a graph with all edges in both directions is "
    "NetworkX's `Graph`, or `MultiGraph`, and of another every edge counts as one of a `MultiGraph`. Parallel edges "
    "add up, a self-loop counts twice in the degree of its vertex, and an edge of weight 0 is none. Weights are "
    "rounded to 2^-57 of their sum. Modularity is 0 where no edge weighs anything.",
    "V. Blondel, J. Guillaume, R. Lambiotte, E. Lefebvre, \"Fast Unfolding of Communities in Large Networks\", J. "
    "Statistical Mechanics, 2008, P10008, doi:10.1088/1742-5468/2008/10/P10008; R. Rotta, A. Noack, \"Multilevel "
    "Local Search Algorithms for Modularity Clustering\", J. Experimental Algorithmics 16, 2011, "
    "doi:10.1145/1963190.1970376."};

struct Parameters {
  double resolution = 1;
  double threshold = 1e-7;
  int max_level = 1000;
  bool refine = true;
  bool weights = true;
  template <class Visit>
  void each(Visit&& visit) {
    visit("resolution", resolution, Allowed::at_least(0), "Above 1 communities are smaller, below 1 larger.");
    visit("threshold", threshold, Allowed::at_least(0), "A level that gains no more modularity is the last.");
    visit("max_level", max_level, Allowed::at_least(1), "Most levels.");
    visit("refine", refine, Allowed::any(),
          "Whether all is done a second time: better communities in twice to three times the time.");
    visit("weights", weights, Allowed::any(),
          "Whether edges count by their weights, which must be finite and >= 0 then. Without, or in a graph that has "
          "none, all count 1.");
  }
};

struct Answer {
  Table<std::int64_t> community{"num_vertices", /*has_vertices=*/true};
  double modularity = 0;
  std::int64_t num_communities = 0, num_levels = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("community", community, "the smallest vertex id in the community");
    visit("modularity", modularity, "of these communities");
    visit("num_communities", num_communities, "how many there are");
    visit("num_levels", num_levels, "how often communities became vertices; 0 where no vertex moved");
  }
};

template <class AnyRows>
class Louvain {
 public:
  // `loops` is the sum of what self-loops add to strengths.
  Louvain(const AnyRows& rows, Strengths strengths, std::int64_t loops, const Parameters& parameters, Workers& workers)
      : rows_(rows),
        loops_(loops),
        parameters_(parameters),
        workers_(workers),
        levels_(1),
        sums_(static_cast<std::size_t>(workers.size())) {
    levels_[0].strengths = std::move(strengths);
  }

  Answer run() {
    Answer answer;
    std::vector<VertexId> community(rows_.num_vertices());
    std::iota(community.begin(), community.end(), 0);
    workers_.phase("rounds", 0);
    if (levels_[0].strengths.sum > 0) {
      community = to_coarse_and_back({}, VisitOrder::kById);
      answer.num_levels = num_levels();
      if (parameters_.refine && num_levels() < parameters_.max_level) {
        std::vector<VertexId> again = to_coarse_and_back(community, VisitOrder::kScattered);
        if (modularity(again) > modularity(community)) {
          community = std::move(again);
          answer.num_levels = num_levels();
        }
      }
      community = connected_parts(rows_, community, workers_);  // modularity never loses by that
    }
    answer.modularity = modularity(community);
    const Writable<std::int64_t> smallest(community.size());
    for (std::size_t v = 0; v < community.size(); ++v) {
      smallest[v] = community[v];
      answer.num_communities += community[v] == v;
    }
    answer.community.values = smallest.freeze();
    return answer;
  }

 private:
  static constexpr double kLeastGain = 1e-3, kLeastGainBack = 1e-5;  // of a round
  struct Level {
    CommunityGraph graph;  // of all levels but the first
    Strengths strengths;
    std::vector<VertexId> community;  // of its vertices: vertices of the next level
  };

  std::int64_t num_levels() const { return static_cast<std::int64_t>(levels_.size()) - 1; }

  template <class Visit>
  auto with_rows_of(std::size_t level, const Visit& visit) {
    return level == 0 ? visit(rows_) : visit(levels_[level].graph.rows());
  }

  // Where `region` is given, vertices stay within theirs until no level gains by that.
  std::vector<VertexId> to_coarse_and_back(std::vector<VertexId> region, VisitOrder order) {
    levels_.resize(1);
    std::int64_t inner = loops_;
    double before = modularity_of(inner, levels_[0].strengths, parameters_.resolution);
    while (num_levels() < parameters_.max_level) {
      Level next = next_level(region, order);
      const std::vector<VertexId>& community = levels_.back().community;
      double after = before;
      if (next.graph.num_vertices < community.size()) {
        inner = std::accumulate(next.graph.inner.begin(), next.graph.inner.end(), inner);
        after = modularity_of(inner, next.strengths, parameters_.resolution);
        if (!region.empty()) {
          std::vector<VertexId> of_next(next.graph.num_vertices);
          for (std::size_t v = 0; v < community.size(); ++v) of_next[community[v]] = region[v];
          region = std::move(of_next);
        }
        levels_.push_back(std::move(next));
      }
      if (after - before <= parameters_.threshold) {
        if (region.empty()) break;
        region.clear();
      }
      before = after;
    }
    if (num_levels() == 0) return levels_[0].community;
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      std::vector<VertexId>& community = levels_[level].community;
      if (level + 2 < levels_.size()) {
        for (VertexId& c : community) c = levels_[level + 1].community[c];
      }
      with_rows_of(level, [&](const auto& rows) { move(rows, level, community, nullptr, order, kLeastGainBack); });
    }
    return levels_[0].community;
  }

  // Finds communities of the vertices of the last level.
  Level next_level(const std::vector<VertexId>& region, VisitOrder order) {
    const std::size_t level = levels_.size() - 1;
    std::vector<VertexId>& community = levels_[level].community;
    const Strengths& strengths = levels_[level].strengths;
    community.resize(strengths.of.size());
    std::iota(community.begin(), community.end(), 0);
    return with_rows_of(level, [&](const auto& rows) {
      move(rows, level, community, region.empty() ? nullptr : &region, order, kLeastGain);
      Level next;
      const VertexId count = number_communities(community);
      if ((next.graph.num_vertices = count) == community.size()) return next;
      next.strengths = strengths_of(strengths, community, count);
      const auto each_edge = [&](VertexId v, const auto& take) {
        for (const auto edge : rows[v]) {
          if (edge.neighbor() != v) take(edge.neighbor(), weight_of(edge));
        }
      };
      next.graph = aggregate(community, count, each_edge, sums_, workers_);
      return next;
    });
  }

  template <class Rows>
  void move(const Rows& rows, std::size_t level, std::vector<VertexId>& community, const std::vector<VertexId>* region,
            VisitOrder order, double least_gain) {
    const Strengths& strengths = levels_[level].strengths;
    CommunityMoves<Rows>(rows, strengths, parameters_.resolution, community, region, order, sums_, workers_)
        .run(least_gain, [&] { workers_.done(++num_rounds_); });
  }

  // Of communities of the first level.
  double modularity(const std::vector<VertexId>& community) {
    constexpr std::uint64_t kGrain = 1 << 10;
    std::vector<std::int64_t> inner(static_cast<std::size_t>(workers_.size()), 0);
    workers_.each(community.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      std::int64_t sum = 0;
      for (std::uint64_t v = first; v < last; ++v) {
        for (const auto edge : rows_[static_cast<VertexId>(v)]) {
          const VertexId u = edge.neighbor();
          if (u != v && community[u] == community[v]) sum += weight_of(edge);
        }
      }
      inner[static_cast<std::size_t>(worker)] += sum;
    });
    return modularity_of(std::accumulate(inner.begin(), inner.end(), loops_),
                         strengths_of(levels_[0].strengths, community, rows_.num_vertices()), parameters_.resolution);
  }

  const AnyRows rows_;
  const std::int64_t loops_;
  const Parameters& parameters_;
  Workers& workers_;
  std::vector<Level> levels_;
  std::vector<CommunitySums> sums_;
  std::uint64_t num_rounds_ = 0;
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const bool is_symmetric = run.graph.is_symmetric(run.workers);
  const bool is_weighted = parameters.weights && run.graph.is_weighted();
  const auto communities_of = [&](const auto& rows, Strengths strengths, std::int64_t loops) {
    return Louvain<std::decay_t<decltype(rows)>>(rows, std::move(strengths), loops, parameters, run.workers).run();
  };
  if (is_symmetric && !is_weighted) {
    return engine::with_rows(table_of(*run.graph.csr()), [&](const auto& rows) {
      Strengths strengths{std::vector<std::int64_t>(rows.num_vertices()), 0};
      std::int64_t loops = 0;
      for (VertexId v = 0; v < rows.num_vertices(); ++v) {
        std::int64_t loops_here = 0;
        for (const auto edge : rows[v]) loops_here += edge.neighbor() == v;
        strengths.of[v] = static_cast<std::int64_t>(rows.degree(v)) + loops_here;
        strengths.sum += strengths.of[v];
        loops += 2 * loops_here;
      }
      return communities_of(rows, std::move(strengths), loops);
    });
  }
  if (is_weighted) check_weights(*run.graph.csr(), false, "louvain", run.workers);
  const CommunityGraph graph = both_directions(run, is_weighted, is_symmetric ? 2 : 1);
  Strengths strengths{graph.inner, 0};
  const std::int64_t loops = std::accumulate(graph.inner.begin(), graph.inner.end(), std::int64_t(0));
  const auto rows = graph.rows();
  for (VertexId v = 0; v < rows.num_vertices(); ++v) {
    for (const auto edge : rows[v]) strengths.of[v] += edge.weight();
    strengths.sum += strengths.of[v];
  }
  return communities_of(rows, std::move(strengths), loops);
}

}  // namespace louvain
}  // namespace algorithm
}  // namespace gaspipe
