// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most, with all threads: one line each, "kind working_set_bytes value", values in bytes or
// accesses per second, or in seconds. The best of several runs counts: these are limits. With a file (words of 32 bits:
// vertices, edges, offsets but the last, targets) only the rate of gathers in the order of that graph's edges.
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

// Sum up 4-byte numbers at these places; accesses per second. Eight sums at a time, for one would wait for its adds;
// the compiler is not asked for gather instructions, which some processors take apart slowly.
double gathers(const std::uint32_t* where, std::size_t accesses, const float* values) {
  constexpr std::size_t kSums = 8;
  const double seconds = best(12, [&] {
    float total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (std::size_t i = 0; i < accesses / kSums; ++i) {
      const std::uint32_t* at = where + kSums * i;
      total += ((values[at[0]] + values[at[1]]) + (values[at[2]] + values[at[3]])) +
               ((values[at[4]] + values[at[5]]) + (values[at[6]] + values[at[7]]));
    }
    sink = total;
  });
  return static_cast<double>(accesses) / seconds;
}

int gathers_of(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  std::uint32_t size[2];
  if (file == nullptr || std::fread(size, 4, 2, file) != 2) return 2;
  const auto values = pages<float>(size[0]);
  const auto targets = pages<std::uint32_t>(size[1]);
  std::fseek(file, 4L * (2 + static_cast<long>(size[0])), SEEK_SET);
  if (std::fread(targets.get(), 4, size[1], file) != size[1]) return 2;
  std::printf("gather %zu %.6g\n", std::size_t(4) * size[0], gathers(targets.get(), size[1], values.get()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return gathers_of(argv[1]);
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
    std::printf("gather %zu %.6g\n", size, gathers(where.get(), accesses, values.get()));
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
