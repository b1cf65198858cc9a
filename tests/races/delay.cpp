// SPDX-License-Identifier: Apache-2.0
// Delays threads at random where they meet: loaded before a program (LD_PRELOAD), behind ThreadSanitizer's runtime. The
// worker team looks at the clock before and after each loop and between chunks, sleeps and wakes by futex, and asks for
// its core when it opens a loop. Each of these calls yields or sleeps now and then. GASPIPE_DELAY_SEED is the seed (0:
// no delays); every thread has a sequence of its own.
#include <dlfcn.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

std::atomic<std::uint64_t> num_threads{0};

std::uint64_t seed() {
  static const char* const text = std::getenv("GASPIPE_DELAY_SEED");
  static const std::uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  return value;
}

// One call in `rarity` waits.
void delay(unsigned rarity) {
  thread_local std::uint64_t state = 0;
  if (seed() == 0) return;
  if (state == 0) state = (seed() + 1) * 0x9e3779b97f4a7c15 ^ (++num_threads * 0xbf58476d1ce4e5b9);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  if (state % rarity != 0) return;
  if (state >> 32 & 1) {
    ::sched_yield();
  } else {
    const timespec time{0, static_cast<long>(state >> 33) % 200'000};
    ::nanosleep(&time, nullptr);
  }
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  delay(24);  // asked in spinning loops too
  return real(clock, time);
}

int sched_getcpu() noexcept {
  static auto* const real = next<int()>("sched_getcpu");
  delay(3);
  return real();
}

long syscall(long number, ...) noexcept {
  static auto* const real = next<long(long, ...)>("syscall");
  std::va_list rest;
  va_start(rest, number);
  long given[6];
  for (long& each : given) each = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_futex) delay(2);
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

}  // extern "C"
