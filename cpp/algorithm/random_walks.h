// SPDX-License-Identifier: Apache-2.0
// Random walks, of first and second order. A step of second order is a step of first order that is accepted with a
// probability by where it leads. Method of that: K. Yang et al., "KnightKing: A Fast Distributed Graph Random Walk
// Engine", SOSP 2019, doi:10.1145/3341301.3359634.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "cpp/algorithm/common/memory.h"
#include "cpp/algorithm/common/weights.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/generate.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace random_walks {

constexpr CpuDescription kDescription = {
    "Random walks from every vertex, or from some: the sentences of DeepWalk and node2vec.",
    "A walk follows the edges in their direction, each out-edge of a vertex with the same probability or, with "
    "`weights`, in proportion to its weight; parallel edges and self-loops are edges like others. It ends where no "
    "out-edge weighs anything. With p and q other than 1, the step after an edge t -> v is weighed as in node2vec: "
    "an edge v -> x counts 1 / p times where x is t, once where there is an edge t -> x, and 1 / q times elsewhere. "
    "A walk depends on `seed`, its source and its number among the walks from there, and on nothing else.",
    "B. Perozzi, R. Al-Rfou, S. Skiena, \"DeepWalk: Online Learning of Social Representations\", KDD 2014, "
    "doi:10.1145/2623330.2623732; A. Grover, J. Leskovec, \"node2vec: Scalable Feature Learning for Networks\", KDD "
    "2016, doi:10.1145/2939672.2939754."};

struct Parameters {
  VertexListView sources;
  int length = 80, num_walks = 1;
  double p = 1, q = 1;
  bool weights = false;
  int seed = 0;

  template <class Visit>
  void each(Visit&& visit) {
    constexpr int kMost = std::numeric_limits<int>::max() - 1;
    visit("sources", sources, Allowed::vertex(), "Where walks start; by default everywhere.");
    visit("length", length, Allowed::between(0, kMost), "Steps of a walk: it has one vertex more.");
    visit("num_walks", num_walks, Allowed::between(1, kMost), "Walks from every source; node2vec takes 10.");
    visit("p", p, Allowed::between(1e-9, 1e9), "Return parameter: the higher, the fewer steps back.");
    visit("q", q, Allowed::between(1e-9, 1e9), "In-out parameter: the higher, the nearer walks stay.");
    visit("weights", weights, Allowed::any(), "Whether steps go by the edges' weights, which must be finite and >= 0.");
    visit("seed", seed, Allowed::between(0, kMost), "Another seed gives other walks.");
  }
};

struct Answer {
  Table<std::int64_t> walks{"num_sources * num_walks, length + 1", /*has_vertices=*/true};

  template <class Visit>
  void each(Visit&& visit) {
    visit("walks", walks, "the vertices of each, those of a source together; -1 after the end of a walk");
  }
};

// Of the weights in every row, by edge; empty without weights.
inline Writable<double> running_sums(const Csr& csr, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 10;
  return std::visit(
      [&](const auto& weights) {
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          return Writable<double>();
        } else {
          check_weights(csr, false, "random_walks", workers);
          const Writable<double> sums(csr.num_edges());
          workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
            for (std::uint64_t v = first; v < last; ++v) {
              double sum = 0;
              for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
                sums[e] = sum += static_cast<double>(weights[e]);
              }
              if (!std::isinf(sum)) continue;
              throw InputError("the weights of a vertex's edges have a sum above the largest double; scale them down");
            }
          });
          return sums;
        }
      },
      csr.weights);
}

// The neighbors of every vertex in ascending order, by edge.
inline Writable<VertexId> sorted_neighbors(const Csr& csr, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 10;
  const Writable<VertexId> sorted(csr.num_edges());
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      VertexId* const row = sorted.data() + csr.offsets[v];
      VertexId* const end =
          std::copy(csr.targets.data() + csr.offsets[v], csr.targets.data() + csr.offsets[v + 1], row);
      if (!std::is_sorted(row, end)) std::sort(row, end);
    }
  });
  return sorted;
}

// The numbers of one walk.
class Dice {
 public:
  Dice() : Dice(0) {}
  explicit Dice(std::uint64_t seed) : stream_(seed, detail::RandomStream::kWalks) {}

  std::uint64_t below(std::uint64_t bound) { return stream_.below(bound, num_drawn_++); }
  double fraction() { return static_cast<double>(stream_.word(num_drawn_++) >> 11) * 0x1p-53; }  // below 1

 private:
  detail::RandomStream stream_;
  std::uint64_t num_drawn_ = 0;
};

template <class AnyRows>
class Walker {
 public:
  // `sums`: null where all edges weigh the same. `sorted`: null where steps do not depend on the one before.
  Walker(const AnyRows& rows, const double* sums, const VertexId* sorted, const Parameters& parameters)
      : rows_(rows),
        sums_(sums),
        sorted_(sorted),
        back_(1 / parameters.p),
        away_(1 / parameters.q),
        most_(std::max({1.0, back_, away_})) {}

  // Where a walk goes on; -1 where it ends. `before`: -1 at its first step.
  std::int64_t step(std::int64_t before, std::int64_t at, Dice& dice) const {
    const auto v = static_cast<VertexId>(at);
    const EdgeCount first = rows_.begin(v), last = rows_.end(v);
    if (first == last || (sums_ != nullptr && sums_[last - 1] == 0)) return -1;
    if (sorted_ == nullptr || before < 0) return target(any(first, last, dice));
    const auto t = static_cast<VertexId>(before);
    // As many attempts as there are edges to choose from: then all of them are looked at.
    for (EdgeCount i = first; i < last + kAttempts; ++i) {
      const EdgeCount e = any(first, last, dice);
      if (dice.fraction() * most_ < bias(t, target(e))) return target(e);
    }
    double sum = 0;
    for (EdgeCount e = first; e < last; ++e) sum += weight(first, e) * bias(t, target(e));
    const double drawn = dice.fraction() * sum;
    VertexId found = 0;
    sum = 0;
    for (EdgeCount e = first; e < last && !(drawn < sum); ++e) {
      const double share = weight(first, e) * bias(t, target(e));
      if (share > 0) found = target(e);
      sum += share;
    }
    return found;
  }

 private:
  static constexpr EdgeCount kAttempts = 8;

  VertexId target(EdgeCount e) const { return rows_.edge(e).neighbor(); }
  double weight(EdgeCount first, EdgeCount e) const {
    return sums_ == nullptr ? 1 : sums_[e] - (e > first ? sums_[e - 1] : 0);
  }
  EdgeCount any(EdgeCount first, EdgeCount last, Dice& dice) const {
    if (sums_ == nullptr) return first + dice.below(last - first);
    const double sum = sums_[last - 1], drawn = dice.fraction() * sum;
    const double* found = std::upper_bound(sums_ + first, sums_ + last, drawn);
    // The product may round up to the sum: then it is the last edge that weighs anything.
    if (found == sums_ + last) found = std::lower_bound(sums_ + first, sums_ + last, sum);
    return static_cast<EdgeCount>(found - sums_);
  }
  double bias(VertexId t, VertexId x) const {
    if (x == t) return back_;
    return std::binary_search(sorted_ + rows_.begin(t), sorted_ + rows_.end(t), x) ? 1 : away_;
  }

  const AnyRows rows_;
  const double* const sums_;
  const VertexId* const sorted_;
  const double back_, away_, most_;
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  constexpr std::uint64_t kBeside = 16;  // walks of a thread that take turns: their reads overlap
  const Csr& csr = *run.graph.csr();
  const std::uint64_t num_sources = parameters.sources.data ? parameters.sources.size : csr.num_rows;
  const auto walks_each = static_cast<std::uint64_t>(parameters.num_walks);
  const std::uint64_t num_walks = num_sources * walks_each;
  const std::uint64_t num_columns = static_cast<std::uint64_t>(parameters.length) + 1;
  check_memory(message(num_walks, " walks of ", parameters.length, " steps"),
               8.0 * double(num_walks) * double(num_columns), "take fewer sources, walks or steps, some at a time");
  const Writable<double> sums =
      run.prepare([&] { return parameters.weights ? running_sums(csr, run.workers) : Writable<double>(); });
  const bool is_second_order = parameters.p != 1 || parameters.q != 1;
  const Writable<VertexId> sorted =
      run.prepare([&] { return is_second_order ? sorted_neighbors(csr, run.workers) : Writable<VertexId>(); });
  const Writable<std::int64_t> walks(num_walks * num_columns);
  const detail::RandomStream seeds(static_cast<std::uint64_t>(parameters.seed), detail::RandomStream::kWalks);
  engine::with_rows(table_of(csr), [&](const auto& rows) {
    const Walker<std::decay_t<decltype(rows)>> walker(rows, sums.size() > 0 ? sums.data() : nullptr,
                                                      is_second_order ? sorted.data() : nullptr, parameters);
    run.workers.phase("walks", Workers::kNextLoop);
    run.workers.each(num_walks, kBeside, [&](std::uint64_t first, std::uint64_t last, int worker) {
      std::array<Dice, kBeside> dice;
      for (std::uint64_t w = first; w < last; ++w) {
        const std::uint64_t source = parameters.sources.data ? parameters.sources.data[w / walks_each] : w / walks_each;
        dice[w - first] = Dice(seeds.word(source << 32 | w % walks_each));
        walks[w * num_columns] = static_cast<std::int64_t>(source);
      }
      for (std::uint64_t i = 1; i < num_columns; ++i) {
        if (i % 1024 == 0 && run.workers.poll(worker)) return;
        for (std::uint64_t w = first; w < last; ++w) {
          std::int64_t* const at = walks.data() + w * num_columns + i;
          at[0] = at[-1] < 0 ? -1 : walker.step(i > 1 ? at[-2] : -1, at[-1], dice[w - first]);
        }
      }
    });
  });
  return {{"num_sources * num_walks, length + 1", true, walks.freeze(), num_columns}};
}

}  // namespace random_walks
}  // namespace algorithm
}  // namespace gaspipe
