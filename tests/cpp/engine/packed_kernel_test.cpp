// SPDX-License-Identifier: Apache-2.0
// The packed kernel as the engine calls it: with streams and clocks, and without, to the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gaspipe/engine/kernel/packed_gather_scatter.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "tests/hls/kernel/packed_launch.h"

namespace gaspipe {
namespace {

using testing::PackedLaunch;
using testing::SubPartition;

// Sparse ones have gaps of sources that need padding edges; the properties of all are the same.
template <class Hooks>
std::vector<SubPartition<Hooks>> sub_partitions() {
  std::vector<SubPartition<Hooks>> all;
  unsigned seed = 31;
  for (const std::size_t num_edges : {3000, 0, 40, 1}) {
    all.emplace_back(100000, 16 * seed, 16 * seed + 1000 - seed, num_edges, seed, 77);
    ++seed;
  }
  return all;
}

template <class Hooks>
std::vector<Word<typename Traits<Hooks>::Update>> gathered(abi::Execution execution, bool is_weighted) {
  PackedLaunch<Hooks> launch(sub_partitions<Hooks>());
  std::vector<abi::Buffer> buffers;  // in the order of the table of ports
  const auto add = [&](const auto& words) {
    buffers.push_back({const_cast<void*>(static_cast<const void*>(words.data())), words.size() * 64});
  };
  add(launch.edges);
  if (is_weighted) add(launch.weights);
  add(launch.sub_partitions[0].properties);
  add(launch.descriptors);
  add(launch.gathered);
  const std::uint32_t scalars[] = {static_cast<std::uint32_t>(launch.descriptors.size()), 0};
  const abi::KernelCall call = {buffers.data(), scalars, 1, is_weighted};
  std::vector<char> report(1000);
  abi::Emulation emulation{};
  emulation.execution = execution;
  emulation.banks_per_unit = 4;
  emulation.bytes_per_cycle = 57.6;
  emulation.latency = 64;
  emulation.stopped = [](void*) -> std::int32_t { return 0; };
  emulation.report = report.data();
  emulation.report_size = report.size();
  EXPECT_EQ(engine::run_kernel<engine::PackedGatherScatterKernel<Hooks>>(&call, &emulation), abi::kOk) << report.data();
  EXPECT_EQ(emulation.cycles > 0, execution != abi::kFast);
  return launch.gathered;
}

template <class Hooks>
void expect_same_bits(bool is_weighted) {
  const auto fast = gathered<Hooks>(abi::kFast, is_weighted);
  for (const abi::Execution execution : {abi::kExact, abi::kExactShallow}) {
    const auto exact = gathered<Hooks>(execution, is_weighted);
    ASSERT_EQ(exact.size(), fast.size());
    PackedLaunch<Hooks> launch(sub_partitions<Hooks>());
    for (std::size_t s = 0; s < launch.sub_partitions.size(); ++s) {  // past its vertices a last word is undefined
      launch.gathered = exact;
      const auto of_exact = launch.values(s);
      launch.gathered = fast;
      const auto of_fast = launch.values(s);
      ASSERT_EQ(std::memcmp(of_exact.data(), of_fast.data(), of_fast.size() * sizeof of_fast[0]), 0) << s;
    }
  }
}

TEST(PackedKernel, ComputesTheSameBitsWithAndWithoutStreams) {
  expect_same_bits<algorithm::bfs::Hooks<std::uint32_t>>(false);
  expect_same_bits<algorithm::sssp::Hooks<std::uint64_t>>(true);
  expect_same_bits<algorithm::sssp::Hooks<std::uint32_t>>(false);
  expect_same_bits<algorithm::spmv::Hooks<float>>(true);  // the order of sums decides about the bits
  expect_same_bits<algorithm::pagerank::Hooks<Fixed<32>>>(false);
}

}  // namespace
}  // namespace gaspipe
