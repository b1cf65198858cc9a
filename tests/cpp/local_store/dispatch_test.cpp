// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/dispatch.h"

#include <gtest/gtest.h>

#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

using Code = std::uint32_t;

struct Codes {
  std::vector<Code> codes;
  std::size_t at = 0;
  bool has_code() const { return at < codes.size(); }
  Code code() const { return codes[at]; }
  void pop() { ++at; }
};

// What every owner gets of a graph's lists, and in how many rounds.
struct Dispatched {
  std::vector<std::vector<VertexId>> ids;
  int rounds = 0;
  std::uint64_t ticked = 0;
};
Dispatched dispatch_all(const SplitLists& lists, std::uint64_t half_bytes, std::size_t out_codes,
                        const std::vector<std::uint8_t>& is_full) {
  testing::OwnBuffer<std::uint8_t> first(half_bytes), second(half_bytes);
  testing::OwnBuffer<std::uint64_t> elements(64);
  Gather<Code> gather(lists, first, second, {FromMemory(lists.records().data()), elements, {}});
  std::vector<testing::OwnBuffer<Code>> memory(lists.num_workers(), testing::OwnBuffer<Code>(out_codes, 0xffffffffu));
  std::vector<Buffer<Code>> outs(memory.begin(), memory.end());
  Dispatch<Code> dispatch(outs);
  EXPECT_TRUE(dispatch.is_done());
  Codes codes;
  for (VertexId v = 0; v < lists.num_vertices(); ++v) codes.codes.push_back(lists.code<Code>(v));
  Dispatched found;
  found.ids.resize(lists.num_workers());
  while (gather.plan(codes)) {
    dispatch.begin(gather.swap());
    while (!dispatch.is_done()) {
      dispatch.run(is_full, [&](std::uint64_t count) { found.ticked += count; });
      ++found.rounds;
      for (int owner = 0; owner < lists.num_workers(); ++owner) {
        EXPECT_LE(dispatch.out(owner).size, out_codes);
        for (const Code code : dispatch.out(owner)) found.ids[owner].push_back(code_index(code, lists.split()));
      }
      dispatch.clear();
    }
  }
  for (const auto& buffer : memory) {
    EXPECT_EQ(buffer.memory.back(), 0xffffffffu) << "written past the end of a Qout";
  }
  return found;
}

std::vector<std::vector<VertexId>> wanted(const Csr& csr, const Owners& owners) {
  std::vector<std::vector<VertexId>> ids(owners.num_workers());
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e)
      ids[owners.of(csr.targets[e])].push_back(csr.targets[e]);
  }
  return ids;
}

// CEL-8
TEST(LocalStoreDispatch, CopiesBlocksToTheirOwners) {
  const Csr csr = testing::csr_of(90, testing::random_edges(90, 3000, 5));
  for (int num_workers : {1, 2, 3, 8, 13}) {
    const SplitLists lists = testing::split_lists(csr, num_workers);
    for (std::uint64_t half_bytes : {256, 1000, 100'000}) {
      for (std::size_t out_codes : {1, 3, 16, 100, 10'000}) {
        EXPECT_EQ(dispatch_all(lists, half_bytes, out_codes, std::vector<std::uint8_t>(num_workers, 0)).ids,
                  wanted(csr, lists.owners()))
            << num_workers << " workers, bG " << half_bytes << ", Qout " << out_codes;
      }
    }
  }
}

// CEL-9
TEST(LocalStoreDispatch, SplitsRoundsWhereAllEdgesGoToOneOwner) {
  testing::Edges edges;
  for (VertexId i = 0; i < 1000; ++i) edges.push_back({i % 10, 3});
  const Csr csr = testing::csr_of(40, edges);
  const SplitLists lists = testing::split_lists(csr, 4);
  const Dispatched found = dispatch_all(lists, 100'000, 64, {0, 0, 0, 0});
  EXPECT_EQ(found.ids[0], std::vector<VertexId>(1000, 3));
  EXPECT_EQ(found.rounds, (1000 + 63) / 64);
}

TEST(LocalStoreDispatch, LeavesOutOwnersThatAreFull) {
  const Csr csr = testing::csr_of(90, testing::random_edges(90, 3000, 6));
  const SplitLists lists = testing::split_lists(csr, 3);
  auto ids = wanted(csr, lists.owners());
  ids[1].clear();
  EXPECT_EQ(dispatch_all(lists, 1000, 16, {0, 1, 0}).ids, ids);
}

TEST(LocalStoreDispatch, TicksAboutOncePer128Codes) {
  const Csr csr = testing::csr_of(90, testing::random_edges(90, 3000, 6));
  const Dispatched found = dispatch_all(testing::split_lists(csr, 2), 100'000, 10'000, {0, 0});
  EXPECT_GT(found.ticked, 3000u - 128 - 60);
  EXPECT_LE(found.ticked, 3000u);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
