// SPDX-License-Identifier: Apache-2.0
// The core's threads and cancel flag (abi::Host), as C++ for the engine. Bodies must not throw.
#pragma once

#include <chrono>
#include <type_traits>

#include "gaspipe/abi.h"

namespace gaspipe {
namespace engine {

class Workers {
 public:
  explicit Workers(const abi::Host& host) : host_(host) {}

  int size() const { return host_.num_threads; }
  std::uint64_t near_bytes() const { return host_.near_bytes; }
  bool cancelled() const { return cancelled_; }
  void cancel() { cancelled_ = true; }

  // Calls body(first, last, worker) for chunks of at most `grain` that cover [0, n); a cancelled run skips the rest.
  template <class Body>
  void each(std::uint64_t n, std::uint64_t grain, Body&& body) {
    if (n == 0 || cancelled_) return;
    using Function = typename std::remove_reference<Body>::type;
    auto call = [](void* context, std::uint64_t first, std::uint64_t last, std::int32_t worker) {
      (*static_cast<Function*>(context))(first, last, worker);
    };
    cancelled_ = host_.parallel_for(host_.self, n, grain, call, &body) != 0;
  }

  // Calls body(worker, num_workers) on every worker, all at the same time; there may be one worker only. A cancelled
  // run may skip workers that have not begun.
  template <class Body>
  void together(Body&& body) {
    if (cancelled_) return;
    using Function = typename std::remove_reference<Body>::type;
    auto call = [](void* context, std::int32_t worker, std::int32_t num_workers) {
      (*static_cast<Function*>(context))(worker, num_workers);
    };
    cancelled_ = host_.parallel(host_.self, call, &body) != 0;
  }
  // Inside `together`: waits until every worker is here. False once the run is cancelled: the body then returns.
  bool barrier(int worker) const { return host_.barrier(host_.self, worker) == 0; }

  // For loops that stay long inside one chunk: true when the run is cancelled.
  bool poll(int worker) const { return host_.poll(host_.self, worker) != 0; }

  void superstep_done(const abi::Superstep& step) {
    if (host_.superstep_done(host_.self, &step) != 0) cancelled_ = true;
  }

 private:
  const abi::Host& host_;
  bool cancelled_ = false;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double lap() {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace engine
}  // namespace gaspipe
