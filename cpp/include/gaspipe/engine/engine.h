// SPDX-License-Identifier: Apache-2.0
// A run on the CPU: the super-steps that loop.h drives. gas_step.h and push_step.h are their two kinds, buckets.h the
// order of the second.
#pragma once

#include <cstring>
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
  Engine(Program& program, const abi::Run& run, Workers& workers)
      : program_(program), workers_(workers), state_(program, run, workers) {
    if (Traits::kIdempotent && run.method == abi::kAuto) {
      state_.most_pushed_edges = (run.csr->num_edges + run.csr->num_vertices) / kPushShare + 1;
    }
  }

  const typename Traits::Sum* sums() const { return state_.extras.total(); }
  // While vertices wait in buckets, a step that changed nothing ends nothing.
  bool is_complete() const { return !buckets_ || buckets_->empty(); }

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
        if constexpr (Traits::kIdempotent) {
          if (Traits::is_source(property)) state_.parts[worker].add(v, state_.degree(v), state_.most_pushed_edges);
        }
      }
    });
    if constexpr (Traits::kIdempotent) {
      state_.collect_frontier();
    } else {
      state_.frontier.size = state_.num_vertices();
    }
  }

  void finish(typename Program::Value* values) {
    gas_step_.reset();  // their memory is not needed any more
    push_step_.reset();
    workers_.each(state_.num_vertices(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        values[v] = program_.finish(state_.property[v], static_cast<VertexId>(v));
      }
    });
  }
  abi::Status read_properties(void* data) const {
    std::memcpy(data, state_.property.get(), state_.num_vertices() * sizeof(Property));
    return abi::kOk;
  }

 private:
  // What a program never uses is not even instantiated.
  struct Nothing {
    bool empty() const { return true; }
    void clear() {}
  };
  using Order = std::conditional_t<Traits::kIdempotent && Traits::kHasPriority, Buckets<Program>, Nothing>;

  Program& program_;
  Workers& workers_;
  State<Program> state_;
  std::optional<GasStep<Program>> gas_step_;
  std::optional<std::conditional_t<Traits::kIdempotent, PushStep<Program>, Nothing>> push_step_;
  std::optional<Order> buckets_;
};

}  // namespace engine
}  // namespace gaspipe
