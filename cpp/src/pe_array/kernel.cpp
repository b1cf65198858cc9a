// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/pe_array/kernel.h"

#include <algorithm>

#include "hls/kernel/local_store_bfs.h"

namespace gaspipe {
namespace pe_array {
namespace {

template <int num_pes>
void run_pes(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level) {
  const Line *queue[num_pes], *lists[num_pes];
  Line* next_queue[num_pes];
  for (int pe = 0; pe < num_pes; ++pe) {
    lists[pe] = ports[pe].lists;
    queue[pe] = next_queue[pe] = ports[pe].queue;
  }
  local_store_bfs<Config<8, 8, kMostOwned>, num_pes>(queue, lists, lists, next_queue, num_state_words, level);
}

// What a PE sends in a period, by receiver in its circular order.
struct Period {
  std::vector<CodeMessage> sent[kMostPes];
  bool is_last = false;
};

// The queue and lists of a PE, period by period: steps 1 to 3.
class Sender {
 public:
  Sender(const Ports& ports, const Line& control) : ports_(ports) {
    entry_ = std::uint64_t(control.lane[ControlLane::kFirstWord]) * kEntriesPerWord;
    last_ = entry_ + control.lane[ControlLane::kNumEntries];
    next_list();
  }

  void fill(Period& period) {
    for (std::vector<CodeMessage>& sent : period.sent) sent.clear();
    PeriodCounts counts;
    counts.start();
    bool is_full = false;
    while (list_ != nullptr && !is_full) {
      const std::uint32_t owner = owner_of(header_, at_);
      const ListCode code = list_[1 + at_ / kCodesPerWord].lane[at_ % kCodesPerWord];
      period.sent[owner].push_back({code, header_.vertex, false, false});
      is_full = counts.count(owner);
      if (++at_ == header_.end[kMostPes - 1]) next_list();
    }
    // As the hardware: a period that ends full is followed by another, which may be empty.
    period.is_last = !is_full;
  }

 private:
  void next_list() {
    list_ = nullptr;
    at_ = 0;
    while (list_ == nullptr && entry_ < last_) {
      const ListCode code = ports_.queue[entry_ / kEntriesPerWord].lane[2 * (entry_ % kEntriesPerWord)];
      ++entry_;
      if (code_words(code) == 0) continue;
      list_ = ports_.lists + code_place(code);
      header_ = list_header(list_[0]);
    }
  }

  const Ports& ports_;
  std::uint64_t entry_, last_;
  const Line* list_ = nullptr;
  ListHeader header_ = {};
  std::uint32_t at_ = 0;
};

}  // namespace

Receiver::Receiver(const Ports& ports, std::uint32_t num_state_words, std::uint32_t level)
    : level_(level), queue_(ports.queue), next_state_(ports.queue + (1 - level % 2) * num_state_words) {
  const Line* const state = queue_ + level % 2 * num_state_words;
  const std::uint64_t num = state->lane[ControlLane::kNumEntries];
  first_ = state->lane[ControlLane::kFirstWord] + (num + kEntriesPerWord - 1) / kEntriesPerWord;
  std::copy_n(state, num_state_words, next_state_);
}

void Receiver::take(const CodeMessage& message) {
  const std::uint32_t index = code_index(message.code);
  if (is_marked(index)) return;
  row(index) |= std::uint64_t(1) << index % kMarksPerRow;
  Line& word = queue_[first_ + num_ / kEntriesPerWord];
  if (num_ % kEntriesPerWord == 0) word = {};  // what fills it up has level 0
  word.lane[2 * (num_ % kEntriesPerWord)] = message.code;
  word.lane[2 * (num_ % kEntriesPerWord) + 1] = std::uint64_t(level_ + 1) << 32 | message.parent;
  ++num_;
  num_words_ += likely_words(message.code);
}

void Receiver::finish() {
  Line& control = *next_state_;
  control = {};
  control.lane[ControlLane::kFirstWord] = first_;
  control.lane[ControlLane::kNumEntries] = num_;
  control.lane[ControlLane::kListWords] = num_words_;
}

void run_level(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level) {
  if (ports.size() == 2) return run_pes<2>(ports, num_state_words, level);
  if (ports.size() == 4) return run_pes<4>(ports, num_state_words, level);
  run_pes<8>(ports, num_state_words, level);
}

void run_level_fast(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level) {
  const std::size_t num_pes = ports.size();
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
  for (const Ports& one : ports) {
    senders.emplace_back(one, one.queue[level % 2 * num_state_words]);
    receivers.emplace_back(one, num_state_words, level);
  }
  std::vector<Period> periods(num_pes);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t pe = 0; pe < num_pes; ++pe) {
      if (periods[pe].is_last) {
        for (std::vector<CodeMessage>& sent : periods[pe].sent) sent.clear();
        continue;
      }
      senders[pe].fill(periods[pe]);
      goes_on = goes_on || !periods[pe].is_last;
    }
    for (std::size_t pe = 0; pe < num_pes; ++pe) {
      for (std::size_t s = 0; s < num_pes; ++s) {
        for (const CodeMessage& message : periods[(pe + num_pes - s) % num_pes].sent[s]) receivers[pe].take(message);
      }
    }
  }
  for (Receiver& receiver : receivers) receiver.finish();
}

}  // namespace pe_array
}  // namespace gaspipe
