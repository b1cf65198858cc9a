// SPDX-License-Identifier: Apache-2.0
// Communities by label propagation.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace label_propagation {

constexpr CpuDescription kDescription = {
    "Community of every vertex: the label that most of its neighbors have, again and again.",
    "As LDBC Graphalytics has it (CDLP): labels begin as vertex ids, all vertices change at once, and of labels "
    "that are equally frequent the smallest is taken. A neighbor counts for every edge from it and every edge to "
    "it. Steps end when no label changes, or after `max_iter`: labels may alternate for ever. Edge weights are "
    "ignored.",
    "U. Raghavan, R. Albert, S. Kumara, \"Near Linear Time Algorithm to Detect Community Structures in Large-Scale "
    "Networks\", Physical Review E 76, 2007, doi:10.1103/PhysRevE.76.036106."};

struct Parameters {
  int max_iter = 10;
  template <class Visit>
  void each(Visit&& visit) {
    visit("max_iter", max_iter, Allowed::at_least(0), "Most steps.");
  }
};

struct Answer {
  Table<std::int64_t> label{"num_vertices", /*has_vertices=*/true};
  std::int64_t num_labels = 0, num_steps = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("label", label, "a vertex id of the community, as a rule of a member");
    visit("num_labels", num_labels, "different labels");
    visit("num_steps", num_steps, "steps that were taken");
  }
};

// Finds the most frequent of some labels. Few are sorted, many are counted in a table of hashes.
class Votes {
 public:
  void clear(EdgeCount most) {
    labels_.clear();
    labels_.reserve(most);
  }
  void add(VertexId label) { labels_.push_back(label); }

  // The smallest of those that are most frequent; there is one at least.
  VertexId winner() { return labels_.size() <= kFew ? by_sorting() : by_counting(); }

 private:
  static constexpr std::size_t kFew = 64;
  struct Count {
    VertexId label;
    std::uint32_t votes;
  };

  VertexId by_sorting() {
    std::sort(labels_.begin(), labels_.end());
    VertexId best = labels_[0];
    std::size_t most = 0;
    for (std::size_t i = 0, first = 0; i < labels_.size(); ++i) {
      if (labels_[i] != labels_[first]) first = i;
      if (i + 1 - first > most) {
        most = i + 1 - first;
        best = labels_[i];
      }
    }
    return best;
  }
  VertexId by_counting() {
    std::size_t size = 1;
    while (size < 2 * labels_.size()) size *= 2;
    counts_.assign(size, {0, 0});
    Count best{kNoVertex, 0};
    for (const VertexId label : labels_) {
      std::size_t at = label * std::size_t(0x9e3779b97f4a7c15u) >> 20 & (size - 1);
      while (counts_[at].votes != 0 && counts_[at].label != label) at = (at + 1) & (size - 1);
      counts_[at].label = label;
      const std::uint32_t votes = ++counts_[at].votes;
      if (votes > best.votes || (votes == best.votes && label < best.label)) best = {label, votes};
    }
    return best.label;
  }

  std::vector<VertexId> labels_;
  std::vector<Count> counts_;
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  constexpr std::uint64_t kGrain = 256;
  const bool is_symmetric = run.graph.is_symmetric(run.workers);
  const std::shared_ptr<const Csr> out = run.view(View::kForward);
  // In a symmetric graph every neighbor would count twice.
  const std::shared_ptr<const Csr> in = is_symmetric ? nullptr : run.view(View::kReverse);
  const VertexId n = out->num_rows;
  std::vector<VertexId> labels(n), next(n);
  std::iota(labels.begin(), labels.end(), 0);
  std::vector<Votes> votes(static_cast<std::size_t>(run.workers.size()));
  const engine::Rows<> forward(table_of(*out)), reverse(table_of(in ? *in : *out));
  Answer answer;
  std::atomic<bool> has_changed{n > 0};
  run.workers.phase("steps", static_cast<std::uint64_t>(parameters.max_iter));
  while (has_changed && answer.num_steps < parameters.max_iter) {
    has_changed = false;
    run.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Votes& mine = votes[static_cast<std::size_t>(worker)];
      bool changes = false;
      for (std::uint64_t i = first; i < last; ++i) {
        const auto v = static_cast<VertexId>(i);
        const EdgeCount degree = forward.degree(v) + (in ? reverse.degree(v) : 0);
        next[v] = labels[v];
        if (degree == 0) continue;
        mine.clear(degree);
        for (const auto edge : forward[v]) mine.add(labels[edge.neighbor()]);
        if (in) {
          for (const auto edge : reverse[v]) mine.add(labels[edge.neighbor()]);
        }
        next[v] = mine.winner();
        changes |= next[v] != labels[v];
      }
      if (changes) has_changed.store(true, std::memory_order_relaxed);
    });
    labels.swap(next);
    run.workers.done(static_cast<std::uint64_t>(++answer.num_steps));
  }
  const Writable<std::int64_t> label(n);
  std::copy(labels.begin(), labels.end(), label.data());
  std::vector<bool> is_used(n);
  for (const VertexId used : labels) {
    answer.num_labels += !is_used[used];
    is_used[used] = true;
  }
  answer.label.values = label.freeze();
  return answer;
}

}  // namespace label_propagation
}  // namespace algorithm
}  // namespace gaspipe
