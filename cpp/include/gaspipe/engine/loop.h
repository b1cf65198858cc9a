// SPDX-License-Identifier: Apache-2.0
// The super-step loop, the heart of a run on any device: every call of step() is one turn of it, so that the caller may
// look at the run between them. `Steps` is what differs: engine.h has those of the CPU, device_engine.h those of
// kernels. It offers
//
//   void start()                            initial properties, of the pass that the program has started
//   void resume(const abi::Snapshot&)       those of a run that has come this far before
//   void snapshot(abi::Snapshot*)           its part of one
//   abi::Superstep superstep(int step)
//   static constexpr bool kTakesSeries      with that:
//   int series(int step, abi::Superstep* taken, int most, const Judge& judge)
//                                           at most so many super-steps, if they are short, with their times; after
//                                           each judge(step) says whether the next may come; how many there were
//   const Sum* sums() const                 what the last super-step counted
//   bool is_complete() const                false while work of the last super-step waits: no step may be the last then
//   void finish(Value* values)              answers from the properties
//
// and reports a cancelled run through `workers`.
#pragma once

#include <algorithm>
#include <utility>

#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

template <class Program, class Steps>
class Loop {
 public:
  using Value = typename Program::Value;

  Loop(Program& program, Steps& steps, Workers& workers, std::uint64_t num_vertices, Value* values,
       const abi::Snapshot* resume)
      : program_(program), steps_(steps), workers_(workers), values_(values), resume_(resume) {
    if constexpr (kHasPasses) std::fill_n(values, num_vertices, Program::kMissing);
    if (resume != nullptr) {
      pass_ = resume->pass;
      step_ = resume->step;
      worst_ = static_cast<abi::Status>(resume->worst);
    }
  }

  // kGoesOn until the answers are there.
  abi::Status step(abi::Outcome* outcome) {
    Stopwatch watch;
    const abi::Snapshot* const resume = std::exchange(resume_, nullptr);
    if (step_ == 0 || resume != nullptr) {
      const bool has_begun = start(resume);
      outcome->seconds[abi::kStart] += watch.lap();
      if (!has_begun) return workers_.cancelled() ? abi::kCancelled : abi::kOk;
    }
    if constexpr (Steps::kTakesSeries) {
      abi::Superstep taken[kMostInSeries];
      abi::Status status = abi::kGoesOn;
      const int count = steps_.series(step_, taken, kMostInSeries, [&](int step) {
        status = judge(step);
        return status == abi::kGoesOn;
      });
      if (count > 0) {
        for (int i = 0; i < count; ++i) {
          if (!tell(taken[i], outcome)) return abi::kCancelled;
        }
        step_ += count;
        watch.lap();
        return conclude(status, watch, outcome);
      }
    }
    abi::Superstep stats = steps_.superstep(step_);
    stats.seconds[abi::kFrontier] = watch.lap() - stats.seconds[abi::kScatterGather] - stats.seconds[abi::kApply];
    if (workers_.cancelled() || !tell(stats, outcome)) return abi::kCancelled;
    const abi::Status status = judge(step_);
    ++step_;
    watch.lap();
    return conclude(status, watch, outcome);
  }

  void snapshot(abi::Snapshot* snapshot) {
    *snapshot = {pass_, step_, worst_, nullptr, nullptr, nullptr};
    if constexpr (!kHasPasses) steps_.snapshot(snapshot);
  }

 private:
  static constexpr bool kHasPasses = HasPasses<Program>::value;
  static constexpr int kMostInSeries = 64;

  // False once the run is cancelled.
  bool tell(const abi::Superstep& stats, abi::Outcome* outcome) {
    ++outcome->num_supersteps;
    workers_.superstep_done(stats);
    return !workers_.cancelled();
  }
  // What a super-step that has been taken means: kGoesOn, kSaturated, or how the pass ends.
  abi::Status judge(int step) {
    const auto* sums = steps_.sums();
    if constexpr (Saturations<Program>::value >= 0) {
      if (sums[Saturations<Program>::value] > 0) return abi::kSaturated;
    }
    if constexpr (kHasPasses) program_.collect(step, sums);
    const Until verdict = steps_.is_complete() ? program_.until(step, sums) : Until::kGoOn;
    return verdict == Until::kGoOn ? abi::kGoesOn : verdict == Until::kNotConverged ? abi::kNotConverged : abi::kOk;
  }
  abi::Status conclude(abi::Status judged, Stopwatch& watch, abi::Outcome* outcome) {
    if (judged == abi::kGoesOn || judged == abi::kSaturated) return judged;
    if (judged == abi::kNotConverged) worst_ = judged;
    const abi::Status status = end_pass();
    outcome->seconds[abi::kFinish] += watch.lap();
    return status;
  }
  // False where there is nothing to do.
  bool start(const abi::Snapshot* resume) {
    if constexpr (kHasPasses) {
      if (pass_ >= program_.num_passes()) return false;
      program_.start(pass_);
      steps_.start();
    } else if (resume != nullptr) {
      steps_.resume(*resume);
    } else {
      steps_.start();
    }
    return !workers_.cancelled();
  }
  abi::Status end_pass() {
    if constexpr (kHasPasses) {
      program_.publish(values_);
      step_ = 0;
      if (++pass_ < program_.num_passes()) return abi::kGoesOn;
    } else {
      steps_.finish(values_);
      if (workers_.cancelled()) return abi::kCancelled;
    }
    return worst_;
  }

  Program& program_;
  Steps& steps_;
  Workers& workers_;
  Value* values_;
  const abi::Snapshot* resume_;  // until the first step
  std::uint64_t pass_ = 0;
  int step_ = 0;  // of the pass
  abi::Status worst_ = abi::kOk;
};

}  // namespace engine
}  // namespace gaspipe
