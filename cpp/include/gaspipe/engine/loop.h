// SPDX-License-Identifier: Apache-2.0
// The super-step loop, the heart of a run on any device. `Steps` is what differs: engine.h has those of the CPU,
// device_engine.h those of kernels. It offers
//
//   void start()                            initial properties, of the pass that the program has started
//   abi::Superstep superstep(int step)
//   const Sum* sums() const                 what the last super-step counted
//   bool is_complete() const                false while work of the last super-step waits: no step may be the last then
//   void finish(Value* values)              answers from the properties
//
// and reports a cancelled run through `workers`.
#pragma once

#include <algorithm>

#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

// Super-steps of one pass, until the program is done.
template <class Program, class Steps>
abi::Status run_pass(Program& program, Steps& steps, Workers& workers, abi::Outcome* outcome) {
  steps.start();
  if (workers.cancelled()) return abi::kCancelled;
  Until verdict = Until::kGoOn;
  for (int step = 0; verdict == Until::kGoOn; ++step) {
    const abi::Superstep stats = steps.superstep(step);
    if (workers.cancelled()) return abi::kCancelled;
    ++outcome->num_supersteps;
    workers.superstep_done(stats);
    if (workers.cancelled()) return abi::kCancelled;
    const auto* sums = steps.sums();
    if constexpr (Saturations<Program>::value >= 0) {
      if (sums[Saturations<Program>::value] > 0) return abi::kSaturated;
    }
    if constexpr (HasPasses<Program>::value) program.collect(step, sums);
    if (steps.is_complete()) verdict = program.until(step, sums);
  }
  return verdict == Until::kNotConverged ? abi::kNotConverged : abi::kOk;
}

// All passes, and the answers.
template <class Program, class Steps>
abi::Status run_passes(Program& program, Steps& steps, Workers& workers, std::uint64_t num_vertices,
                       typename Program::Value* values, abi::Outcome* outcome) {
  const auto has_answer = [](abi::Status status) { return status == abi::kOk || status == abi::kNotConverged; };
  if constexpr (!HasPasses<Program>::value) {
    const abi::Status status = run_pass(program, steps, workers, outcome);
    if (!has_answer(status)) return status;
    steps.finish(values);
    return workers.cancelled() ? abi::kCancelled : status;
  } else {
    std::fill_n(values, num_vertices, Program::kMissing);
    abi::Status worst = abi::kOk;
    for (std::uint64_t pass = 0; pass < program.num_passes(); ++pass) {
      program.start(pass);
      const abi::Status status = run_pass(program, steps, workers, outcome);
      if (!has_answer(status)) return status;
      if (status == abi::kNotConverged) worst = status;
      program.publish(values);
    }
    return worst;
  }
}

}  // namespace engine
}  // namespace gaspipe
