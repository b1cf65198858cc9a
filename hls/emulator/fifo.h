// SPDX-License-Identifier: Apache-2.0
// A stream of the hardware: a FIFO of so many places between one writer and one reader. A token written in cycle c can
// be read from cycle c + 1 + latency on, and its place is free for the writer one cycle after it was read.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <type_traits>
#include <utility>

#include "hls/emulator/engine.h"

namespace gaspipe {
namespace emulator {

class alignas(64) FifoBase {
 public:
  FifoBase() = default;
  FifoBase(const FifoBase&) = delete;
  FifoBase& operator=(const FifoBase&) = delete;

  const std::string& name() const { return name_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(tail_ - head_); }
  std::uint32_t depth() const { return depth_; }
  const Task* reader() const { return reader_; }
  const Task* writer() const { return writer_; }
  // Makes places for tokens and returns the bytes of one.
  using MakeRoom = std::uint32_t (*)(FifoBase& fifo, std::uint32_t places);
  [[gnu::cold, gnu::noinline]] void declare_as(Engine& engine, std::string name, std::uint32_t depth,
                                               std::uint32_t shallowest, std::uint32_t latency, MakeRoom make_room) {
    if (depth < shallowest || shallowest == 0) {
      throw DesignError("stream " + name + " has a depth of " + std::to_string(depth) + "; it needs at least " +
                        std::to_string(std::max(shallowest, 1u)));
    }
    engine_ = &engine;
    running_ = engine.place_of_task();
    name_ = std::move(name);
    depth_ = engine.options().depth_of(name_, depth, shallowest) + latency;
    cycles_on_the_way_ = latency + 1;
    most_stall_ = engine.options().disorder.most_stall;
    reads_ = engine.random();
    writes_ = engine.random();
    token_bytes_ = make_room(*this, depth_);
    engine.add_stream(this);
  }
  StreamStats stats() const { return {name_, depth_, most_, token_bytes_, head_, reader_waited_, writer_waited_}; }

 protected:
  // Streams without a declared depth, as in a unit test, hold any number of tokens.
  static constexpr std::uint32_t kUnbounded = 1u << 30;

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_reading() const {
    throw Deadlock("stream " + name_ + " is empty, and no task will write to it");
  }
  // The first use by a task makes it the stream's reader or writer.
  [[gnu::cold, gnu::noinline]] void own(const Task*& owner, Task* task, const char* does) {
    if (!engine_->is_one_of_mine(task)) {
      throw DesignError("stream " + name_ + " is " + does + " by " +
                        (Engine::current() == engine_ ? "the region itself; only its tasks may"
                                                      : "a task of a region that it was not declared in"));
    }
    // A module that is called again has tasks of its own in every call.
    const bool is_left = owner != nullptr && owner->opener != nullptr && owner->opener == task->opener &&
                         owner->state == TaskState::kDone;
    if (owner != nullptr && !is_left) {
      throw DesignError("stream " + name_ + " is " + does + " by two tasks, " + engine_->title(*owner) + " and " +
                        engine_->title(*task) + "; a stream has one writer and one reader");
    }
    owner = task;
  }
  // What comes before a use of the stream unless it is by the usual task and need not wait. Null: without an engine.
  [[gnu::noinline]] Task* begin_reading() {
    Task* task = begin_asking();
    if (task != nullptr && head_ == tail_) {
      reading_ = task;
      engine_->wait(TaskState::kReading, this);
    }
    return task;
  }
  [[gnu::noinline]] Task* begin_writing() {
    if (engine_ == nullptr) return nullptr;
    Task* task = engine_->task();
    if (task != usual_writer_) begin(writer_, usual_writer_, task, "written", writes_);
    if (size() == depth_) {
      writing_ = task;
      engine_->wait(TaskState::kWriting, this);
    }
    most_ = std::max(most_, size() + 1);
    return task;
  }
  Task* begin_asking() {
    if (engine_ == nullptr) return nullptr;
    Task* task = engine_->task();
    if (task != usual_reader_) begin(reader_, usual_reader_, task, "read", reads_);
    return task;
  }
  [[gnu::noinline]] void wake_reader() {
    if (reading_->state == TaskState::kParked) ++reading_->parking;  // it has asked whether there is a token
    engine_->ready(std::exchange(reading_, nullptr));
  }
  [[gnu::noinline]] void wake_writer() { engine_->ready(std::exchange(writing_, nullptr)); }

  static inline Task* const kNobody = nullptr;

  // First, in as few cache lines as they take, what every use touches.
  Task* const* running_ = &kNobody;  // where the engine has the task that runs
  // The task that reads (writes), once it has done so; the stream itself, which is no task, where every use has to be
  // looked at.
  const void *usual_reader_ = this, *usual_writer_ = this;
  std::uint64_t head_ = 0, tail_ = 0;             // how many were read, and written
  Task *reading_ = nullptr, *writing_ = nullptr;  // tasks that wait
  std::uint32_t most_ = 0, cycles_on_the_way_ = 1;
  void *first_ = nullptr, *end_ = nullptr;         // the ring of places
  void *to_read_ = nullptr, *to_write_ = nullptr;  // the next ones
  Cycle reader_waited_ = 0, writer_waited_ = 0;
  std::uint32_t depth_ = kUnbounded, most_stall_ = 0, token_bytes_ = 0;
  Engine* engine_ = nullptr;
  const Task *reader_ = nullptr, *writer_ = nullptr;
  std::string name_ = "stream";
  Random reads_, writes_;

 private:
  [[gnu::cold, gnu::noinline]] void begin(const Task*& owner, const void*& usual, Task* task, const char* does,
                                          Random& random) {
    if (task != owner) own(owner, task, does);
    if (most_stall_ == 0) {
      usual = task;
    } else {
      task->clock += random.rarely_up_to(most_stall_);
    }
  }
};

template <class T>
class Fifo : public FifoBase {
  static_assert(std::is_trivially_copyable<T>::value, "tokens are plain structs of words");

 public:
  // Places of a stream inside a dataflow region. `latency` are pipeline stages on the way, which hold tokens too.
  void declare(Engine& engine, std::string name, std::uint32_t depth, std::uint32_t shallowest = 1,
               std::uint32_t latency = 0) {
    declare_as(engine, std::move(name), depth, shallowest, latency, make_room);
  }
  [[gnu::cold, gnu::noinline]] static std::uint32_t make_room(FifoBase& fifo, std::uint32_t places) {
    auto& me = static_cast<Fifo&>(fifo);
    me.slots_.reset(new Slot[places]);
    me.first_ = me.to_read_ = me.to_write_ = me.slots_.get();
    me.end_ = me.slots_.get() + places;
    return sizeof(T);
  }

  T read() {
    T value;
    read(value);
    return value;
  }
  // Reading and writing are most of what the emulator does: the usual case is a few dozen instructions in the task's
  // loop, all else a call, which is given copies of tokens: those of the loop may stay in registers.
  [[gnu::always_inline]] void read(T& value) {
    Task* task = *running_;
    if (__builtin_expect(task != usual_reader_ || head_ == tail_, 0)) {
      task = begin_reading();
      if (task == nullptr) return void(value = read_unbounded());
    }
    Slot& slot = *static_cast<Slot*>(to_read_);
    value = slot.value;
    Cycle clock = task->clock;
    if (slot.when > clock) {
      const Cycle waited = slot.when - clock;
      clock = slot.when;
      reader_waited_ += waited;
      task->waited_streams_in += waited;
      task->clock = clock;
    }
    slot.when = clock;
    to_read_ = after(slot);
    ++head_;
    if (__builtin_expect(writing_ != nullptr, 0)) wake_writer();
  }
  [[gnu::always_inline]] void write(const T& value) {
    Task* task = *running_;
    if (__builtin_expect(task != usual_writer_ || size() >= most_, 0)) {  // no more than most_, so not full
      task = begin_writing();
      if (task == nullptr) {
        const T copy = value;
        return write_unbounded(copy);
      }
    }
    // The place was left by the token that is `depth` before this one.
    Slot& slot = *static_cast<Slot*>(to_write_);
    const Cycle free = slot.when + 1;
    Cycle clock = task->clock;
    if (free > clock) {
      const Cycle waited = free - clock;
      clock = free;
      writer_waited_ += waited;
      task->waited_streams_out += waited;
      task->clock = clock;
    }
    slot.value = value;
    slot.when = std::max(clock, task->answered) + cycles_on_the_way_;
    to_write_ = after(slot);
    ++tail_;
    if (__builtin_expect(reading_ != nullptr, 0)) wake_reader();
  }
  // Whether there is nothing to read in the caller's cycle.
  bool empty() {
    Task* task = begin_asking();
    if (task == nullptr) return head_ == tail_;
    if (head_ == tail_) {
      reading_ = task;
      engine_->park(task->clock, this);
      reading_ = nullptr;
    }
    return head_ == tail_ || static_cast<Slot*>(to_read_)->when > task->clock;
  }
  bool read_nb(T& value) {
    if (empty()) return false;
    read(value);
    return true;
  }

 private:
  struct Slot {
    T value{};
    // Of a token, the first cycle in which it can be read. Of a free place, the one in which its last was read; before
    // the first, the one after it is 0.
    Cycle when = ~Cycle(0);
  };

  void* after(Slot& slot) const { return &slot + 1 == end_ ? first_ : &slot + 1; }
  [[gnu::cold, gnu::noinline]] T read_unbounded() {
    if (head_ == tail_) refuse_reading();
    return slots_[head_++].value;
  }
  [[gnu::cold, gnu::noinline]] void write_unbounded(const T& value) {
    if (tail_ == num_places_) {
      num_places_ = std::max<std::uint64_t>(64, 2 * num_places_);
      std::unique_ptr<Slot[]> more(new Slot[num_places_]);
      std::copy_n(slots_.get(), tail_, more.get());
      slots_ = std::move(more);
    }
    slots_[tail_++].value = value;
    if (size() > most_) most_ = size();
  }

  std::unique_ptr<Slot[]> slots_;  // a ring of as many as the stream is deep
  std::uint64_t num_places_ = 0;   // of a stream without a depth
};

inline void Engine::run() {
  make_room();
  for (const auto& task : tasks_) start(task.get());
  // The thread waits like a task; a task that finds no other to run enters it.
  if (Task* first = next()) enter(&main_, first);
  const bool is_deadlock = failure_ == nullptr && !is_stopped_ && num_done_ != tasks_.size();
  const std::string report = is_deadlock ? deadlock_report() : "";
  unwind();
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (is_stopped_) throw Stopped();
  if (is_deadlock) throw Deadlock(report);
  check_streams(nullptr);
  last_cycles() = cycles();
  if (outer_task_ != nullptr) outer_task_->clock = cycles();
  if (statistics() != nullptr) collect_statistics(*statistics());
}

inline void Engine::run_inside() {
  Task* opener = task_;
  make_room();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task* task = tasks_[i].get();
    if (task->opener != opener || task->is_begun || task->stack != nullptr) continue;
    ++opener->num_opened;
    start(task);
  }
  if (opener->num_opened > 0) wait(TaskState::kOpened, nullptr);
  Cycle ended = opener->clock;
  for (const auto& task : tasks_) {
    if (task->opener != opener) continue;
    ended = std::max(ended, task->clock);
    if (task->stack != nullptr) Stack::give_back(std::move(task->stack));
  }
  opener->waited_streams_in += ended - opener->clock;
  opener->clock = ended;
  check_streams(opener);
  const auto is_inside = [opener](const Stream& stream) { return stream.opener == opener; };
  if (statistics() != nullptr) {
    for (const Stream& stream : streams_) {
      if (is_inside(stream)) ended_streams_.push_back(stream.fifo->stats());
    }
  }
  streams_.erase(std::remove_if(streams_.begin(), streams_.end(), is_inside), streams_.end());
}

inline void Engine::collect_statistics(RunStats& stats) const {
  for (const Stream& stream : streams_) stats.streams.push_back(stream.fifo->stats());
  stats.streams.insert(stats.streams.end(), ended_streams_.begin(), ended_streams_.end());
  for (const auto& task : tasks_) {
    stats.tasks.push_back(
        {task->name, task->call, task->clock, task->waited_streams_in, task->waited_streams_out, task->waited_memory});
  }
  for (const Memory& memory : memories_) stats.memories.push_back(memory.stats);
}

// The task's name; where several have it, the whole call.
inline std::string Engine::title(const Task& task) const {
  const auto is_same = [&](const auto& other) { return other.get() != &task && other->name == task.name; };
  const bool is_unique = std::none_of(tasks_.begin(), tasks_.end(), is_same);
  return is_unique || task.call.empty() ? task.name : task.call;
}

// The task that could end a task's wait, and a clause that says so. A task that has not used the stream yet is found by
// the text of its call: it names the stream, and where both are numbered it has the stream's number.
inline const Task* Engine::other_end(const Task& task, std::string* says) const {
  if (task.state == TaskState::kOpened) return nullptr;  // its own tasks are followed themselves
  const FifoBase& on = *task.waits_on;
  const bool writes = task.state == TaskState::kWriting;
  if (const Task* other = writes ? on.reader() : on.writer()) {
    *says = "which " + title(*other) + (writes ? " reads" : " writes") +
            (other->state == TaskState::kDone ? " no more: it has ended" : "");
    return other;
  }
  const std::string stream = on.name().substr(0, on.name().find('['));
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<const Task*> named;
  for (const auto& other : tasks_) {
    const std::string& call = other->call;
    const bool has_number = other->index >= 0 && on.name() != stream;
    if (other.get() == &task || (has_number && on.name() != stream + "[" + std::to_string(other->index) + "]"))
      continue;
    for (std::size_t at = call.find(stream); at != std::string::npos; at = call.find(stream, at + 1)) {
      const std::size_t after = at + stream.size();
      if ((at > 0 && is_letter(call[at - 1])) || (after < call.size() && is_letter(call[after]))) continue;
      named.push_back(other.get());
      break;
    }
  }
  *says = std::string("which no task has ") + (writes ? "read" : "written") + " yet";
  if (named.empty()) return nullptr;
  *says += "; named in ";
  for (const Task* other : named) {
    *says += (other == named.front() ? "" : " and ") + title(*other) +
             (other->state == TaskState::kDone ? ", which has ended" : "");
  }
  return named.size() == 1 ? named.front() : nullptr;
}

inline std::string Engine::deadlock_report() const {
  std::size_t num_waiting = 0, num_working = 0;  // but for those that only wait for the region they have opened
  for (const auto& task : tasks_) {
    num_waiting += task->state != TaskState::kDone && task->state != TaskState::kOpened;
    num_working += task->state != TaskState::kOpened;
  }
  std::string report =
      "deadlock: " + std::to_string(num_waiting) + " of " + std::to_string(num_working) + " tasks wait for ever\n";
  for (const auto& task : tasks_) {
    if (task->state == TaskState::kDone || task->state == TaskState::kOpened) continue;
    const FifoBase& on = *task->waits_on;
    std::string other;
    other_end(*task, &other);
    report += "  " + title(*task) + ", cycle " + std::to_string(task->clock) + ": " +
              (task->state == TaskState::kWriting ? "writes to " : "reads from ") + on.name() + " (" +
              std::to_string(on.size()) + " of " + std::to_string(on.depth()) + "), " + other + "\n";
  }
  // From any task, following the waits ends in the circle, or at a task that has ended.
  for (const auto& start : tasks_) {
    std::vector<const Task*> path;
    const Task* at = start.get();
    while (at != nullptr && at->state != TaskState::kDone && std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      std::string says;
      at = other_end(*at, &says);
    }
    const auto first = std::find(path.begin(), path.end(), at);
    if (first == path.end()) continue;
    report += "  in a circle: ";
    for (auto task = first; task != path.end(); ++task) report += title(**task) + " -> ";
    return report + title(**first);
  }
  return report + "  no circle: what is waited for never comes";
}

// Of the region that `opener` has opened; null: of the engine's own.
inline void Engine::check_streams(const Task* opener) const {
  std::string left;
  for (const Stream& stream : streams_) {
    if (stream.opener != opener || stream.fifo->size() == 0) continue;
    left += (left.empty() ? "" : ", ") + stream.fifo->name() + " (" + std::to_string(stream.fifo->size()) + ")";
  }
  if (!left.empty()) throw DesignError("all tasks have ended, but tokens were left in: " + left);
}

}  // namespace emulator
}  // namespace gaspipe
