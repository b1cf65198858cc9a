// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most, with all threads: one line each, "kind working_set_bytes value", values in bytes or
// accesses per second, or in seconds. The best of several runs counts: these are limits.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace {

volatile double sink;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Run>
double best(int times, Run run) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    const double start = now();
    run();
    least = std::min(least, now() - start);
  }
  return least;
}

std::uint64_t scramble(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// On huge pages where there are any, first touched by the thread that will walk it.
template <class T>
std::unique_ptr<T[], void (*)(void*)> pages(std::size_t n) {
  const std::size_t huge = std::size_t(1) << 21, size = (n * sizeof(T) + huge - 1) / huge * huge;
  T* memory = static_cast<T*>(std::aligned_alloc(huge, size));
#ifdef MADV_HUGEPAGE
  madvise(memory, size, MADV_HUGEPAGE);
#endif
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) memory[i] = 1;
  return {memory, std::free};
}

}  // namespace

int main() {
  const std::size_t kib = 1024;
  for (std::size_t size = 256 * kib; size <= 1024 * 1024 * kib; size *= 4) {
    const std::size_t n = size / 8;
    const auto values = pages<std::uint64_t>(n);
    const int repeats = static_cast<int>(std::max<std::size_t>(1, (std::size_t(64) << 20) / size));
    const double seconds = best(5, [&] {
      std::uint64_t total = 0;  // of integers, whose sums the compiler may reorder
#pragma omp parallel reduction(+ : total)
      for (int i = 0; i < repeats; ++i) {
#pragma omp for schedule(static) nowait
        for (std::size_t j = 0; j < n; ++j) total += values[j];
      }
      sink = static_cast<double>(total);
    });
    std::printf("stream %zu %.6g\n", size, static_cast<double>(size) * repeats / seconds);
  }
  const std::size_t accesses = std::size_t(1) << 23;
  const auto where = pages<std::uint32_t>(accesses);
  for (std::size_t size = 256 * kib; size <= 256 * 1024 * kib; size *= 4) {
    const std::size_t n = size / 4;
    const auto values = pages<float>(n);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < accesses; ++i) where[i] = static_cast<std::uint32_t>(scramble(i) % n);
    const double gather = best(4, [&] {
      float total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
      for (std::size_t i = 0; i < accesses; ++i) total += values[where[i]];
      sink = total;
    });
    std::printf("gather %zu %.6g\n", size, static_cast<double>(accesses) / gather);
    const std::size_t steps = std::size_t(1) << 19;
    const double chase = best(3, [&] {
      std::uint32_t at = 0;
      for (std::size_t i = 0; i < steps; ++i) at = where[i] ^ static_cast<std::uint32_t>(values[(at + where[i]) % n]);
      sink = at;
    });
    std::printf("dependent %zu %.6g\n", size, chase / static_cast<double>(steps));
    std::fflush(stdout);
  }
  const int barriers = 20000;
  const double waits = best(5, [&] {
#pragma omp parallel
    for (int i = 0; i < barriers; ++i) {
#pragma omp barrier
    }
  });
  std::printf("barrier 0 %.6g\n", waits / barriers);
}
