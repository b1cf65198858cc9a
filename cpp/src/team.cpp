// SPDX-License-Identifier: Apache-2.0
// A helper's gate is all that it shares with the thread that it helps:
//
//   kClosed --open()--> kOpen --helper--> kEntered --helper, done--> kClosed
//      |                  '--caller, no work left--> kClosed
//      '--helper, after spinning--> kAsleep --open() or wake()--> ...
//
// The caller turns kEntered into kAwaited before it sleeps. Each state is left by one side only, or by a
// compare-and-exchange, so a helper touches the caller's memory between kEntered and kClosed and at no other time.
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>

#include "spin.h"

namespace gaspipe {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// How long a thread spins before it sleeps: a helper until the next loop, in this call or one that follows at once, and
// the caller until the helpers inside its loop are done. Waking a thread takes 50 us, and more in a virtual machine.
constexpr microseconds kHelperSpin{1000}, kCallerSpin{300};
constexpr microseconds kShortLoop{20};     // done before a sleeping helper could arrive
constexpr milliseconds kLongLoop{10};      // worth a helper although other programs take the cores
constexpr milliseconds kCheckInterval{1};  // between two looks at the CPU time
constexpr milliseconds kWindow{20};        // in which threads may lose kMostLost
constexpr milliseconds kMostLost{4};       // more than one time slice; an idle machine takes some 10 us
constexpr milliseconds kQuiet{1};          // a window in which less is lost ends the memory of pauses
constexpr microseconds kDisplaced{500};    // counted as lost where a helper wakes up on the caller's core
constexpr microseconds kLate{500};         // counted as lost where a helper takes longer to begin
constexpr milliseconds kLongestSlice{10};  // that another program gets at once
constexpr std::int64_t kFirstPauseMs = 20, kLongestPauseMs = 1000;

enum Gate : std::uint32_t { kClosed, kOpen, kEntered, kAwaited, kAsleep };

std::chrono::nanoseconds cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Measures the time for which a thread that may sleep was switched out: it neither computed nor slept, here or in calls
// of the system, for after those it counts as a switch of its own will. Not known unless `counts`.
class SwitchedOut {
 public:
  explicit SwitchedOut(bool counts = true) {
    if (counts) start_ = now();
  }
  std::chrono::nanoseconds time() const {
    const State end = now();
    const std::chrono::nanoseconds most = (end.switches - start_.switches) * std::chrono::nanoseconds(kLongestSlice);
    const std::chrono::nanoseconds slept = end.slept - start_.slept;
    const std::chrono::nanoseconds out = end.wall - start_.wall - (end.cpu - start_.cpu) - slept;
    return std::max(std::chrono::nanoseconds(0), std::min(most, out));
  }

 private:
  struct State {
    SteadyTime wall{};
    std::chrono::nanoseconds cpu{0}, slept{0};
    long switches = 0;
  };
  static State now() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {SteadyClock::now(), cpu_time(), time_slept(), usage.ru_nivcsw};
  }
  State start_;
};

int num_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

void Contention::report(std::chrono::nanoseconds lost, SteadyTime now) {
  const std::int64_t before = lost_ns_.load(std::memory_order_relaxed);
  std::int64_t total = before + lost.count();
  if (now - window_.load(std::memory_order_relaxed) > kWindow) {
    if (std::chrono::nanoseconds(before) < kQuiet) pause_ms_.store(0, std::memory_order_relaxed);
    window_.store(now, std::memory_order_relaxed);
    total = lost.count();
  }
  if (std::chrono::nanoseconds(total) > kMostLost) {
    const std::int64_t last = pause_ms_.load(std::memory_order_relaxed);
    const std::int64_t pause = std::clamp(2 * last, kFirstPauseMs, kLongestPauseMs);
    pause_ms_.store(pause, std::memory_order_relaxed);
    until_.store(now + milliseconds(pause), std::memory_order_relaxed);
    total = std::chrono::nanoseconds(kQuiet).count();  // the window that follows is not quiet by itself
  }
  lost_ns_.store(total, std::memory_order_relaxed);
}

void LostTime::restart(SteadyTime now) {
  start_ = now;
  cpu_ = cpu_time();
}

std::chrono::nanoseconds LostTime::take(SteadyTime now) {
  const std::chrono::nanoseconds wall = now - start_, cpu = cpu_;
  restart(now);
  return std::max(std::chrono::nanoseconds(0), wall - (cpu_ - cpu));
}

class alignas(64) Helper {
 public:
  std::atomic<std::uint32_t> gate{kClosed};
  // Written while the gate is closed.
  Team::Work work = nullptr;
  void* context = nullptr;
  int worker = 0;
  bool waits_inside = false;  // of the work: it may sleep, and the time says nothing about other programs
  SteadyTime opened;          // where it waits inside
  std::atomic<bool> spins{true};
  std::atomic<int> caller_core{-1};      // at the last opening or wake(); -1 where it does not matter
  std::atomic<std::int64_t> lost_ns{0};  // that the caller has not taken account of

  [[noreturn]] void live() {
    LostTime lost_time;
    lost_time.restart(SteadyClock::now());
    for (;;) {
      if (await_opening()) lost_time.restart(SteadyClock::now());
      std::uint32_t expected = kOpen;
      if (!gate.compare_exchange_strong(expected, kEntered, std::memory_order_acquire)) continue;
      const SwitchedOut switched_out(waits_inside);
      const std::chrono::nanoseconds late = waits_inside ? SteadyClock::now() - opened : std::chrono::nanoseconds(0);
      work(context, worker);
      const SteadyTime now = SteadyClock::now();
      if (waits_inside) {
        lost_time.restart(now);
        const std::chrono::nanoseconds lost = switched_out.time() + (late > kLate ? late : std::chrono::nanoseconds(0));
        lost_ns.fetch_add(lost.count(), std::memory_order_relaxed);
      } else if (now - lost_time.start() > kCheckInterval) {
        lost_ns.fetch_add(lost_time.take(now).count(), std::memory_order_relaxed);
      }
      if (gate.exchange(kClosed, std::memory_order_release) == kAwaited) wake_one(gate);
    }
  }

 private:
  // Whether it slept.
  bool await_opening() {
    const auto is_open = [&] { return gate.load(std::memory_order_relaxed) == kOpen; };
    bool slept = false;
    while (!spin(spins.load(std::memory_order_relaxed) && !is_displacing(slept) ? kHelperSpin : microseconds(0),
                 is_open)) {
      std::uint32_t expected = kClosed;
      if (!gate.compare_exchange_strong(expected, kAsleep, std::memory_order_relaxed)) continue;
      while (gate.load(std::memory_order_relaxed) == kAsleep) sleep_while(gate, kAsleep);
      slept = true;
    }
    return slept;
  }
  // Whether it woke up on the core of the thread that called it, and keeps that from its work. It does where no other
  // core is free, and on a machine of two cores often where one is, so it moves to another.
  bool is_displacing(bool slept) {
    const int core = sched_getcpu();
    if (!slept || core != caller_core.load(std::memory_order_relaxed)) return false;
    const SteadyTime start = SteadyClock::now();
    const bool has_moved = leave_core(core);
    const std::chrono::nanoseconds taken = has_moved ? SteadyClock::now() - start : kDisplaced;
    if (taken >= kLate) lost_ns.fetch_add(taken.count(), std::memory_order_relaxed);
    return !has_moved;
  }
};

namespace {

// Helpers that are not in a team. They live as long as the process; a forked child has none of them, and makes its
// own.
class Pool {
 public:
  static Pool& get() {
    static Pool& pool = *new Pool;
    return pool;
  }
  std::vector<Helper*> borrow(int count) {
    const std::lock_guard<std::mutex> lock(guard_);
    std::vector<Helper*> borrowed;
    while (static_cast<int>(borrowed.size()) < count) {
      if (idle_.empty() && !make()) break;
      borrowed.push_back(idle_.back());
      idle_.pop_back();
    }
    return borrowed;
  }
  void give_back(const std::vector<Helper*>& helpers, std::uint64_t forks) {
    const std::lock_guard<std::mutex> lock(guard_);
    if (forks == forks_) idle_.insert(idle_.end(), helpers.rbegin(), helpers.rend());
  }
  std::uint64_t forks() {
    const std::lock_guard<std::mutex> lock(guard_);
    return forks_;
  }

 private:
  Pool() {
    pthread_atfork([] { get().guard_.lock(); }, [] { get().guard_.unlock(); },
                   [] {
                     get().idle_.clear();
                     ++get().forks_;
                     get().guard_.unlock();
                   });
  }
  // Signals are for the threads of the program that this library is a part of.
  bool make() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    Helper* helper = nullptr;
    bool is_made = true;
    try {
      idle_.reserve(idle_.size() + 1);
      helper = new Helper;
      std::thread([helper] { helper->live(); }).detach();
      idle_.push_back(helper);
    } catch (const std::system_error&) {  // no memory, or a limit of the system on threads
      is_made = false;
    } catch (const std::bad_alloc&) {
      is_made = false;
    }
    if (!is_made) delete helper;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return is_made;
  }

  std::mutex guard_;
  std::vector<Helper*> idle_;
  std::uint64_t forks_ = 0;
};

Contention& contention() {
  static Contention value;
  return value;
}

}  // namespace

bool is_contended() { return contention().is_high(SteadyClock::now()); }

Team::Team(int num_helpers) : forks_(Pool::get().forks()) {
  helpers_ = Pool::get().borrow(num_helpers);
  spins_ = num_helpers < num_cores();
  for (std::size_t i = 0; i < helpers_.size(); ++i) {
    helpers_[i]->worker = static_cast<int>(i) + 1;
    helpers_[i]->spins.store(spins_, std::memory_order_relaxed);
  }
}

Team::~Team() { Pool::get().give_back(helpers_, forks_); }

void Team::wake() {
  if (contention().is_high(SteadyClock::now())) return;
  const int core = spins_ ? sched_getcpu() : -1;
  for (Helper* helper : helpers_) {
    helper->caller_core.store(core, std::memory_order_relaxed);
    std::uint32_t expected = kAsleep;
    if (helper->gate.compare_exchange_strong(expected, kClosed, std::memory_order_relaxed)) wake_one(helper->gate);
  }
}

void Team::open(bool waits_inside) {
  is_open_ = true;
  const int core = spins_ ? sched_getcpu() : -1;
  for (int i = 0; i < num_called_; ++i) {
    Helper& helper = *helpers_[i];
    helper.work = work_;
    helper.context = context_;
    helper.waits_inside = waits_inside;
    if (waits_inside) helper.opened = SteadyClock::now();
    helper.caller_core.store(core, std::memory_order_relaxed);
    if (helper.gate.exchange(kOpen, std::memory_order_release) == kAsleep) wake_one(helper.gate);
  }
}

void Team::still_working() {
  if (is_open_) return;
  const SteadyTime now = SteadyClock::now();
  if (now - start_ > (contention().is_high(now) ? SteadyTime::duration(kLongLoop) : kShortLoop)) open();
}

void Team::run(int num_workers, Work work, void* context, void (*wait)(void*)) {
  work_ = work;
  context_ = context;
  num_called_ = std::min(num_workers - 1, num_helpers());
  start_ = SteadyClock::now();
  is_open_ = false;
  if (start_ - lost_time_.start() > kCheckInterval) lost_time_.restart(start_);
  if (!contention().is_high(start_)) {
    bool all_awake = true;
    for (int i = 0; i < num_called_; ++i) {
      all_awake = all_awake && helpers_[i]->gate.load(std::memory_order_relaxed) != kAsleep;
    }
    if (all_awake || !was_short_) open();
  }
  work(context, 0);
  if (is_open_) close([] { return true; }, wait);
  const SteadyTime end = SteadyClock::now();
  was_short_ = end - start_ < kShortLoop;
  if (is_open_) check_contention(end);
}

void Team::run_together(int num_workers, Work work, void* context, bool (*may_skip)(void*), void (*wait)(void*)) {
  work_ = work;
  context_ = context;
  num_called_ = num_workers - 1;
  const SwitchedOut switched_out;
  open(true);
  work(context, 0);
  close([&] { return may_skip(context); }, wait);
  was_short_ = false;
  slept_ = {};
  const SteadyTime end = SteadyClock::now();
  lost_time_.restart(end);
  if (spins_ && num_called_ > 0) contention().report(switched_out.time() + take_lost_time_of_helpers(), end);
}

int Team::num_workers() const { return forks_ == Pool::get().forks() ? num_helpers() + 1 : 1; }

// Waits for the helpers that were called. One that has not entered is closed out where `may_skip()`.
template <class MaySkip>
void Team::close(const MaySkip& may_skip, void (*wait)(void*)) {
  const timespec interval{0, 20'000'000}, short_interval{0, 1'000'000};
  for (int i = 0; i < num_called_; ++i) {
    std::atomic<std::uint32_t>& gate = helpers_[i]->gate;
    const auto is_closed_out = [&] {
      std::uint32_t expected = kOpen;
      return may_skip() && gate.compare_exchange_strong(expected, kClosed, std::memory_order_acquire);
    };
    if (is_closed_out()) continue;
    const auto is_done = [&] {
      const std::uint32_t state = gate.load(std::memory_order_acquire);
      return state == kClosed || state == kAsleep;
    };
    if (spin(spins_ ? kCallerSpin : microseconds(0), is_done)) continue;
    const SteadyTime asleep = SteadyClock::now();
    // A helper that enters does not wake the caller, so it sleeps for short intervals.
    while (gate.load(std::memory_order_acquire) == kOpen && !is_closed_out()) {
      sleep_while(gate, kOpen, &short_interval);
      wait(context_);
    }
    std::uint32_t expected = kEntered;
    if (gate.compare_exchange_strong(expected, kAwaited, std::memory_order_acquire)) {
      while (!is_done()) {
        sleep_while(gate, kAwaited, &interval);
        wait(context_);
      }
    }
    slept_ += SteadyClock::now() - asleep;
  }
}

std::chrono::nanoseconds Team::take_lost_time_of_helpers() {
  std::chrono::nanoseconds lost{0};
  for (Helper* helper : helpers_) {
    lost += std::chrono::nanoseconds(helper->lost_ns.exchange(0, std::memory_order_relaxed));
  }
  return lost;
}

// Threads that are more than the cores displace each other; that says nothing about other programs.
void Team::check_contention(SteadyTime now) {
  if (now - lost_time_.start() <= kCheckInterval || !spins_) return;
  const std::chrono::nanoseconds lost = lost_time_.take(now) - slept_ + take_lost_time_of_helpers();
  slept_ = {};
  contention().report(std::max(lost, std::chrono::nanoseconds(0)), now);
}

}  // namespace gaspipe
