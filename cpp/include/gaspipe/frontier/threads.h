// SPDX-License-Identifier: Apache-2.0
// The core's threads as the host of an engine in the same binary: exceptions pass through, and after an interrupt the
// next loop runs again.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "gaspipe/abi.h"
#include "gaspipe/caches.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace frontier {

class Threads {
 public:
  Threads(int num_threads, std::function<bool()> interrupted) : interrupted_(std::move(interrupted)) {
    renew(num_threads);
    host_.self = this;
    host_.num_threads = workers_->size();
    host_.near_bytes = near_bytes();
    host_.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                            void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t),
                            void* context) -> std::int32_t {
      static_cast<Threads*>(self)->workers().each(
          n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { body(context, first, last, worker); });
      return 0;
    };
    host_.poll = [](void* self, std::int32_t worker) -> std::int32_t {
      return static_cast<Threads*>(self)->workers_->poll(worker);
    };
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Without abi::Host's `parallel`, which these loops do not use.
  const abi::Host& host() const { return host_; }
  Workers& workers() {
    if (workers_->cancelled()) renew(host_.num_threads);
    return *workers_;
  }

 private:
  void renew(int num_threads) {
    workers_ = std::make_unique<Workers>(num_threads, interrupted_);
    workers_->assemble();
  }

  const std::function<bool()> interrupted_;
  std::unique_ptr<Workers> workers_;
  abi::Host host_{};
};

}  // namespace frontier
}  // namespace gaspipe
