// SPDX-License-Identifier: Apache-2.0
#include "prepare_often.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "gaspipe/edge_slices.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace detail {
namespace {

constexpr EdgeCount kLeastEdges = 1 << 20;
constexpr double kWorth = 3;  // a run takes two thirds of its time afterwards
// Kronecker 18 and 20 without weights, medians of five by two threads of an AMD EPYC on 2026-11-25, with other programs
// running: a quiet machine takes less.
constexpr double kSecondsPerEdge = 13e-9;

// Bytes; what a system does not tell counts as plenty.
std::uint64_t available_memory() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream facts("/proc/meminfo");
  for (std::string name; facts >> name;) {
    std::uint64_t kilobytes = 0;
    if (name == "MemAvailable:" && facts >> kilobytes) least = 1024 * kilobytes;
  }
  std::uint64_t limit = 0, used = 0;  // of a container
  std::ifstream most("/sys/fs/cgroup/memory.max"), current("/sys/fs/cgroup/memory.current");
  if (most >> limit && current >> used) least = std::min(least, limit > used ? limit - used : 0);
  return least;
}

}  // namespace

bool is_asked_often(const Csr& csr, double seconds_of_runs) {
  return csr.num_edges() >= kLeastEdges &&
         seconds_of_runs >= kWorth * kSecondsPerEdge * static_cast<double>(csr.num_edges());
}

bool is_worth_a_form(const Csr& csr) {
  constexpr EdgeCount kEdgesPerSlice = EdgeSlices::kWords * PlainEdgeCodec::kEdgesPerWord, kSlices = 256;
  return csr.num_edges() >= kSlices * kEdgesPerSlice;
}

bool has_memory_for_another(const Csr& csr) {
  constexpr std::uint64_t kBytesPerEdge = 12, kBytesPerVertex = 16;  // at most
  return kBytesPerEdge * csr.num_edges() + kBytesPerVertex * csr.num_rows <= available_memory() / 2;
}

}  // namespace detail
}  // namespace gaspipe
