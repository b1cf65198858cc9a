// SPDX-License-Identifier: Apache-2.0
// Kernels for packed edges as plain loops, without streams, fibers or clocks. Every PE or lane takes the same updates
// in the same order as in the region, through the same window of rows where that changes bits: they are the same.
#pragma once

#include <vector>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/engine/fast_windows.h"
#include "hls/edge_codec.h"
#include "hls/module/property_process.h"
#include "hls/module/source_property.h"
#include "hls/module/sub_partition.h"
#include "hls/module/uram_word.h"

namespace gaspipe {
namespace engine {

// Rows of `parts` PEs or lanes. Row r of all of them is of_all(r).
template <class Hooks, int parts>
class FastRows {
 public:
  using Value = typename Traits<Hooks>::Update;
  using Row = UramWord<Value>;

  explicit FastRows(std::size_t num_rows) : rows_(num_rows * parts, identity_row<Hooks>()) {
    for (auto& window : windows_) window.start();
    update_.end = false;
  }
  // An update of value number `index` of a part.
  void take(int part, std::uint32_t index, const Value& value) {
    if (!merges_at_once<Hooks>() || (merges_exactly<Hooks>() && num_taken_++ >= kMostInWindows)) {
      Value& to = row(part, index / Row::kSize).lane[index % Row::kSize];
      to = Hooks::gatherFunc(to, value);
      return;
    }
    row_update(index, value, update_);
    if (windows_[part].step(update_, solved_)) gather(part, solved_);
  }
  void finish() {
    if constexpr (!merges_at_once<Hooks>()) return;  // nothing waits
    for (int part = 0; part < parts; ++part) {
      for (int i = 0; i < kRawWindow; ++i) {
        if (windows_[part].flush(solved_)) gather(part, solved_);
      }
    }
  }
  Row (&of_all(std::size_t row))[parts] { return *reinterpret_cast<Row(*)[parts]>(&rows_[row * parts]); }

 private:
  Row& row(int part, std::uint32_t number) {
    return rows_[std::size_t(number) * parts + static_cast<std::size_t>(part)];
  }
  void gather(int part, const RowUpdate<Value>& update) {
    Row& to = row(part, update.row);
    to = gather_row<Hooks>(to, update);
  }

  std::vector<Row> rows_;
  RowSolver<Hooks> windows_[parts];
  RowUpdate<Value> update_, solved_;
  std::uint64_t num_taken_ = 0;
};

// take(lane, update) for the updates of a sub-partition, in the order of its edges. weight(word, lane) is called for
// weighted edges.
template <class Hooks, class WordOf, class Weight, class Take>
void each_packed_update(const std::uint32_t* descriptor, const WordOf& word_of,
                        const typename Hooks::Property* properties, bool weighted, const Weight& weight,
                        const Take& take) {
  using EdgeProperty = typename Traits<Hooks>::EdgeProperty;
  VertexId source = descriptor[SubPartitionLane::kBaseSource];
  Update<typename Traits<Hooks>::Update> update;
  for (std::uint32_t w = 0; w < descriptor[SubPartitionLane::kNumEdgeWords]; ++w) {
    const Word<std::uint32_t>& edges = word_of(w);
    for (int lane = 0; lane < PackedEdgeCodec::kEdgesPerWord; ++lane) {
      source += PackedEdgeCodec::gap(edges.lane[lane]);
      const std::uint32_t to = PackedEdgeCodec::destination(edges.lane[lane]);
      if (form_update<Hooks>(source_property<Hooks>(properties[source]),
                             to == PackedEdgeCodec::kPadding ? kNoVertex : to,
                             weighted ? weight(w, lane) : EdgeProperty(1), update)) {
        take(lane, update);
      }
    }
  }
}

// PEs that share the destinations: rows of all PEs become words of memory.
template <class Hooks, int pes>
struct SharedRows {
  using Value = typename Traits<Hooks>::Update;

  explicit SharedRows(VertexId num_vertices) : rows(rows_per_pe<Value, pes>(0, num_vertices)) {}
  void take(int /*lane*/, const Update<Value>& update) {
    rows.take(static_cast<int>(update.destination % pes), update.destination / pes, update.value);
  }
  Word<Value> word(std::uint32_t number) {
    constexpr std::uint32_t kRowWords = words_per_row<pes>();
    return word_of_row(rows.of_all(number / kRowWords), static_cast<int>(number % kRowWords));
  }
  FastRows<Hooks, pes> rows;
};

template <class Hooks, class Rows, class WordOf, class Weight>
void fast_packed(const std::uint32_t* descriptor, const WordOf& word_of, const typename Hooks::Property* properties,
                 bool weighted, const Weight& weight, Word<typename Traits<Hooks>::Update>* gathered) {
  constexpr std::uint32_t kSize = Word<typename Traits<Hooks>::Update>::kSize;
  const VertexId num_vertices = descriptor[SubPartitionLane::kLastVertex] - descriptor[SubPartitionLane::kFirstVertex];
  Rows rows(num_vertices);
  each_packed_update<Hooks>(descriptor, word_of, properties, weighted, weight,
                            [&](int lane, const auto& update) { rows.take(lane, update); });
  rows.rows.finish();
  Word<typename Traits<Hooks>::Update>* const to = gathered + descriptor[SubPartitionLane::kFirstGatheredWord];
  for (std::uint32_t w = 0; w < (num_vertices + kSize - 1) / kSize; ++w) to[w] = rows.word(w);
}

}  // namespace engine
}  // namespace gaspipe
