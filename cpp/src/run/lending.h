// SPDX-License-Identifier: Apache-2.0
// The side of abi::Host that the core holds: its threads, lent to a program for a run. Nothing may throw through the
// program, so an exception waits here.
#pragma once

#include <exception>

#include "cpp/src/backend/executor.h"
#include "gaspipe/run_options.h"
#include "gaspipe/superstep_log.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class Lending {
 public:
  Lending(Workers& workers, const RunOptions& options) : workers_(workers), options_(options) {}

  // Assembles the workers.
  abi::Host host();
  // Forgets the super-steps of an earlier attempt.
  void begin_attempt() { supersteps_ = {}; }
  // To be called before a step of the executor: what it prepares during the step is no phase of a super-step.
  void begin_step(const Executor& executor) {
    executor_ = &executor;
    preparing_seconds_ = executor.preparing_seconds();
  }

  const SuperstepLog& supersteps() const { return supersteps_; }
  const std::exception_ptr& failure() const { return failure_; }

 private:
  template <class F>
  std::int32_t guarded(const F& f);
  void superstep_done(abi::Superstep step);

  Workers& workers_;
  const RunOptions& options_;
  SuperstepLog supersteps_;
  std::exception_ptr failure_;
  const Executor* executor_ = nullptr;
  double preparing_seconds_ = 0;
};

}  // namespace gaspipe
