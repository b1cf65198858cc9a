// SPDX-License-Identifier: Apache-2.0
// Numbers the ids that occur in parsed blocks 0, 1, ... in ascending order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "edge_block.h"
#include "gaspipe/array.h"
#include "hls/types.h"

namespace gaspipe {
namespace detail {

// The ids that occur, one bit each, with the number of ids before each word: for ids that are dense enough.
class IdBits {
 public:
  IdBits(std::vector<EdgeBlock>& blocks, std::uint64_t largest_id, Workers& workers)
      : words_(largest_id / 64 + 1), ranks_(words_.size() + 1) {
    for_each_block(blocks, workers, [&](const EdgeBlock& block) {
      std::visit(
          [&](const auto& column) {
            for (const std::uint64_t id : column) {
              std::atomic<std::uint64_t>& word = words_[id / 64];
              const std::uint64_t bit = std::uint64_t(1) << id % 64;
              // Most ids come many times, and a look is cheaper than a locked write.
              if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
            }
          },
          block.ids);
    });
    for (std::size_t i = 0; i < words_.size(); ++i) ranks_[i + 1] = ranks_[i] + count(words_[i]);
  }

  VertexId operator()(std::uint64_t id) const {
    const std::uint64_t smaller = (std::uint64_t(1) << id % 64) - 1;
    return static_cast<VertexId>(ranks_[id / 64] + count(words_[id / 64].load(std::memory_order_relaxed) & smaller));
  }

  Array<std::int64_t> labels() const {
    const Writable<std::int64_t> ids(ranks_.back());
    std::size_t place = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        ids[place++] = static_cast<std::int64_t>(64 * i + count((word & (0 - word)) - 1));
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
  IdTables(std::vector<EdgeBlock>& blocks, Workers& workers) {
    for_each_block(blocks, workers, [&](const EdgeBlock& block) {
      std::array<std::vector<std::uint64_t>, kNumTables> ids;
      std::visit(
          [&](const auto& column) {
            for (const std::uint64_t id : column) ids[hash(id) % kNumTables].push_back(id);
          },
          block.ids);
      for (std::size_t i = 0; i < kNumTables; ++i) {
        Table& table = tables_[(block.first_edge + i) % kNumTables];  // not all workers at the same one
        const std::lock_guard<std::mutex> lock(table.guard);
        for (const std::uint64_t id : ids[std::size_t(&table - tables_.data())]) table.insert(id);
      }
    });
  }

  VertexId operator()(std::uint64_t id) const {
    const Table& table = tables_[hash(id) % kNumTables];
    return table.places[table.find(id)];
  }

  // Sorts the ids and gives each its place.
  Array<std::int64_t> place(Workers& workers) {
    std::size_t size = 0;
    for (const Table& table : tables_) size += table.used;
    const Writable<std::int64_t> ids(size);
    std::int64_t* next = ids.data();
    for (Table& table : tables_) {
      next = std::copy_if(table.slots.begin(), table.slots.end(), next, [](std::uint64_t id) { return id != kEmpty; });
      table.places.resize(table.slots.size());
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
  static constexpr std::uint64_t kEmpty = ~std::uint64_t(0);  // no id, they have 63 bits

  static std::uint64_t hash(std::uint64_t id) {  // the finaliser of splitmix64
    id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
    id = (id ^ id >> 27) * 0x94d049bb133111ebu;
    return id ^ id >> 31;
  }

  struct Table {
    std::mutex guard;
    std::size_t used = 0;
    std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(64, kEmpty);  // always a power of two, half empty
    std::vector<VertexId> places;

    // The slot of the id, or the empty one where it would go.
    std::size_t find(std::uint64_t id) const {
      std::size_t slot = hash(id) / kNumTables & (slots.size() - 1);
      while (slots[slot] != id && slots[slot] != kEmpty) slot = (slot + 1) & (slots.size() - 1);
      return slot;
    }

    void insert(std::uint64_t id) {
      const std::size_t slot = find(id);
      if (slots[slot] == id) return;
      slots[slot] = id;
      if (2 * ++used <= slots.size()) return;
      const std::vector<std::uint64_t> full =
          std::exchange(slots, std::vector<std::uint64_t>(2 * slots.size(), kEmpty));
      for (const std::uint64_t moved : full) {
        if (moved != kEmpty) slots[find(moved)] = moved;
      }
    }
  };

  std::array<Table, kNumTables> tables_;
};

}  // namespace detail
}  // namespace gaspipe
