// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of a dataflow region as the hardware would: each on a fiber with a clock of its own, meeting only in
// bounded FIFOs (fifo.h) and memory channels (memory.h). Tokens carry the cycle at which they can be read, so a task
// may run ahead until it has to wait; what it then computes, and when, is what a simulation cycle by cycle gives.
//
// The result of two operations depends on what other tasks still do: non-blocking reads, and requests to a channel that
// several ports share. They park the task until no other task can do anything earlier. Every effect takes at least a
// cycle, which makes that exact.
//
// An engine belongs to one thread. Compute units that run side by side have one each. The tasks of a region that a task
// opens join that task's engine, and the task waits for them; it counts as waiting for input, for it does nothing
// itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hls/emulator/disorder.h"
#include "hls/emulator/fiber.h"

namespace gaspipe {
namespace emulator {

using Cycle = std::uint64_t;

// A design that cannot go on, or that breaks a rule of the hardware; what() is the report.
struct DesignError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Deadlock : DesignError {
  using DesignError::DesignError;
};
// The run was interrupted.
struct Stopped {};

class FifoBase;

// A function object of plain words, as a lambda is that takes references and numbers. Unlike std::function it needs no
// more code for each than the call: a program has hundreds of tasks.
class Body {
 public:
  using Invoke = void (*)(void* object);

  Body() = default;
  template <class F>
  Body(const F& function) : Body(invoke<F>, &function, sizeof function) {}
  [[gnu::cold, gnu::noinline]] Body(Invoke invoke, const void* object, std::size_t num_bytes)
      : invoke_(invoke), object_(new char[num_bytes]) {
    std::memcpy(object_.get(), object, num_bytes);
  }
  void operator()() const { invoke_(object_.get()); }

  template <class F>
  static void invoke(void* object) {
    static_assert(std::is_trivially_copyable<F>::value && std::is_trivially_destructible<F>::value, "plain words");
    (*static_cast<F*>(object))();
  }

 private:
  Invoke invoke_ = nullptr;
  std::unique_ptr<char[]> object_;
};

enum class TaskState : std::uint8_t { kReady, kReading, kWriting, kParked, kOpened, kDone };

struct Task {
  Cycle clock = 0;
  Cycle waited_streams_in = 0, waited_streams_out = 0, waited_memory = 0;  // of the clock; it was busy in the rest
  // When what it has asked of memory through ports that run ahead is there: what it writes is readable after that.
  Cycle answered = 0;
  TaskState state = TaskState::kReady;
  bool is_begun = false;
  std::uint32_t id = 0;
  const FifoBase* waits_on = nullptr;
  Task* opener = nullptr;      // whose region it is in; null: the engine's own
  std::size_t num_opened = 0;  // tasks of its region that have not ended
  std::uint64_t parking = 0;   // which of its parkings is the current one; entries of others are out of date
  std::string name;            // the function's
  std::string call;            // the text of its call
  int index = -1;              // in a loop of tasks
  Body body;
  Context context;
  std::unique_ptr<Stack> stack;
};

// What a run leaves behind.
struct StreamStats {
  std::string name;
  std::uint32_t depth;
  std::uint32_t most;         // tokens that it held at once
  std::uint32_t token_bytes;  // of the struct that a token is
  std::uint64_t num_tokens;
  Cycle reader_waited, writer_waited;
};
struct TaskStats {
  std::string name;  // of its function, with its index in a loop of tasks
  std::string call;  // the text of its call, which differs among tasks of one function
  Cycle finish;      // its clock in the end
  Cycle waited_in, waited_out, waited_memory;
  Cycle busy() const { return finish - waited_in - waited_out - waited_memory; }
};
enum class MemoryKind : std::uint8_t { kLutram, kBram, kUram };
struct MemoryStats {
  std::string name;
  std::string task;  // as TaskStats::name; every task that declares it has its own
  std::uint64_t num_words;
  std::uint32_t word_bytes;
  MemoryKind kind;
};
struct RunStats {
  std::vector<StreamStats> streams;
  std::vector<TaskStats> tasks;
  std::vector<MemoryStats> memories;
};

// What a run may set.
struct Options {
  bool shallow = false;              // streams as shallow as the design declares legal, not as deep as it declares
  bool (*stopped)(void*) = nullptr;  // called now and then
  void* stopped_self = nullptr;
  // Streams by name (of an array's without the index) that get another depth than declared, even one too shallow: to
  // see what a design needs.
  std::vector<std::pair<std::string, std::uint32_t>> depths;
  Disorder disorder;

  std::uint32_t depth_of(const std::string& stream, std::uint32_t declared, std::uint32_t shallowest) const {
    for (const auto& [name, depth] : depths) {
      if (name == stream.substr(0, stream.find('['))) return depth;
    }
    return shallow ? shallowest : declared;
  }
};

class Engine {
 public:
  explicit Engine(const Options& options = current_options())
      : options_(options), outer_(current()), outer_task_(outer_ == nullptr ? nullptr : outer_->task_) {
    current_ = this;
    running_ = &main_;
    order_ = random();
    if (outer_ == nullptr) return;
    main_.clock = outer_task_->clock;
    outer_->task_ = &main_;
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    current_ = outer_;
    running_ = outer_task_;
    if (outer_ != nullptr) outer_->task_ = outer_task_;
    for (const auto& task : tasks_) {
      if (task->stack != nullptr) Stack::give_back(std::move(task->stack));
    }
  }

  // The task of this engine that runs; null while the thread itself does.
  Task* own_task() const { return is_one_of_mine(task_) ? task_ : nullptr; }
  // The engine and the task that this thread is in.
  static Engine* current() { return current_; }
  static Task* running() { return running_; }
  // The task that runs, or the thread itself; and where that is noted.
  Task* task() const { return task_; }
  Task* const* place_of_task() const { return &task_; }
  // What engines made on this thread start with, and the cycles that the last one took.
  static Options& current_options() {
    static thread_local Options options;
    return options;
  }
  static Cycle& last_cycles() {
    static thread_local Cycle cycles = 0;
    return cycles;
  }
  // Where regions that run to their end on this thread leave what they counted; null: nowhere.
  static RunStats*& statistics() {
    static thread_local RunStats* statistics = nullptr;
    return statistics;
  }

  [[gnu::cold, gnu::noinline]] void add_task(std::string name, Body body, std::string call = "", int index = -1) {
    auto task = std::make_unique<Task>();
    task->id = static_cast<std::uint32_t>(tasks_.size());
    task->clock = task_->clock;
    task->opener = own_task();
    task->name = std::move(name);
    task->call = std::move(call);
    task->index = index;
    task->body = std::move(body);
    tasks_.push_back(std::move(task));
  }
  void add_stream(FifoBase* stream) { streams_.push_back({stream, own_task()}); }
  const Options& options() const { return options_; }
  // For a stream's end or a port, of its own, so that the order of tasks does not change it.
  Random random() { return Random(options_.disorder.seed, ++num_randoms_); }

  // Memory of the chip that the running task declares.
  void add_memory(const char* name, std::uint64_t num_words, std::uint32_t word_bytes, MemoryKind kind) {
    if (statistics() == nullptr || !is_one_of_mine(task_)) return;
    for (const Memory& memory : memories_) {
      if (memory.task == task_->id && memory.stats.name == name) return;  // a scope that is entered again
    }
    memories_.push_back({task_->id, {name, task_->name, num_words, word_bytes, kind}});
  }

  // Runs all tasks to their end. Throws Deadlock, DesignError, Stopped or what a task has thrown; before that, tasks
  // that stand somewhere are unwound.
  void run();
  // Runs the tasks of the region that the running task has opened, beside all others, to their end.
  void run_inside();

  // For FIFOs and channels.
  void ready(Task* task) {
    task->state = TaskState::kReady;
    ring_[tail_++ & mask_] = task;
  }
  // Leaves the running task until a FIFO or another task makes it ready.
  void wait(TaskState state, const FifoBase* on) {
    Task* task = task_;
    task->state = state;
    task->waits_on = on;
    leave(task);
  }
  // Leaves the running task until no other can do anything before `when`; returns early if made ready.
  void park(Cycle when, const FifoBase* on) {
    Task* task = task_;
    task->state = TaskState::kParked;
    task->waits_on = on;
    ++task->parking;
    if (head_ == tail_ && (parked_.empty() || when < parked_.top().when) && !is_time_to_stop()) {
      task->state = TaskState::kReady;
      return;
    }
    parked_.push({when, task->id, task->parking});
    leave(task);
  }
  Cycle cycles() const {
    Cycle latest = main_.clock;
    for (const auto& task : tasks_) latest = std::max(latest, task->clock);
    return latest;
  }
  // What a report calls a task.
  std::string title(const Task& task) const;
  bool is_one_of_mine(const Task* task) const {
    return task != nullptr && task->id < tasks_.size() && tasks_[task->id].get() == task;
  }

 private:
  static constexpr std::size_t kStackBytes = 256 << 10;  // touched pages only; sanitizers need several times the usual
  static constexpr std::uint64_t kSwitchesPerPoll = 1 << 14;

  struct Unwinding {};

  struct Memory {
    std::uint32_t task;
    MemoryStats stats;
  };
  struct Parking {
    Cycle when;
    std::uint32_t task;
    std::uint64_t parking;
    bool operator<(const Parking& other) const { return when != other.when ? when > other.when : task > other.task; }
  };

  Task* next() {
    if (head_ != tail_) {
      if (__builtin_expect(options_.disorder.seed != 0, 0)) {
        std::swap(ring_[head_ & mask_], ring_[(head_ + order_.up_to(tail_ - head_ - 1)) & mask_]);
      }
      return ring_[head_++ & mask_];
    }
    while (!parked_.empty()) {
      const Parking entry = parked_.top();
      parked_.pop();
      Task* task = tasks_[entry.task].get();
      if (task->state == TaskState::kParked && task->parking == entry.parking) {
        task->state = TaskState::kReady;
        return task;
      }
    }
    return nullptr;
  }
  void leave(Task* task) {
    Task* to = next();
    if (to == nullptr || is_time_to_stop()) to = &main_;
    if (to == task) return;
    enter(task, to);
    if (__builtin_expect(is_unwinding_, false)) throw Unwinding();
  }
  void enter(Task* from, Task* to) {
    running_ = task_ = to;
    Context::change(from->context, to->context, from->state == TaskState::kDone);
  }
  bool is_time_to_stop() {
    if (is_stopped_) return true;
    if (++num_switches_ % kSwitchesPerPoll != 0 || options_.stopped == nullptr) return false;
    return is_stopped_ = options_.stopped(options_.stopped_self);
  }
  static void begin() {
    Engine* engine = current();
    Context::entered(engine->main_.context);
    Task* task = engine->task_;
    task->is_begun = true;
    engine->perform(task);
    task->clock = std::max(task->clock, task->answered);
    task->state = TaskState::kDone;
    ++engine->num_done_;
    if (task->opener != nullptr && --task->opener->num_opened == 0) engine->ready(task->opener);
    Task* to = engine->is_unwinding_ || engine->failure_ != nullptr ? nullptr : engine->next();
    engine->enter(task, to == nullptr ? &engine->main_ : to);
    std::abort();  // nothing enters a task that is done
  }
  // A function of its own, so that no exception is alive when the fiber is left.
  void perform(Task* task) {
    try {
      task->body();
    } catch (const Unwinding&) {
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void start(Task* task) {
    task->stack = Stack::take(kStackBytes);
    task->context.prepare(*task->stack, &Engine::begin);
    ready(task);
  }
  // Room for all tasks to be ready at once.
  void make_room() {
    std::uint32_t places = 64;
    while (places < 2 * tasks_.size()) places *= 2;
    if (places <= ring_.size()) return;
    std::vector<Task*> ring(places, nullptr);
    for (std::uint32_t i = head_; i != tail_; ++i) ring[i & (places - 1)] = ring_[i & mask_];
    ring_.swap(ring);
    mask_ = places - 1;
  }
  // Gives up what has not ended: destructors of what stands on the stacks run, of a region's tasks before those of the
  // task that opened it, which owns their streams.
  void unwind() {
    is_unwinding_ = true;
    for (std::size_t i = tasks_.size(); i-- > 0;) {
      Task* task = tasks_[i].get();
      if (task->is_begun && task->state != TaskState::kDone) enter(&main_, task);
    }
  }
  const Task* other_end(const Task& task, std::string* says) const;
  std::string deadlock_report() const;
  void check_streams(const Task* opener) const;
  void collect_statistics(RunStats& stats) const;

  static inline thread_local Engine* current_ = nullptr;
  static inline thread_local Task* running_ = nullptr;  // task_ of current_: every iteration of a loop looks there

  Options options_;
  Engine* outer_;
  Task* outer_task_;
  std::vector<std::unique_ptr<Task>> tasks_;
  struct Stream {
    FifoBase* fifo;
    const Task* opener;  // of the region that it was declared in
  };
  std::vector<Stream> streams_;
  std::vector<StreamStats> ended_streams_;  // of regions inside tasks
  std::vector<Memory> memories_;
  std::vector<Task*> ring_;  // ready tasks, first in first out
  std::uint32_t head_ = 0, tail_ = 0, mask_ = 0;
  std::priority_queue<Parking> parked_;
  Random order_;
  std::uint64_t num_randoms_ = 0;
  Task main_;  // the thread itself
  Task* task_ = &main_;
  std::size_t num_done_ = 0;
  std::uint64_t num_switches_ = 0;
  bool is_stopped_ = false, is_unwinding_ = false;
  std::exception_ptr failure_;
};

}  // namespace emulator
}  // namespace gaspipe

#include "hls/emulator/fifo.h"
