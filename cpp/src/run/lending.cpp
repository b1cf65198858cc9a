// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/lending.h"

#include <algorithm>

#include "gaspipe/caches.h"

namespace gaspipe {

template <class F>
std::int32_t Lending::guarded(const F& f) {
  try {
    f();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    workers_.cancel();
  }
  return workers_.cancelled();
}

void Lending::superstep_done(abi::Superstep step) {
  const double prepared = executor_->preparing_seconds() - preparing_seconds_;
  step.seconds[abi::kFrontier] = std::max(0.0, step.seconds[abi::kFrontier] - prepared);
  supersteps_.add(step);
  if (options_.progress) options_.progress(supersteps_.size() - 1, step);
  workers_.check();
}

abi::Host Lending::host() {
  workers_.assemble();
  abi::Host host{};
  host.self = this;
  host.num_threads = workers_.size();
  host.near_bytes = options_.near_bytes > 0 ? options_.near_bytes : near_bytes();
  host.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                         void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t),
                         void* context) -> std::int32_t {
    Lending& lending = *static_cast<Lending*>(self);
    return lending.guarded([&] {
      lending.workers_.each(
          n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { body(context, first, last, worker); });
    });
  };
  host.parallel = [](void* self, void (*body)(void*, std::int32_t, std::int32_t), void* context) -> std::int32_t {
    Lending& lending = *static_cast<Lending*>(self);
    return lending.guarded(
        [&] { lending.workers_.together([&](int worker, int num_workers) { body(context, worker, num_workers); }); });
  };
  host.barrier = [](void* self, std::int32_t worker) -> std::int32_t {
    return !static_cast<Lending*>(self)->workers_.barrier(worker);
  };
  host.poll = [](void* self, std::int32_t worker) -> std::int32_t {
    return static_cast<Lending*>(self)->workers_.poll(worker);
  };
  host.superstep_done = [](void* self, const abi::Superstep* step) -> std::int32_t {
    Lending& lending = *static_cast<Lending*>(self);
    return lending.guarded([&] { lending.superstep_done(*step); });
  };
  return host;
}

}  // namespace gaspipe
