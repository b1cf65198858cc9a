// SPDX-License-Identifier: Apache-2.0
// The super-step loop: the heart of a run on the CPU. Start reading here; gas_step.h and push_step.h are its two kinds
// of step, buckets.h the order of the second.
#pragma once

#include <optional>
#include <type_traits>

#include "gaspipe/engine/buckets.h"
#include "gaspipe/engine/gas_step.h"
#include "gaspipe/engine/push_step.h"

namespace gaspipe {
namespace engine {

// A frontier is pushed while its edges are fewer than all edges / this, for streaming an edge is that much cheaper than
// visiting it at random. SSSP on Kronecker 18 and 20, 2 cores of an EPYC: 8 to 32 are 5 to 25 % slower than 4, 1 takes
// twice as long; BFS does not tell 4 from 32.
constexpr EdgeCount kPushShare = 4;

template <class Program>
class Engine {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;

 public:
  Engine(Program& program, const abi::Run& run)
      : program_(program), workers_(*run.host), state_(program, run, workers_) {
    if (Traits::kIdempotent && run.method == abi::kAuto) {
      state_.most_pushed_edges = (run.csr->num_edges + run.csr->num_vertices) / kPushShare + 1;
    }
  }

  abi::Status operator()(abi::Outcome* outcome) {
    if constexpr (!HasPasses<Program>::value) {
      const abi::Status status = run_pass(outcome);
      if (!has_answer(status)) return status;
      finish();
      return workers_.cancelled() ? abi::kCancelled : status;
    } else {
      auto* values = static_cast<typename Program::Value*>(state_.run.values);
      std::fill_n(values, state_.num_vertices(), Program::kMissing);
      abi::Status worst = abi::kOk;
      for (std::uint64_t pass = 0; pass < program_.num_passes(); ++pass) {
        program_.start(pass);
        const abi::Status status = run_pass(outcome);
        if (!has_answer(status)) return status;
        if (status == abi::kNotConverged) worst = status;
        program_.publish(values);
      }
      return worst;
    }
  }

 private:
  static bool has_answer(abi::Status status) { return status == abi::kOk || status == abi::kNotConverged; }

  // Super-steps from the initial properties until the program is done.
  abi::Status run_pass(abi::Outcome* outcome) {
    start();
    Until verdict = Until::kGoOn;
    for (int step = 0; verdict == Until::kGoOn; ++step) {
      const abi::Superstep stats = superstep(step);
      if (workers_.cancelled()) return abi::kCancelled;
      ++outcome->num_supersteps;
      workers_.superstep_done(stats);
      if (workers_.cancelled()) return abi::kCancelled;
      const auto* sums = state_.extras.total();
      if constexpr (Saturations<Program>::value >= 0) {
        if (sums[Saturations<Program>::value] > 0) return abi::kSaturated;
      }
      // While vertices wait in buckets, a step that changed nothing ends nothing.
      if constexpr (HasPasses<Program>::value) program_.collect(step, sums);
      if (!buckets_ || buckets_->empty()) verdict = program_.until(step, sums);
    }
    return verdict == Until::kNotConverged ? abi::kNotConverged : abi::kOk;
  }

  // Pushes a small frontier (its next bucket, where there is an order), else streams everything.
  abi::Superstep superstep(int step) {
    if constexpr (Traits::kIdempotent) {
      if constexpr (Traits::kHasPriority) {
        if (state_.frontier.listed) {
          if (!buckets_) buckets_.emplace(state_);
          buckets_->exchange();
        }
      }
      if (state_.frontier.listed) {
        if (!push_step_) push_step_.emplace(state_);
        return (*push_step_)(step);
      }
    }
    if (buckets_) buckets_->clear();
    if (!gas_step_) gas_step_.emplace(state_);
    return (*gas_step_)(step);
  }

  void start() {
    state_.extras.clear();
    workers_.each(state_.num_vertices(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t i = first; i < last; ++i) {
        const VertexId v = static_cast<VertexId>(i);
        const Property property = program_.initial(v);
        state_.property[v] = property;
        if (Traits::kIdempotent && Traits::is_source(property)) {
          state_.parts[worker].add(v, state_.degree(v), state_.most_pushed_edges);
        }
      }
    });
    if (Traits::kIdempotent) {
      state_.collect_frontier();
    } else {
      state_.frontier.size = state_.num_vertices();
    }
  }

  void finish() {
    gas_step_.reset();  // their memory is not needed any more
    push_step_.reset();
    auto* values = static_cast<typename Program::Value*>(state_.run.values);
    workers_.each(state_.num_vertices(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        values[v] = program_.finish(state_.property[v], static_cast<VertexId>(v));
      }
    });
  }

  // What a program never uses is not even instantiated.
  struct Nothing {
    bool empty() const { return true; }
    void clear() {}
  };
  using Order = std::conditional_t<Traits::kIdempotent && Traits::kHasPriority, Buckets<Program>, Nothing>;

  Program& program_;
  Workers workers_;
  State<Program> state_;
  std::optional<GasStep<Program>> gas_step_;
  std::optional<std::conditional_t<Traits::kIdempotent, PushStep<Program>, Nothing>> push_step_;
  std::optional<Order> buckets_;
};

}  // namespace engine
}  // namespace gaspipe
