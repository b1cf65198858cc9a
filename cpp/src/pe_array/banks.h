// SPDX-License-Identifier: Apache-2.0
// The memory of an array of PEs, between launches and on an emulated board.
#pragma once

#include <algorithm>
#include <vector>

#include "cpp/src/pe_array/kernel.h"
#include "gaspipe/error.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace pe_array {

// Words of a PE's queue, with the states before it. A level's entries begin with a word, and it has one at least.
inline std::uint64_t queue_words(std::uint32_t num_state_words, VertexId num_owned) {
  return 2 * std::uint64_t(num_state_words) + num_owned;
}

// The memory of the PEs, as launches change it.
class Banks {
 public:
  // `roots`: places of the lists.
  Banks(const DeviceLists& lists, const PullRows* pulls, const std::vector<VertexId>& roots)
      : lists_(lists), pulls_(pulls), num_state_words_(state_words(lists.owners().share())) {
    for (int pe = 0; pe < lists.num_pes(); ++pe) {
      const Writable<Line> queue(queue_words(num_state_words_, lists.owners().count(pe)));
      std::fill_n(queue.data(), 2 * num_state_words_, Line{});
      queue[0].lane[ControlLane::kFirstWord] = 2 * num_state_words_;
      queues_.push_back(queue);
    }
    for (const VertexId root : roots) {
      const Writable<Line>& queue = queues_[static_cast<std::size_t>(lists.owners().of(root))];
      const ListCode code = lists.code(root);
      mark(queue, 0, code_index(code), true);
      std::uint64_t& num = queue[0].lane[ControlLane::kNumEntries];
      Line& word = queue[2 * num_state_words_ + num / kEntriesPerWord];
      if (num % kEntriesPerWord == 0) word = {};
      word.lane[2 * (num % kEntriesPerWord)] = code;
      word.lane[2 * (num % kEntriesPerWord) + 1] = root;
      ++num;
      queue[0].lane[ControlLane::kListWords] += likely_words(code);
    }
  }

  std::uint32_t num_state_words() const { return num_state_words_; }
  std::uint32_t level() const { return level_; }  // that the next launch searches
  void end_level() { ++level_; }
  const Line& control(int pe) const { return queues_[static_cast<std::size_t>(pe)][level_ % 2 * num_state_words_]; }
  std::vector<Ports> ports() const {
    std::vector<Ports> ports;
    for (std::size_t pe = 0; pe < queues_.size(); ++pe) {
      const int number = static_cast<int>(pe);
      ports.push_back(
          {lists_.lists(number).data(), queues_[pe].data(), pulls_ == nullptr ? nullptr : pulls_->rows(number).data()});
    }
    return ports;
  }
  void add_to(emulator::MemoryMap& memory, const Board& board) const {
    const auto num_pes = static_cast<int>(queues_.size());
    for (int pe = 0; pe < num_pes; ++pe) {
      const std::size_t bank = bank_of(board, num_pes, pe), list_bytes = lists_.lists(pe).size() * sizeof(Line);
      if (list_bytes > 0) memory.add(message("lists_", pe), lists_.lists(pe).data(), list_bytes, bank, false);
      memory.add(message("queue_", pe), queues_[pe].data(), queues_[pe].size() * sizeof(Line), bank, true);
      if (pulls_ == nullptr || pulls_->rows(pe).size() == 0) continue;
      memory.add(message("rows_", pe), pulls_->rows(pe).data(), pulls_->rows(pe).size() * sizeof(SourceWord),
                 rows_bank_of(board, num_pes, pe), false);
    }
  }

  // Vertices of a PE in the level that the next launch searches: visit(vertex, parent). Returns how many they are.
  template <class Visit>
  std::uint64_t each_entry(int pe, const Visit& visit) const {
    const Line& control = this->control(pe);
    const std::uint64_t first = control.lane[ControlLane::kFirstWord], num = control.lane[ControlLane::kNumEntries];
    for (std::uint64_t i = 0; i < num; ++i) {
      const Line& word = queues_[pe][first + i / kEntriesPerWord];
      const std::uint64_t* const entry = word.lane + 2 * (i % kEntriesPerWord);
      visit(lists_.owners().first(pe) + code_index(entry[0]), static_cast<VertexId>(entry[1]));
    }
    return num;
  }
  // Of these, `stays(vertex)` keeps some; the others have no mark any more.
  template <class Stays>
  void keep(int num_pes, const Stays& stays) {
    for (int pe = 0; pe < num_pes; ++pe) {
      const Writable<Line>& queue = queues_[static_cast<std::size_t>(pe)];
      const std::uint32_t state = level_ % 2 * num_state_words_;
      Line& control = queue[state];
      const std::uint64_t first = control.lane[ControlLane::kFirstWord], num = control.lane[ControlLane::kNumEntries];
      std::uint64_t num_kept = 0, num_words = 0;
      for (std::uint64_t i = 0; i < num; ++i) {
        const std::uint64_t* const entry = queue[first + i / kEntriesPerWord].lane + 2 * (i % kEntriesPerWord);
        const ListCode code = entry[0];
        if (!stays(lists_.owners().first(pe) + code_index(code))) {
          mark(queue, state, code_index(code), false);
          continue;
        }
        std::uint64_t* const kept = queue[first + num_kept / kEntriesPerWord].lane + 2 * (num_kept % kEntriesPerWord);
        std::copy_n(entry, 2, kept);
        ++num_kept;
        num_words += likely_words(code);
      }
      control.lane[ControlLane::kNumEntries] = num_kept;
      control.lane[ControlLane::kListWords] = num_words;
    }
  }

 private:
  static void mark(const Writable<Line>& queue, std::uint32_t state, std::uint32_t index, bool is_marked) {
    std::uint64_t& row = queue[state + 1 + index / kMarksPerWord].lane[index % kMarksPerWord / kMarksPerRow];
    const std::uint64_t bit = std::uint64_t(1) << index % kMarksPerRow;
    row = is_marked ? row | bit : row & ~bit;
  }

  const DeviceLists& lists_;
  const PullRows* pulls_;
  std::uint32_t num_state_words_, level_ = 0;
  std::vector<Writable<Line>> queues_;
};

}  // namespace pe_array
}  // namespace gaspipe
