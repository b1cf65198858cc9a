// SPDX-License-Identifier: Apache-2.0
// Where a worker's time goes. It is in one step at a time, or in none; the clock is read when that changes.
#pragma once

#include <algorithm>

#include "cpp/src/clock.h"
#include "gaspipe/local_store/steps.h"

namespace gaspipe {
namespace local_store {

class Timekeeper {
 public:
  static constexpr int kOutside = kNumSteps;

  Timekeeper(int worker, Clock::time_point start, bool traces) : worker_(worker), start_(start), traces_(traces) {}

  // Ends what the worker was in; returns what that was.
  int enter(int now_in) {
    const Clock::time_point now = Clock::now();
    seconds_[in_] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    const int before = in_;
    in_ = now_in;
    return before;
  }
  void begin() {
    since_ = Clock::now();
    in_ = kOutside;
  }

  // Seconds since the search began, as of the last enter().
  double at() const { return std::chrono::duration<double>(since_ - start_).count(); }
  bool traces() const { return traces_; }
  void note(Step step, std::uint64_t period, std::uint64_t iteration, double begin, double end) {
    if (traces_ && events_.size() < kMostEvents) events_.push_back({worker_, step, period, iteration, begin, end});
  }

  void report(WorkerProfile& profile) const { std::copy(seconds_, seconds_ + kNumSteps, profile.seconds); }
  const std::vector<Event>& events() const { return events_; }

 private:
  int worker_;
  Clock::time_point start_, since_ = start_;
  bool traces_;
  int in_ = kOutside;
  double seconds_[kNumSteps + 1] = {};
  std::vector<Event> events_;
};

}  // namespace local_store
}  // namespace gaspipe
