// SPDX-License-Identifier: Apache-2.0
// Numbers the ids that occur 0, 1, ... in ascending order. They come in pieces: `ids.each(body)` calls body(piece, i)
// for all of them on all workers, and piece.each(f) calls f(id) for each of its own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace detail {

// The ids that occur, one bit each, with the number of ids before each word: for ids that are dense enough.
class IdBits {
 public:
  // Whether they take less memory than the edges.
  static bool suit(std::uint64_t largest_id, std::uint64_t num_edges) {
    return largest_id / 64 <= num_edges / 2 + 1024;
  }

  template <class Ids>
  IdBits(const Ids& ids, std::uint64_t largest_id) : words_(largest_id / 64 + 1), ranks_(words_.size() + 1) {
    ids.each([&](const auto& piece, std::uint64_t) {
      piece.each([&](std::uint64_t id) {
        std::atomic<std::uint64_t>& word = words_[id / 64];
        const std::uint64_t bit = std::uint64_t(1) << id % 64;
        // Most ids come many times, and a look is cheaper than a locked write.
        if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
      });
    });
    for (std::size_t i = 0; i < words_.size(); ++i) ranks_[i + 1] = ranks_[i] + count(words_[i]);
  }

  VertexId operator()(std::uint64_t id) const {
    const std::uint64_t smaller = (std::uint64_t(1) << id % 64) - 1;
    return static_cast<VertexId>(ranks_[id / 64] + count(words_[id / 64].load(std::memory_order_relaxed) & smaller));
  }

  // Those that occur, ascending.
  template <class Id>
  Array<Id> ids() const {
    const Writable<Id> ids(ranks_.back());
    std::size_t place = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        ids[place++] = static_cast<Id>(64 * i + count((word & (0 - word)) - 1));
      }
    }
    return ids.freeze();
  }

 private:
  static std::uint64_t count(std::uint64_t word) { return std::uint64_t(__builtin_popcountll(word)); }

  std::vector<std::atomic<std::uint64_t>> words_;
  std::vector<std::uint64_t> ranks_;
};

// The ids that occur, in hash tables with linear probing: for ids too sparse for bits. A worker sorts the ids of a
// block by table, and so locks each table once per block.
class IdTables {
 public:
  template <class Ids>
  explicit IdTables(const Ids& ids) {
    ids.each([&](const auto& piece, std::uint64_t number) {
      std::array<std::vector<std::uint64_t>, kNumTables> sorted;
      piece.each([&](std::uint64_t id) { sorted[hash(id) % kNumTables].push_back(id); });
      for (std::size_t i = 0; i < kNumTables; ++i) {
        Table& table = tables_[(number + i) % kNumTables];  // not all workers at the same one
        const std::lock_guard<std::mutex> lock(table.guard);
        for (const std::uint64_t id : sorted[std::size_t(&table - tables_.data())]) table.insert(id);
      }
    });
  }

  VertexId operator()(std::uint64_t id) const {
    const Table& table = tables_[hash(id) % kNumTables];
    return table.places[table.find(id)];
  }

  // Sorts the ids, and gives each its place.
  template <class Id>
  Array<Id> place(Workers& workers) {
    std::size_t size = 0;
    for (const Table& table : tables_) size += table.used;
    const Writable<Id> ids(size);
    Id* next = ids.data();
    for (const Table& table : tables_) {
      for (std::size_t slot = 0; slot < table.slots.size(); ++slot) {
        if (table.places[slot] != kNoVertex) *next++ = static_cast<Id>(table.slots[slot]);
      }
    }
    constexpr std::size_t kRun = std::size_t(1) << 14;
    const auto at = [&](std::uint64_t i) { return ids.data() + std::min<std::uint64_t>(i, size); };
    workers.each(size, kRun, [&](std::uint64_t first, std::uint64_t last, int) { std::sort(at(first), at(last)); });
    for (std::size_t run = kRun; run < size; run *= 2) {
      workers.each((size - 1) / (2 * run) + 1, 1, [&](std::uint64_t first, std::uint64_t last, int) {
        for (std::uint64_t i = 2 * run * first; i < 2 * run * last; i += 2 * run) {
          std::inplace_merge(at(i), at(i + run), at(i + 2 * run));
        }
      });
    }
    workers.each(size, kRun, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) {
        const auto id = static_cast<std::uint64_t>(ids[i]);
        Table& table = tables_[hash(id) % kNumTables];
        table.places[table.find(id)] = static_cast<VertexId>(i);
      }
    });
    return ids.freeze();
  }

 private:
  static constexpr std::size_t kNumTables = 64;

  static std::uint64_t hash(std::uint64_t id) {  // the finaliser of splitmix64
    id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
    id = (id ^ id >> 27) * 0x94d049bb133111ebu;
    return id ^ id >> 31;
  }

  struct Table {
    std::mutex guard;
    std::size_t used = 0;
    std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(64);    // always a power of two, half empty
    std::vector<VertexId> places = std::vector<VertexId>(64, kNoVertex);  // kNoVertex: the slot is empty

    // The slot of the id, or the empty one where it would go.
    std::size_t find(std::uint64_t id) const {
      std::size_t slot = hash(id) / kNumTables & (slots.size() - 1);
      while (slots[slot] != id && places[slot] != kNoVertex) slot = (slot + 1) & (slots.size() - 1);
      return slot;
    }

    void insert(std::uint64_t id) {
      const std::size_t slot = find(id);
      if (places[slot] != kNoVertex) return;
      slots[slot] = id;
      places[slot] = 0;
      if (2 * ++used <= slots.size()) return;
      const auto full = std::exchange(slots, std::vector<std::uint64_t>(2 * slots.size()));
      const auto were = std::exchange(places, std::vector<VertexId>(slots.size(), kNoVertex));
      for (std::size_t i = 0; i < full.size(); ++i) {
        if (were[i] == kNoVertex) continue;
        const std::size_t moved = find(full[i]);
        slots[moved] = full[i];
        places[moved] = 0;
      }
    }
  };

  std::array<Table, kNumTables> tables_;
};

}  // namespace detail
}  // namespace gaspipe
