// SPDX-License-Identifier: Apache-2.0
// Bounds of the diameter, and of every vertex's eccentricity.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/searches.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace algorithm {
namespace diameter {

constexpr CpuDescription kDescription = {
    "Diameter of a graph: the largest distance of two vertices, in hops, and how far every vertex is from the "
    "others.",
    "A breadth-first search from one vertex bounds the eccentricities of all: a vertex at distance d of one of "
    "eccentricity e has at least max(d, e - d) and at most e + d. Searches start where bounds are farthest apart, "
    "until the bounds of the diameter meet: after a few searches in most graphs from practice, after thousands in "
    "random ones. Directions of edges, weights, self-loops and repeated edges are ignored. An eccentricity is that "
    "in the vertex's component, and the diameter the largest of any component, where NetworkX's `diameter` raises.",
    "F. Takes, W. Kosters, \"Computing the Eccentricity Distribution of Large Graphs\", Algorithms 6(1), 2013, "
    "doi:10.3390/a6010100; F. Takes, W. Kosters, \"Determining the Diameter of Small World Networks\", CIKM 2011, "
    "doi:10.1145/2063576.2063748."};

struct Parameters {
  int max_searches = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("max_searches", max_searches, Allowed::between(0, std::numeric_limits<int>::max()),
          "Searches after which to end, though the bounds `lower` and `upper` have not met; 0: when they meet.");
  }
};

struct Answer {
  Array<std::int32_t> eccentricity_lower, eccentricity_upper;
  std::int64_t lower = 0, upper = 0, num_searches = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("eccentricity_lower", eccentricity_lower,
          "what the largest distance of the vertex to others of its component is at least, in hops");
    visit("eccentricity_upper", eccentricity_upper, "what it is at most");
    visit("lower", lower, "what the diameter is at least; the same as `upper` unless `max_searches` ended the run");
    visit("upper", upper, "what the diameter is at most");
    visit("num_searches", num_searches, "how many searches there were");
  }
};

class Bounds {
 public:
  Bounds(const Csr& csr, Workers& workers)
      : csr_(csr),
        rows_(table_of(csr)),
        workers_(workers),
        searches_(csr, &csr, workers),
        component_(csr.num_rows),
        lower_(csr.num_rows),
        upper_(csr.num_rows) {
    const VertexId n = csr.num_rows;
    components(csr, /*is_symmetric=*/true, component_.data(), workers);
    std::vector<VertexId> size(n, 0);
    for (VertexId v = 0; v < n; ++v) ++size[component_[v]];
    for (VertexId v = 0; v < n; ++v) {
      upper_[v] = static_cast<std::int32_t>(std::min<VertexId>(size[component_[v]] - 1, kLongest));
      lower_[v] = std::min(upper_[v], 1);
    }
    find_most();
  }

  Answer run(std::uint64_t max_searches) {
    std::vector<VertexId> sources;
    workers_.phase("searches", 0);  // how many it takes shows at the end
    while (most_lower_ < most_upper_ && num_searches_ < max_searches) {
      choose(std::min<std::uint64_t>(max_searches - num_searches_, most_at_once()), sources);
      const std::uint64_t n = csr_.num_rows, size = sources.size();
      if (depth_.size() < size * n) depth_ = Writable<std::int32_t>(size * n);
      searches_.run(sources.data(), size, depth_.data());
      narrow(size);
      find_most();
      num_searches_ += size;
      workers_.done(num_searches_);
    }
    return {lower_.freeze(), upper_.freeze(), most_lower_, most_upper_, static_cast<std::int64_t>(num_searches_)};
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 14;
  static constexpr std::uint64_t kAdapting = 8;  // at once are at most as many as this part of those that were before
  static constexpr std::uint64_t kMostDepths = 1 << 26;
  static constexpr VertexId kLongest = 0x7fffffff;
  using Key = std::pair<std::uint64_t, VertexId>;  // smallest first

  std::uint64_t most_at_once() const {
    return std::max<std::uint64_t>(1,
                                   std::min({Bundle::kMost, num_searches_ / kAdapting, kMostDepths / csr_.num_rows}));
  }

  // The bounds of the diameter, and the first vertex that may be its end.
  void find_most() {
    struct alignas(64) Found {
      std::int32_t lower = -1, upper = -1;
      VertexId end = 0;
    };
    std::vector<Found> parts(static_cast<std::size_t>(workers_.size()));
    workers_.each(csr_.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Found found = parts[static_cast<std::size_t>(worker)];
      for (std::uint64_t v = first; v < last; ++v) {
        found.lower = std::max(found.lower, lower_[v]);
        if (upper_[v] > found.upper || (upper_[v] == found.upper && v < found.end)) {
          found.upper = upper_[v];
          found.end = static_cast<VertexId>(v);
        }
      }
      parts[static_cast<std::size_t>(worker)] = found;
    });
    most_lower_ = most_upper_ = -1;
    for (const Found& found : parts) {
      most_lower_ = std::max(most_lower_, found.lower);
      if (found.upper < most_upper_ || (found.upper == most_upper_ && found.end > end_)) continue;
      most_upper_ = found.upper;
      end_ = found.end;
    }
  }

  // Of the vertices whose bounds matter, in turns one of the smallest lower bound, which should be in the middle, and
  // one of the largest upper bound, which may be an end of the diameter; of equal ones one of many neighbors. All are
  // of the component of end_.
  void choose(std::uint64_t most, std::vector<VertexId>& sources) {
    struct alignas(64) Part {
      std::vector<Key> by_lower, by_upper;
    };
    std::vector<Part> parts(static_cast<std::size_t>(workers_.size()));
    workers_.each(csr_.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Part& part = parts[static_cast<std::size_t>(worker)];
      for (auto v = static_cast<VertexId>(first); v < last; ++v) {
        if (component_[v] != component_[end_] || lower_[v] == upper_[v]) continue;
        if (upper_[v] <= most_lower_ && 2 * std::int64_t(lower_[v]) >= most_upper_) continue;
        const std::uint64_t few = 0xffffffff - rows_.degree(v);
        keep(part.by_lower, {static_cast<std::uint64_t>(lower_[v]) << 32 | few, v}, most);
        keep(part.by_upper, {static_cast<std::uint64_t>(most_upper_ - upper_[v]) << 32 | few, v}, most);
      }
    });
    Part all;
    for (const Part& part : parts) {
      all.by_lower.insert(all.by_lower.end(), part.by_lower.begin(), part.by_lower.end());
      all.by_upper.insert(all.by_upper.end(), part.by_upper.begin(), part.by_upper.end());
    }
    std::sort(all.by_lower.begin(), all.by_lower.end());
    std::sort(all.by_upper.begin(), all.by_upper.end());
    sources.clear();
    const auto is_taken = [&](const Key& key) {
      return std::find(sources.begin(), sources.end(), key.second) != sources.end();
    };
    for (std::uint64_t i = 0; i < most; ++i) {
      const std::vector<Key>& keys = (num_searches_ + i) % 2 == 0 ? all.by_lower : all.by_upper;
      const auto found = std::find_if_not(keys.begin(), keys.end(), is_taken);
      if (found == keys.end()) break;
      sources.push_back(found->second);
    }
  }
  // A heap of the smallest, its largest on top.
  static void keep(std::vector<Key>& smallest, const Key& key, std::uint64_t most) {
    if (smallest.size() == most) {
      if (smallest.front() < key) return;
      std::pop_heap(smallest.begin(), smallest.end());
      smallest.pop_back();
    }
    smallest.push_back(key);
    std::push_heap(smallest.begin(), smallest.end());
  }

  // By the depths of all vertices from `size` others.
  void narrow(std::uint64_t size) {
    const std::uint64_t n = csr_.num_rows;
    std::vector<std::vector<std::int32_t>> parts(static_cast<std::size_t>(workers_.size()),
                                                 std::vector<std::int32_t>(size, 0));
    workers_.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      std::vector<std::int32_t>& farthest = parts[static_cast<std::size_t>(worker)];
      for (std::uint64_t k = 0; k < size; ++k) {
        farthest[k] =
            std::max(farthest[k], *std::max_element(depth_.data() + k * n + first, depth_.data() + k * n + last));
      }
    });
    std::vector<std::int32_t> eccentricity(size, 0);
    for (const std::vector<std::int32_t>& farthest : parts) {
      for (std::uint64_t k = 0; k < size; ++k) eccentricity[k] = std::max(eccentricity[k], farthest[k]);
    }
    workers_.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t k = 0; k < size; ++k) {
        const std::int32_t of_source = eccentricity[k];
        const std::int32_t* const depth = depth_.data() + k * n;
        for (std::uint64_t v = first; v < last; ++v) {
          if (depth[v] < 0) continue;
          lower_[v] = std::max({lower_[v], depth[v], of_source - depth[v]});
          if (of_source < upper_[v] - depth[v]) upper_[v] = of_source + depth[v];
        }
      }
    });
  }

  const Csr& csr_;
  const engine::Rows<> rows_;
  Workers& workers_;
  Searches searches_;
  Writable<VertexId> component_;
  Writable<std::int32_t> lower_, upper_;
  Writable<std::int32_t> depth_;  // of the last searches
  std::int32_t most_lower_ = 0, most_upper_ = 0;
  VertexId end_ = 0;
  std::uint64_t num_searches_ = 0;
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  return Bounds(*csr, run.workers)
      .run(parameters.max_searches > 0 ? static_cast<std::uint64_t>(parameters.max_searches) : csr->num_rows);
}

}  // namespace diameter
}  // namespace algorithm
}  // namespace gaspipe
