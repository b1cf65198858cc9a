// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/gather.h"

#include <gtest/gtest.h>

#include <numeric>

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

// Vertex 0 has the longest list; degrees fall, and some are 0.
Csr stairs() {
  testing::Edges edges;
  for (VertexId v = 0; v < 40; ++v) {
    for (VertexId i = 0; v % 7 != 3 && i < (v == 0 ? 500 : 60 - v); ++i) edges.push_back({v, (v + i * 3) % 40});
  }
  return testing::csr_of(40, edges);
}

// Loads all lists, and returns by vertex what came, in order.
struct Loaded {
  std::vector<std::vector<Code>> lists;
  std::uint64_t fills = 0, num_codes = 0;
};
Loaded load_all(const SplitLists& lists, std::uint64_t half_bytes, const TransferLimits& limits, bool fetches) {
  testing::OwnBuffer<std::uint8_t> first(half_bytes), second(half_bytes);
  testing::OwnBuffer<std::uint64_t> elements(64);
  Gather<Code> gather(lists, first, second, {FromMemory(lists.records().data()), elements, limits});
  Codes codes;
  for (VertexId v = 0; v < lists.num_vertices(); ++v) codes.codes.push_back(lists.code<Code>(v));
  Loaded loaded;
  loaded.lists.resize(lists.num_vertices());
  std::vector<VertexId> order;
  for (VertexId v = 0; v < lists.num_vertices(); ++v) {
    if (lists.length(v) > 0) order.push_back(v);
  }
  std::size_t next = 0;
  const std::uint64_t header = header_bytes(lists.num_workers());
  while (gather.plan(codes)) {
    if (fetches) gather.advance(100);
    const std::uint64_t free = half_bytes - gather.planned().num_bytes;
    // CEL-4: what is left is less than the next list takes, or the rest of one that is under way.
    if (codes.has_code() && !gather.is_cutting()) {
      EXPECT_LT(free, lists.record_bytes(code_index(codes.code(), lists.split())));
    }
    if (gather.is_cutting()) EXPECT_LT(free, kTransferAlignment);
    const Fill fill = gather.swap();
    ++loaded.fills;
    loaded.num_codes += fill.num_codes;
    const std::uint8_t* at = fill.data;
    for (std::uint64_t item = 0; item < fill.num_items; ++item) {
      const VertexId v = order[next];
      const bool is_piece = item == 0 && fill.is_cut;
      const std::uint64_t count = is_piece ? fill.count : lists.length(v);
      EXPECT_EQ(std::memcmp(at, lists.header(v), lists.num_workers() * sizeof(SubList)), 0);
      const Code* const payload = reinterpret_cast<const Code*>(at + header);
      if (is_piece) EXPECT_EQ(loaded.lists[v].size(), fill.first);
      if (!is_piece) EXPECT_TRUE(loaded.lists[v].empty()) << "a whole list came in pieces";
      loaded.lists[v].insert(loaded.lists[v].end(), payload, payload + count);
      at += header + padded(count * sizeof(Code));
      if (loaded.lists[v].size() == lists.length(v)) ++next;
    }
    EXPECT_EQ(at, fill.data + fill.num_bytes);
  }
  EXPECT_EQ(next, order.size());
  return loaded;
}

// CEL-4
TEST(LocalStoreGather, FillsBGToTheMaximumWithWholeListsAndCutsLongerOnes) {
  const Csr csr = stairs();
  for (int num_workers : {1, 2, 3, 8}) {
    const SplitLists lists = testing::split_lists(csr, num_workers);
    for (std::uint64_t half_bytes : {128, 256, 1024, 4096, 65536}) {
      for (const bool fetches : {false, true}) {
        const Loaded loaded = load_all(lists, half_bytes, {}, fetches);
        EXPECT_EQ(loaded.num_codes, csr.num_edges());
        for (VertexId v = 0; v < csr.num_rows; ++v) {
          ASSERT_EQ(loaded.lists[v].size(), csr.degree(v)) << "vertex " << v;
          EXPECT_TRUE(std::equal(loaded.lists[v].begin(), loaded.lists[v].end(), lists.payload<Code>(v)));
        }
      }
    }
    EXPECT_EQ(load_all(lists, 65536, {}, true).fills, 1u);
  }
}

TEST(LocalStoreGather, ReadsTheLengthOfALongListFromItsHeader) {
  // Codes of 32 bits of ids up to 2^27 leave 4 bits for the length; a small graph has to be told so.
  testing::Edges edges;
  for (VertexId i = 0; i < 300; ++i) edges.push_back({2, i});
  Csr csr = testing::csr_of(1u << 22, edges);
  const SplitLists lists = testing::split_lists(csr, 2);
  ASSERT_EQ(code_length(make_code<Code>(2, 1023, lists.split()), lists.split()), 1023u);
  edges.resize(2000, {2, 5});
  csr = testing::csr_of(1u << 22, edges);
  const SplitLists escaping = testing::split_lists(csr, 2);
  const Code code = escaping.code<Code>(2);
  ASSERT_EQ(code_length(code, escaping.split()), escape_length<Code>(escaping.split()));
  testing::OwnBuffer<std::uint8_t> first(16384), second(16384);
  testing::OwnBuffer<std::uint64_t> elements(8);
  Gather<Code> gather(escaping, first, second, {FromMemory(escaping.records().data()), elements, {}});
  Codes codes{{code}};
  ASSERT_TRUE(gather.plan(codes));
  EXPECT_EQ(gather.planned().num_codes, 2000u);
}

// CEL-6
TEST(LocalStoreTransfer, KeepsTheLimitsOfADmaListAndItsAlignment) {
  std::vector<std::uint8_t> memory(1 << 16);
  std::iota(memory.begin(), memory.end(), 0);
  testing::OwnBuffer<std::uint64_t> elements(4096);
  testing::OwnBuffer<std::uint8_t> to(1 << 17);
  Transfer<FromMemory> transfer(FromMemory(memory.data()), elements, {4, 64});
  transfer.begin(to.memory.data());
  transfer.add(1024, 160);  // longer than an entry
  ASSERT_EQ(transfer.size(), 3u);
  EXPECT_EQ(transfer.bytes(0), 64u);
  EXPECT_EQ(transfer.bytes(2), 32u);
  transfer.add(1184, 16);  // its neighbour
  ASSERT_EQ(transfer.size(), 3u);
  EXPECT_EQ(transfer.bytes(2), 48u);
  transfer.add(4096, 16);
  ASSERT_EQ(transfer.size(), 4u);
  EXPECT_EQ(transfer.num_lists(), 1u);
  transfer.add(8192, 32);  // the list is full: it is carried out
  EXPECT_EQ(transfer.size(), 1u);
  EXPECT_EQ(transfer.num_lists(), 2u);
  for (std::size_t i = 0; i < transfer.size(); ++i) {
    EXPECT_EQ(transfer.place(i) % kTransferAlignment, 0u);
    EXPECT_EQ(transfer.bytes(i) % kTransferAlignment, 0u);
  }
  transfer.finish();
  EXPECT_TRUE(std::equal(to.memory.begin(), to.memory.begin() + 176, memory.begin() + 1024));
  EXPECT_TRUE(std::equal(to.memory.begin() + 176, to.memory.begin() + 192, memory.begin() + 4096));
  EXPECT_TRUE(std::equal(to.memory.begin() + 192, to.memory.begin() + 224, memory.begin() + 8192));
}

// CEL-6
TEST(LocalStoreTransfer, HasTheLimitsOfTheCellByDefault) {
  const TransferLimits limits;
  EXPECT_EQ(limits.most_entries, 2048u);
  EXPECT_EQ(limits.most_entry_bytes, 16u * 1024);
  std::vector<std::uint8_t> memory(100 * 1024);
  testing::OwnBuffer<std::uint64_t> elements(4096);
  testing::OwnBuffer<std::uint8_t> to(200 * 1024);
  Transfer<FromMemory> transfer(FromMemory(memory.data()), elements, limits);
  transfer.begin(to.memory.data());
  transfer.add(0, 40 * 1024);
  EXPECT_EQ(transfer.size(), 3u);
  transfer.begin(to.memory.data());
  for (std::uint64_t i = 0; i < 2500; ++i) transfer.add(i * 32, 16);
  EXPECT_EQ(transfer.size(), 2500u - 2048);
}

// CEL-6
TEST(LocalStoreGather, LoadsTheSameThroughShortTransfers) {
  const Csr csr = stairs();
  const SplitLists lists = testing::split_lists(csr, 3);
  const Loaded loaded = load_all(lists, 1024, {2, 32}, true);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    EXPECT_TRUE(std::equal(loaded.lists[v].begin(), loaded.lists[v].end(), lists.payload<Code>(v)));
  }
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
