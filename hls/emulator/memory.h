// SPDX-License-Identifier: Apache-2.0
// The memory of a board as kernels see it: buffers in banks, each bank a channel that serves one burst after the other.
// A port reads or writes words of a buffer in bursts; it may have several under way, and a word is there when the
// channel has delivered it. What lies outside a port's buffer cannot be touched: a design that tries ends with an
// error. Replies may be late by random times (Disorder): a port's keep their order, those of different ports do not.
//
// Without a memory map (a unit test of one module) ports cost nothing and touch what they are given.
#pragma once

#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "hls/emulator/engine.h"

namespace gaspipe {
namespace emulator {

struct ChannelConfig {
  double bytes_per_cycle = 64;
  std::uint32_t latency = 64;        // cycles from a request to its first byte
  std::uint32_t burst_gap = 0;       // cycles lost between two bursts
  std::uint32_t switch_penalty = 0;  // cycles lost when another port is served
};

class Channel {
 public:
  explicit Channel(const ChannelConfig& config = {}) : config_(config) {}

  // Serves a burst that is asked for in cycle `when`; returns when its first byte is there. `port` is its
  // identity.
  double serve(double when, double num_bytes, const void* port) {
    const double start = std::max(next_free_, when) + (port != last_port_ ? config_.switch_penalty : 0);
    last_port_ = port;
    next_free_ = start + num_bytes / config_.bytes_per_cycle + config_.burst_gap;
    num_bytes_ += num_bytes;
    busy_ += num_bytes / config_.bytes_per_cycle;
    return start + config_.latency;
  }
  const ChannelConfig& config() const { return config_; }
  double num_bytes() const { return num_bytes_; }
  double busy_cycles() const { return busy_; }

 private:
  ChannelConfig config_;
  double next_free_ = 0, num_bytes_ = 0, busy_ = 0;
  const void* last_port_ = nullptr;
};

// The buffers, and the bank in which each lies; one per engine, made by the caller of the kernel.
class MemoryMap {
 public:
  explicit MemoryMap(std::vector<Channel> channels) : channels_(std::move(channels)) {}

  void add(std::string name, const void* data, std::size_t num_bytes, std::size_t bank, bool writable) {
    if (bank >= channels_.size()) {
      throw DesignError("buffer " + name + " is in bank " + std::to_string(bank) + "; there are " +
                        std::to_string(channels_.size()));
    }
    const char* first = static_cast<const char*>(data);
    auto after = buffers_.lower_bound(first);
    if (after != buffers_.end() && after->first == first && after->second.num_bytes == num_bytes &&
        after->second.bank == bank) {  // one buffer, two arguments
      after->second.writable |= writable;
      return;
    }
    const bool meets_next = after != buffers_.end() && first + num_bytes > after->first;
    const bool meets_last =
        after != buffers_.begin() && std::prev(after)->first + std::prev(after)->second.num_bytes > first;
    if (meets_next || meets_last) {
      throw DesignError("buffer " + name + " overlaps " + (meets_next ? after : std::prev(after))->second.name);
    }
    buffers_[first] = {std::move(name), num_bytes, bank, writable, {}};
  }

  // What bursts moved of a buffer or of a part of one: bytes, and the cycle in which the last burst was done (of a
  // write: answered).
  struct Use {
    double bytes_read = 0, bytes_written = 0;
    Cycle last_done = 0;

    void add(double num_bytes, bool writes, double done) {
      (writes ? bytes_written : bytes_read) += num_bytes;
      last_done = std::max(last_done, up(done));
    }
  };
  struct Buffer {
    std::string name;
    std::size_t num_bytes, bank;
    bool writable;
    Use use;
  };
  // Watches a part of a buffer, a multiple of bursts or to the buffer's end, to find when that part was complete.
  // Returns its number among the parts.
  std::size_t add_part(const void* data, std::size_t num_bytes) {
    const char* first = static_cast<const char*>(data);
    part_at_[first] = parts_.size();
    parts_.push_back({first, first + num_bytes, {}});
    return parts_.size() - 1;
  }
  // Of a buffer by its name, of a part by its number.
  const Use& use(const std::string& name) const {
    for (const auto& [start, buffer] : buffers_) {
      if (buffer.name == name) return buffer.use;
    }
    throw DesignError("no buffer is called " + name);
  }
  const Use& use_of_part(std::size_t part) const { return parts_[part].use; }
  // For ports: a burst of `num_bytes` from `data` on, done in cycle `done`.
  void count(Buffer& buffer, const void* data, double num_bytes, bool writes, double done) {
    buffer.use.add(num_bytes, writes, done);
    if (parts_.empty()) return;
    auto after = part_at_.upper_bound(static_cast<const char*>(data));
    if (after == part_at_.begin()) return;
    Part& part = parts_[(--after)->second];
    if (data < part.last) part.use.add(num_bytes, writes, done);
  }
  static Cycle up(double time) { return static_cast<Cycle>(time + 0.999999); }  // sums of fractions may end above
  // The buffer that `data` points into, and how many bytes it has from there on; nullptr if there is none.
  std::pair<Buffer*, std::size_t> find(const void* data) {
    const char* first = static_cast<const char*>(data);
    auto after = buffers_.upper_bound(first);
    if (after == buffers_.begin()) return {nullptr, 0};
    auto& [start, buffer] = *--after;
    const std::size_t offset = static_cast<std::size_t>(first - start);
    if (offset >= buffer.num_bytes) return {nullptr, 0};
    return {&buffer, buffer.num_bytes - offset};
  }
  Channel& channel(std::size_t bank) { return channels_[bank]; }

  // Told of the bytes that a port's loop is about to read or write; returns what is wrong with them, "" if nothing is.
  using Watch = std::function<std::string(const void* data, std::size_t num_bytes, bool writes)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  std::string objection(const void* data, std::size_t num_bytes, bool writes) const {
    return watch_ == nullptr ? "" : watch_(data, num_bytes, writes);
  }
  const std::vector<Channel>& channels() const { return channels_; }

  // The map that kernels called on this thread see.
  static MemoryMap*& current() {
    static thread_local MemoryMap* map = nullptr;
    return map;
  }

 private:
  struct Part {
    const char *first, *last;
    Use use;
  };

  std::vector<Channel> channels_;
  std::map<const char*, Buffer> buffers_;
  std::vector<Part> parts_;
  std::map<const char*, std::size_t> part_at_;
  Watch watch_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_words(const Task* task, std::uint64_t at, std::uint64_t last,
                                                                bool writes, const std::string& why) {
  throw DesignError((task == nullptr ? "" : Engine::current()->title(*task) + ": ") +
                    (writes ? "a port writes" : "a port reads") + " word " + std::to_string(at) + " of " +
                    std::to_string(last) + why);
}

// The buffer in which a port's loop goes over words [at, last) of `data`. DesignError where it may not.
[[gnu::noinline]] inline MemoryMap::Buffer& buffer_of_words(MemoryMap& map, const void* data, std::size_t word_bytes,
                                                            std::uint64_t at, std::uint64_t last, bool writes,
                                                            const Task* task) {
  const auto [buffer, num_bytes] = map.find(data);
  if (buffer == nullptr) refuse_words(task, at, last, writes, " where there is no buffer");
  const auto refuse = [&, buffer = buffer](const std::string& why) {
    refuse_words(task, at, last, writes, " of buffer " + buffer->name + ", " + why);
  };
  if (at >= last) refuse("past the end of its own loop");
  if (last > num_bytes / word_bytes) refuse("which has " + std::to_string(num_bytes / word_bytes));
  if (writes && !buffer->writable) refuse("which may only be read");
  return *buffer;
}

// What watches the memory has no objection to these words.
[[gnu::noinline]] inline void check_words(const MemoryMap& map, const void* data, std::size_t word_bytes,
                                          std::uint64_t at, std::uint64_t last, std::uint64_t last_now, bool writes,
                                          const MemoryMap::Buffer& buffer, const Task* task) {
  const std::string wrong =
      map.objection(static_cast<const char*>(data) + at * word_bytes, (last_now - at) * word_bytes, writes);
  if (!wrong.empty()) refuse_words(task, at, last, writes, " of buffer " + buffer.name + ", " + wrong);
}

// One end of a kernel's AXI port, as a task uses it: words [first, last) of a buffer, in order.
// An eager port sends a burst with its first word.
template <class Word, bool writes, bool eager = false>
class Port {
 public:
  static constexpr std::uint32_t kBurstWords = 64;  // 4 KB of 512-bit words, the most AXI allows
  static constexpr std::uint32_t kBurstsUnderWay = 4;

  explicit Port(const Word* data) : data_(data), map_(MemoryMap::current()) {
    Engine* engine = Engine::current();
    if (engine == nullptr || !engine->is_one_of_mine(engine->task())) return;
    task_ = engine->task();
    most_delay_ = engine->options().disorder.most_delay;
    if (most_delay_ != 0) random_ = engine->random();
  }

  // The task's next word is number `at`, of a loop that goes on to `last`. Reading waits until it has arrived; bursts
  // ahead are asked for as early as the port can. Writing sends a burst once its words are there, and waits for room,
  // and for the answer to the loop's last.
  void word(std::uint64_t at, std::uint64_t last) {
    if (map_ == nullptr) return;
    if (at != next_ || last != last_ || at >= last) begin(at, last);
    next_ = at + 1;
    if (task_ == nullptr) return;
    if (writes) {
      if (at == asked_) wait_until(done_[num_asked_ % kBurstsUnderWay]);
      if (eager) {
        if (at == asked_) ask();
        if (next_ == last_) wait_until(std::max(done_[(num_asked_ - 1) % kBurstsUnderWay], answered_now()));
        return;
      }
      if (next_ != end_of_burst()) return;
      ask();
      if (next_ == last_) wait_until(done_[(num_asked_ - 1) % kBurstsUnderWay]);
    } else {
      while (asked_ < last_ && num_asked_ - num_done_ < kBurstsUnderWay) ask();
      const Burst& burst = bursts_[num_done_ % kBurstsUnderWay];
      wait_until(burst.first_byte + static_cast<double>((next_ - burst.first) * sizeof(Word)) / bytes_per_cycle_);
      if (next_ == burst.last) ++num_done_;
    }
  }

 private:
  struct Burst {
    std::uint64_t first, last;
    double first_byte;
  };

  void begin(std::uint64_t at, std::uint64_t last) {
    buffer_ = &buffer_of_words(*map_, data_, sizeof(Word), at, last, writes, task_);
    check_words(*map_, data_, sizeof(Word), at, last, last, writes, *buffer_, task_);
    channel_ = &map_->channel(buffer_->bank);
    bytes_per_cycle_ = std::min<double>(channel_->config().bytes_per_cycle, sizeof(Word));
    asked_ = at;
    last_ = last;
    num_asked_ = num_done_ = 0;
  }
  // Bursts end at multiples of their length, so that none crosses a 4 KB border.
  std::uint64_t end_of_burst() const { return std::min(last_, (asked_ / kBurstWords + 1) * kBurstWords); }
  void ask() {
    const std::uint64_t end = end_of_burst();
    const double num_bytes = static_cast<double>((end - asked_) * sizeof(Word));
    Engine::current()->park(task_->clock, nullptr);  // channels serve in the order of the cycles, not of the tasks
    // A port is identified by the array that it is connected to.
    double first_byte = channel_->serve(static_cast<double>(task_->clock), num_bytes, data_);
    if (most_delay_ != 0) first_byte = std::max(first_byte + random_.up_to(most_delay_), last_reply_);
    bursts_[num_asked_ % kBurstsUnderWay] = {asked_, end, first_byte};
    const double done = first_byte + num_bytes / channel_->config().bytes_per_cycle;
    done_[num_asked_ % kBurstsUnderWay] = done;
    last_reply_ = done;
    map_->count(*buffer_, data_ + asked_, num_bytes, writes, done);
    ++num_asked_;
    asked_ = end;
  }
  double answered_now() const { return static_cast<double>(task_->clock) + channel_->config().latency; }
  void wait_until(double time) {
    if (time <= static_cast<double>(task_->clock)) return;
    const Cycle then = MemoryMap::up(time);
    task_->waited_memory += then - task_->clock;
    task_->clock = then;
  }

  const Word* data_;
  MemoryMap* map_;
  Task* task_ = nullptr;
  MemoryMap::Buffer* buffer_ = nullptr;
  Channel* channel_ = nullptr;
  std::uint32_t most_delay_ = 0;
  Random random_;
  double bytes_per_cycle_ = 64, last_reply_ = 0;
  std::uint64_t next_ = ~std::uint64_t(0), last_ = 0, asked_ = 0;
  std::uint64_t num_asked_ = 0, num_done_ = 0;
  Burst bursts_[kBurstsUnderWay];
  double done_[kBurstsUnderWay] = {};
};

}  // namespace emulator
}  // namespace gaspipe
