// SPDX-License-Identifier: Apache-2.0
// The memory of an array of PEs, between launches: on an emulated board, or on a card and here what came from there.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "cpp/src/backend/card/kernel_alone.h"
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
  // `roots`: places of the lists. `card`: null, or where a graph is by this key (KernelAlone::place).
  Banks(const DeviceLists& lists, const PullRows* pulls, const std::vector<VertexId>& roots, KernelAlone* card,
        const std::shared_ptr<const void>& key)
      : lists_(lists), pulls_(pulls), card_(card), num_state_words_(state_words(lists.owners().share())) {
    if (card != nullptr) card->place(key, arrays(), lists.num_edges());
    for (int pe = 0; pe < lists.num_pes(); ++pe) {
      const std::uint64_t num_words = queue_words(num_state_words_, lists.owners().count(pe));
      if (card == nullptr) memory_.emplace_back(num_words);
      queues_.push_back(card == nullptr ? memory_.back().data() : static_cast<Line*>(card->changed(pe)));
      num_words_.push_back(num_words);
      Line* const queue = queues_.back();
      std::fill_n(queue, 2 * num_state_words_, Line{});
      queue[0].lane[ControlLane::kFirstWord] = 2 * num_state_words_;
    }
    for (const VertexId root : roots) {
      Line* const queue = queues_[static_cast<std::size_t>(lists.owners().of(root))];
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
          {lists_.lists(number).data(), queues_[pe], pulls_ == nullptr ? nullptr : pulls_->rows(number).data()});
    }
    return ports;
  }
  void add_to(emulator::MemoryMap& memory, const Board& board) const {
    const auto num_pes = static_cast<int>(queues_.size());
    for (int pe = 0; pe < num_pes; ++pe) {
      const std::size_t bank = bank_of(board, num_pes, pe), list_bytes = lists_.lists(pe).size() * sizeof(Line);
      if (list_bytes > 0) memory.add(message("lists_", pe), lists_.lists(pe).data(), list_bytes, bank, false);
      memory.add(message("queue_", pe), queues_[pe], num_words_[pe] * sizeof(Line), bank, true);
      if (pulls_ == nullptr || pulls_->rows(pe).size() == 0) continue;
      memory.add(message("rows_", pe), pulls_->rows(pe).data(), pulls_->rows(pe).size() * sizeof(SourceWord),
                 rows_bank_of(board, num_pes, pe), false);
    }
  }

  // To the card: what the next launch begins with. The other state is read as well, before the first one has written
  // it.
  void send() const {
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      const Line& control = this->control(pe);
      const std::uint64_t state = level_ % 2 * num_state_words_;
      card_->send(pe, state * sizeof(Line), (level_ == 0 ? 2 : 1) * num_state_words_ * sizeof(Line));
      if (control.lane[ControlLane::kNumEntries] == 0) continue;
      card_->send(pe, control.lane[ControlLane::kFirstWord] * sizeof(Line), words_of(control) * sizeof(Line));
    }
  }
  // From it: what one launch found, a level.
  void fetch() const {
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      const std::uint32_t state = (1 - level_ % 2) * num_state_words_;
      card_->fetch(pe, state * sizeof(Line), num_state_words_ * sizeof(Line));
      const Line& control = queues_[static_cast<std::size_t>(pe)][state];
      const std::uint64_t first = control.lane[ControlLane::kFirstWord];
      const std::uint64_t last = check(pe, control);
      card_->fetch(pe, first * sizeof(Line), (last - first) * sizeof(Line));
    }
  }
  // What a launch of all levels found. Control words are those of the last two, until replay() has each level's.
  void fetch_all() {
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      const Line* const queue = queues_[static_cast<std::size_t>(pe)];
      const std::uint64_t first = queue->lane[ControlLane::kFirstWord] + words_of(queue[0]);
      std::uint64_t last = first;
      for (const std::uint32_t state : {std::uint32_t(0), num_state_words_}) {
        card_->fetch(pe, state * sizeof(Line), sizeof(Line));
        last = std::max(last, check(pe, queue[state]));
      }
      card_->fetch(pe, first * sizeof(Line), (last - first) * sizeof(Line));
      found_.push_back({first, last});
    }
  }
  // The control words that a launch of the next level would have left. An entry says its level, from 1 on.
  void replay() {
    for (std::size_t pe = 0; pe < queues_.size(); ++pe) {
      Line* const queue = queues_[pe];
      Line& control = queue[(1 - level_ % 2) * num_state_words_];
      control = {};
      control.lane[ControlLane::kFirstWord] = found_[pe].first;
      std::uint64_t& num = control.lane[ControlLane::kNumEntries];
      for (const std::uint64_t first = found_[pe].first; found_[pe].first < found_[pe].last; ++found_[pe].first) {
        const std::uint64_t word = found_[pe].first, before = num;
        for (std::uint32_t k = 0; k < kEntriesPerWord; ++k) {
          const ListCode code = queue[word].lane[2 * k];
          if (queue[word].lane[2 * k + 1] >> 32 != level_ + 1) break;
          if (word > first && queue[word - 1].lane[2 * k] == code) break;  // fills the last word up
          ++num;
          control.lane[ControlLane::kListWords] += likely_words(code);
        }
        if (num == before) break;
      }
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
      Line* const queue = queues_[static_cast<std::size_t>(pe)];
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
  static std::uint64_t words_of(const Line& control) {
    return (control.lane[ControlLane::kNumEntries] + kEntriesPerWord - 1) / kEntriesPerWord;
  }
  // The end of the entries of a control word from a card. DeviceError for one that no kernel writes.
  std::uint64_t check(int pe, const Line& control) const {
    const std::uint64_t first = control.lane[ControlLane::kFirstWord], num = control.lane[ControlLane::kNumEntries];
    const std::uint64_t most = num_words_[static_cast<std::size_t>(pe)];
    if (num <= lists_.owners().count(pe) && first <= most && first >= 2 * std::uint64_t(num_state_words_) &&
        words_of(control) <= most - first) {
      return first + words_of(control);
    }
    throw DeviceError(message("the card wrote ", num, " vertices from word ", first, " on for PE ", pe, ", which has ",
                              lists_.owners().count(pe), " in ", most, " words; nothing of this run can be used"));
  }
  std::vector<std::vector<CardArray>> arrays() const {
    std::vector<std::vector<CardArray>> arrays;
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      const std::uint64_t num_words = queue_words(num_state_words_, lists_.owners().count(pe));
      const Array<Line>& own = lists_.lists(pe);
      arrays.push_back({{"queue and bitmaps", {"queue", "next_queue"}, nullptr, num_words * sizeof(Line), true},
                        {"lists", {"lists_even", "lists_odd"}, own.data(), own.size() * sizeof(Line)}});
      if (pulls_ == nullptr) continue;
      const Array<SourceWord>& rows = pulls_->rows(pe);
      arrays.back().push_back({"rows", {"heads", "rows"}, rows.data(), rows.size() * sizeof(SourceWord)});
    }
    return arrays;
  }
  static void mark(Line* queue, std::uint32_t state, std::uint32_t index, bool is_marked) {
    std::uint64_t& row = queue[state + 1 + index / kMarksPerWord].lane[index % kMarksPerWord / kMarksPerRow];
    const std::uint64_t bit = std::uint64_t(1) << index % kMarksPerRow;
    row = is_marked ? row | bit : row & ~bit;
  }

  const DeviceLists& lists_;
  const PullRows* pulls_;
  KernelAlone* card_;
  std::uint32_t num_state_words_, level_ = 0;
  std::vector<Writable<Line>> memory_;  // without a card
  std::vector<Line*> queues_;
  std::vector<std::uint64_t> num_words_;
  // Of a launch of all levels: words of entries that are not replayed.
  struct Found {
    std::uint64_t first, last;
  };
  std::vector<Found> found_;
};

}  // namespace pe_array
}  // namespace gaspipe
