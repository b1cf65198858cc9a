// SPDX-License-Identifier: Apache-2.0
// Up to 64 breadth-first searches at once: a bit each in a word per vertex, so that a pass over an edge serves all.
// Small frontiers are pushed. For large ones every vertex that a search has not found yet pulls from all its in-edges.
// Where searches rarely meet in a vertex at the same level, as in road networks, one after the other is faster.
// Method: M. Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", PVLDB 8(4), 2014,
// doi:10.14778/2735496.2735507.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/engine/frontier.h"
#include "gaspipe/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

class Bundle {
 public:
  static constexpr std::uint64_t kMost = 64;

  // `in`: the edges into every vertex; null where they are not at hand. `is_shared`: all workers take part in a run;
  // else only the one that calls it, so that there may be several at once.
  Bundle(const Csr& out, const Csr* in, Workers& workers, bool is_shared)
      : out_csr_(table_of(out)),
        out_(out_csr_),
        in_(table_of(in != nullptr ? *in : out)),
        can_pull_(in != nullptr),
        workers_(workers),
        is_shared_(is_shared),
        seen_(out.num_rows),
        front_(out.num_rows),
        next_(out.num_rows),
        queue_(out_csr_, is_shared ? workers.size() : 1),
        touched_(out.num_rows),
        counts_(static_cast<std::size_t>(is_shared ? workers.size() : 1)) {
    touched_.bind(nullptr, is_shared ? workers.size() : 1);
  }

  // Search k starts at sources[k], and depth[k * num_vertices + v] becomes its depth of v, or -1. False where it has
  // given up, because searches rarely meet, or was cancelled.
  bool run(const VertexId* sources, std::uint64_t num_sources, std::int32_t* depth, int worker) {
    worker_ = worker;
    depth_ = depth;
    const std::uint64_t n = out_.num_vertices();
    all_ = num_sources == kMost ? ~Word(0) : (Word(1) << num_sources) - 1;
    each(n, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (const auto* words : {&seen_, &front_, &next_}) std::fill(words->data() + first, words->data() + last, 0);
    });
    queue_.clear();
    for (std::uint64_t k = 0; k < num_sources; ++k) {
      const VertexId v = sources[k];
      if (seen_[v] == 0) queue_.add(v, 0);
      seen_[v] = front_[v] |= Word(1) << k;
      depth[k * n + v] = 0;
    }
    queue_.collect();
    open_edges_ = out_.num_edges();
    num_found_ = num_visits_ = num_sources;
    bool did_pull = false;
    for (std::int32_t level = 1; queue_.size() > 0; ++level) {
      if (level == kTrialLevels && num_found_ / kFewFound < num_visits_) return false;
      if (can_pull_ && queue_.edges() > open_edges_ / kPullShare + n / kPullVertices) {
        pull(level);
        did_pull = true;
      } else {
        if (std::exchange(did_pull, false)) {
          each(n, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
            std::fill(next_.data() + first, next_.data() + last, 0);
          });
        }
        is_shared_ ? push<true>() : push<false>();
        settle(level);
      }
      std::swap(front_, next_);
      num_visits_ += queue_.size();
      for (Count& count : counts_) {
        open_edges_ -= std::exchange(count.closed, 0);
        num_found_ += std::exchange(count.found, 0);
      }
      if (workers_.cancelled()) return false;
    }
    each((n + kTile - 1) / kTile, kTileGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      Tile unseen{};
      for (std::uint64_t t = first; t < last; ++t) {
        const std::uint64_t v = t * kTile, size = std::min(kTile, n - v);
        for (std::uint64_t i = 0; i < size; ++i) unseen[i] = all_ & ~seen_[v + i];
        std::fill(unseen.begin() + static_cast<std::ptrdiff_t>(size), unseen.end(), 0);
        record(v, unseen, -1);
      }
    });
    return !workers_.cancelled();
  }

 private:
  using Word = std::uint64_t;  // bit k: search k
  static constexpr std::uint64_t kTile = 64, kTileGrain = 64, kVertexGrain = 1 << 13, kPushGrain = 128;
  static constexpr EdgeCount kPullShare = 2, kPullVertices = 4;
  static constexpr std::uint64_t kFewBits = 100;  // of a tile: writing them one by one is faster then
  static constexpr std::int32_t kTrialLevels = 32;
  static constexpr std::uint64_t kFewFound = 4;  // searches per visit of a vertex, in those levels
  using Tile = std::array<Word, kTile>;
  struct alignas(64) Count {
    EdgeCount closed = 0;     // edges of vertices that all searches have found
    std::uint64_t found = 0;  // searches that found a vertex
  };

  template <class Body>
  void each(std::uint64_t n, std::uint64_t grain, const Body& body) {
    if (is_shared_) return workers_.each(n, grain, body);
    for (std::uint64_t first = 0; first < n; first += grain) {
      if (workers_.poll(worker_)) return;
      body(first, std::min(first + grain, n), 0);
    }
  }

  // `next` gets the searches that reach a vertex, whether they have been there before or not.
  template <bool is_shared>
  void push() {
    touched_.clear();
    const VertexId* const vertices = queue_.begin();
    each(queue_.size(), kPushGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      const engine::Rows<> rows = out_;
      engine::Frontier::Part& part = touched_.part(worker);
      Word* const front = front_.data();
      Word* const next = next_.data();
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + engine::kRowsAhead < last) rows.prefetch_row(vertices[i + engine::kRowsAhead]);
        const Word searches = std::exchange(front[vertices[i]], 0);
        for (const auto edge : rows[vertices[i]]) {
          Word* const entry = next + edge.neighbor();
          Word before;
          if constexpr (is_shared) {
            before = __atomic_load_n(entry, __ATOMIC_RELAXED);
            if ((searches & ~before) == 0) continue;
            before = __atomic_fetch_or(entry, searches, __ATOMIC_RELAXED);
          } else {
            before = *entry;
            *entry = before | searches;
          }
          touched_.add_if(before == 0, edge.neighbor(), part);
        }
      }
    });
    touched_.collect();
  }
  // Of those, the ones that have not been there.
  void settle(std::int32_t level) {
    queue_.clear();
    const VertexId* const vertices = touched_.begin();
    each(touched_.size(), kPushGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      engine::Frontier::Part& part = queue_.part(worker);
      EdgeCount closed = 0;
      std::uint64_t num_found = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        const VertexId v = vertices[i];
        const Word found = next_[v] &= ~seen_[v];
        if (found == 0) continue;
        seen_[v] |= found;
        if (seen_[v] == all_) closed += out_.degree(v);
        queue_.add(v, part);
        num_found += record_one(v, found, level);
      }
      counts_[static_cast<std::size_t>(worker)].closed += closed;
      counts_[static_cast<std::size_t>(worker)].found += num_found;
    });
    queue_.collect();
  }
  void pull(std::int32_t level) {
    queue_.clear();
    const std::uint64_t n = out_.num_vertices();
    each((n + kTile - 1) / kTile, kTileGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      const engine::Rows<> rows = in_;
      engine::Frontier::Part& part = queue_.part(worker);
      const Word* const front = front_.data();
      EdgeCount closed = 0;
      std::uint64_t num_found = 0;
      for (std::uint64_t t = first; t < last; ++t) {
        const auto start = static_cast<VertexId>(t * kTile), end = static_cast<VertexId>(std::min(n, (t + 1) * kTile));
        Tile tile{};
        for (VertexId v = start; v < end; ++v) {
          const Word wanted = all_ & ~seen_[v];
          Word found = 0;
          if (wanted != 0) {
            for (const auto edge : rows[v]) {
              found |= front[edge.neighbor()];
              if ((found & wanted) == wanted) break;
            }
            found &= wanted;
          }
          next_[v] = tile[v - start] = found;
          if (found == 0) continue;
          seen_[v] |= found;
          if (found == wanted) closed += out_.degree(v);
          queue_.add(v, part);
        }
        num_found += record(start, tile, level);
      }
      counts_[static_cast<std::size_t>(worker)].closed += closed;
      counts_[static_cast<std::size_t>(worker)].found += num_found;
    });
    queue_.collect();
  }

  // Returns how many there are.
  std::uint64_t record_one(std::uint64_t v, Word searches, std::int32_t level) {
    const std::uint64_t n = out_.num_vertices();
    std::uint64_t count = 0;
    for (; searches != 0; searches &= searches - 1, ++count) {
      depth_[static_cast<unsigned>(__builtin_ctzll(searches)) * n + v] = level;
    }
    return count;
  }
  // For all vertices from v on. Rows are written one after the other: their distance is often a power of two, for which
  // a cache has room for few of them.
  std::uint64_t record(std::uint64_t v, Tile& tile, std::int32_t level) {
    std::uint64_t num_bits = 0;
    for (const Word searches : tile) num_bits += static_cast<unsigned>(__builtin_popcountll(searches));
    if (num_bits < kFewBits) {
      for (std::uint64_t i = 0; i < kTile; ++i) record_one(v + i, tile[i], level);
      return num_bits;
    }
    transpose(tile);
    const std::uint64_t n = out_.num_vertices();
    for (std::uint64_t k = 0; k < kTile; ++k) {
      std::int32_t* const row = depth_ + k * n + v;
      if (tile[k] == ~Word(0)) {
        std::fill_n(row, kTile, level);
        continue;
      }
      for (Word vertices = tile[k]; vertices != 0; vertices &= vertices - 1) row[__builtin_ctzll(vertices)] = level;
    }
    return num_bits;
  }
  // Bit k of word i becomes bit i of word k.
  static void transpose(Tile& tile) {
    Word mask = 0xffffffff;
    for (unsigned size = 32; size > 0; size /= 2, mask ^= mask << size) {
      for (unsigned i = 0; i < kTile; i = (i + size + 1) & ~size) {
        const Word swapped = (tile[i] >> size ^ tile[i + size]) & mask;
        tile[i] ^= swapped << size;
        tile[i + size] ^= swapped;
      }
    }
  }

  const abi::Csr out_csr_;
  const engine::Rows<> out_, in_;
  const bool can_pull_;
  Workers& workers_;
  const bool is_shared_;
  int worker_ = 0;
  Writable<Word> seen_, front_, next_;
  engine::Frontier queue_, touched_;
  std::vector<Count> counts_;
  EdgeCount open_edges_ = 0;
  std::uint64_t num_found_ = 0, num_visits_ = 0;
  Word all_ = 0;
  std::int32_t* depth_ = nullptr;
};

}  // namespace algorithm
}  // namespace gaspipe
