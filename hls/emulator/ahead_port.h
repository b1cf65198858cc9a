// SPDX-License-Identifier: Apache-2.0
// A port for requests that come one by one: ranges of words in any order, each a burst or several. The loop that uses
// it is a pipeline longer than the memory's latency: it starts an iteration each cycle while earlier ones wait for
// their words, and what an iteration writes to a stream can be read when its word is there (Task::answered). For a
// write that is when the memory has answered. The next iteration starts when a place in the stream is taken, so a
// memory unit has no more words under way than its stream has places, and one.
#pragma once

#include "hls/emulator/memory.h"

namespace gaspipe {
namespace emulator {

template <class Word, bool writes>
class AheadPort {
 public:
  static constexpr std::uint32_t kBurstWords = 64;      // 4 KB of 512-bit words, the most AXI allows
  static constexpr std::uint32_t kBurstsUnderWay = 64;  // requests that have no answer yet

  explicit AheadPort(const Word* data) : data_(data), map_(MemoryMap::current()) {
    if (map_ == nullptr) return;
    Engine* engine = Engine::current();
    if (engine == nullptr || !engine->is_one_of_mine(engine->task())) return;
    task_ = engine->task();
    most_delay_ = engine->options().disorder.most_delay;
    if (most_delay_ != 0) random_ = engine->random();
  }

  // The iteration's word is number `at`, of a range that goes on to `last`.
  void word(std::uint64_t at, std::uint64_t last) {
    if (map_ == nullptr) return;
    if (at != next_ || last != last_ || at == end_) begin(at, last);
    next_ = at + 1;
    if (task_ == nullptr) return;
    if (writes) {  // a burst goes when its last word is there
      if (next_ == end_) ask();
      return;
    }
    if (at == first_) ask();
    answered_by(first_byte_ + static_cast<double>((next_ - first_) * sizeof(Word)) / bytes_per_cycle_);
  }

 private:
  // A burst of the range [at, last).
  void begin(std::uint64_t at, std::uint64_t last) {
    if (buffer_ == nullptr) find_buffer(at, last);
    const auto refuse = [&](const std::string& why) {
      refuse_words(task_, at, last, writes, " of buffer " + buffer_->name + ", " + why);
    };
    if (at >= last) refuse("past the end of its own range");
    if (last > num_words_) refuse("which has " + std::to_string(num_words_));
    first_ = at;
    last_ = last;
    end_ = std::min(last, (at / kBurstWords + 1) * kBurstWords);  // none crosses a 4 KB border
    check_words(*map_, data_, sizeof(Word), first_, last, end_, writes, *buffer_, task_);
  }
  void find_buffer(std::uint64_t at, std::uint64_t last) {
    const auto [buffer, num_bytes] = map_->find(data_);
    if (buffer == nullptr) refuse_words(task_, at, last, writes, " where there is no buffer");
    if (writes && !buffer->writable) {
      refuse_words(task_, at, last, writes, " of buffer " + buffer->name + ", which may only be read");
    }
    buffer_ = buffer;
    num_words_ = num_bytes / sizeof(Word);
    channel_ = &map_->channel(buffer->bank);
    bytes_per_cycle_ = std::min<double>(channel_->config().bytes_per_cycle, sizeof(Word));
  }
  void ask() {
    const Cycle room = done_[num_asked_ % kBurstsUnderWay];
    if (room > task_->clock) {
      task_->waited_memory += room - task_->clock;
      task_->clock = room;
    }
    const double num_bytes = static_cast<double>((end_ - first_) * sizeof(Word));
    Engine::current()->park(task_->clock, nullptr);  // channels serve in the order of the cycles, not of the tasks
    // A port is identified by the array that it is connected to.
    first_byte_ = channel_->serve(static_cast<double>(task_->clock), num_bytes, data_);
    if (most_delay_ != 0) first_byte_ = std::max(first_byte_ + random_.up_to(most_delay_), last_reply_);
    last_reply_ = first_byte_ + num_bytes / channel_->config().bytes_per_cycle;
    done_[num_asked_ % kBurstsUnderWay] = MemoryMap::up(last_reply_);
    map_->count(*buffer_, data_ + first_, num_bytes, writes, last_reply_);
    ++num_asked_;
    if (writes) answered_by(last_reply_);
  }
  void answered_by(double time) { task_->answered = std::max(task_->answered, MemoryMap::up(time)); }

  const Word* data_;
  MemoryMap* map_;
  Task* task_ = nullptr;
  MemoryMap::Buffer* buffer_ = nullptr;
  Channel* channel_ = nullptr;
  std::uint32_t most_delay_ = 0;
  Random random_;
  double bytes_per_cycle_ = 64, first_byte_ = 0, last_reply_ = 0;
  std::uint64_t num_words_ = 0, next_ = ~std::uint64_t(0), first_ = 0, end_ = 0, last_ = 0, num_asked_ = 0;
  Cycle done_[kBurstsUnderWay] = {};
};

}  // namespace emulator
}  // namespace gaspipe
