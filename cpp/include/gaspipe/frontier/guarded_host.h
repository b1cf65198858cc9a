// SPDX-License-Identifier: Apache-2.0
// The threads of a core, for bodies of users' code.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "gaspipe/abi.h"

namespace gaspipe {
namespace frontier {

// Threads that a core lends, with bodies that may throw.
class GuardedHost {
 public:
  explicit GuardedHost(const abi::Host& lent) : lent_(lent), host_(lent) {
    host_.self = this;
    host_.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                            void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t),
                            void* context) -> std::int32_t {
      GuardedHost& host = *static_cast<GuardedHost*>(self);
      Guarded guarded{&host, body, context};
      const std::int32_t ended = host.lent_.parallel_for(host.lent_.self, n, grain, &Guarded::run, &guarded);
      return ended != 0 || host.has_thrown_;
    };
    host_.poll = [](void* self, std::int32_t worker) -> std::int32_t {
      GuardedHost& host = *static_cast<GuardedHost*>(self);
      return host.has_thrown_ || host.lent_.poll(host.lent_.self, worker) != 0;
    };
  }
  GuardedHost(const GuardedHost&) = delete;
  GuardedHost& operator=(const GuardedHost&) = delete;

  const abi::Host& host() const { return host_; }
  // Throws what a body threw since the last time.
  void rethrow() {
    if (!has_thrown_) return;
    has_thrown_ = false;
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  struct Guarded {
    GuardedHost* host;
    void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t);
    void* context;

    static void run(void* self, std::uint64_t first, std::uint64_t last, std::int32_t worker) {
      const Guarded& guarded = *static_cast<const Guarded*>(self);
      if (guarded.host->has_thrown_) return;
      try {
        guarded.body(guarded.context, first, last, worker);
      } catch (...) {
        guarded.host->keep(std::current_exception());
      }
    }
  };
  void keep(std::exception_ptr thrown) {
    const std::lock_guard<std::mutex> held(guard_);
    if (!has_thrown_) thrown_ = std::move(thrown);
    has_thrown_ = true;
  }

  const abi::Host lent_;
  abi::Host host_;
  std::mutex guard_;
  std::exception_ptr thrown_;
  std::atomic<bool> has_thrown_{false};
};

}  // namespace frontier
}  // namespace gaspipe
