// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/split_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gaspipe/error.h"
#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

template <class Code>
void check_lists(const Csr& csr, int num_workers, int code_bits) {
  const SplitLists lists = testing::split_lists(csr, num_workers, code_bits);
  ASSERT_EQ(lists.code_bits(), code_bits);
  std::vector<std::uint8_t> is_target(csr.num_rows, 0);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    EXPECT_EQ(lists.starts()[v] % kTransferAlignment, 0u);
    ASSERT_EQ(lists.length(v), csr.degree(v));
    EXPECT_EQ(lists.code<Code>(v), make_code<Code>(v, csr.degree(v), lists.split()));
    std::vector<VertexId> wanted(csr.targets.begin() + csr.offsets[v], csr.targets.begin() + csr.offsets[v + 1]);
    for (const VertexId target : wanted) is_target[target] = 1;
    if (wanted.empty()) {
      EXPECT_EQ(lists.record_bytes(v), 0u);
      continue;
    }
    // By owner, each owner's in the order of the row.
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](VertexId a, VertexId b) { return lists.owners().of(a) < lists.owners().of(b); });
    std::uint32_t offset = 0;
    for (int worker = 0; worker < num_workers; ++worker) {
      const SubList& part = lists.header(v)[worker];
      EXPECT_EQ(part.offset, offset);
      for (std::uint32_t i = offset; i < offset + part.length; ++i) {
        const Code code = lists.payload<Code>(v)[i];
        EXPECT_EQ(code_index(code, lists.split()), wanted[i]);
        EXPECT_EQ(code, lists.code<Code>(wanted[i]));
        EXPECT_EQ(lists.owners().of(wanted[i]), worker);
      }
      offset += part.length;
    }
    EXPECT_EQ(offset, wanted.size());
  }
  VertexId targets = 0;
  for (int worker = 0; worker < num_workers; ++worker) targets += lists.num_targets(worker);
  EXPECT_EQ(targets, std::count(is_target.begin(), is_target.end(), 1));
  for (VertexId v = 0; v < csr.num_rows; ++v) EXPECT_EQ(lists.is_target(v), is_target[v] != 0);
}

// CEL-8
TEST(LocalStoreSplitLists, PartsOfAListAreTheListInEveryNumberOfWorkers) {
  const Csr csr = testing::csr_of(70, testing::random_edges(70, 900, 3));  // loops and parallel edges too
  for (int num_workers : {1, 2, 3, 5, 8, 70, 100}) {
    check_lists<std::uint32_t>(csr, num_workers, 32);
    check_lists<std::uint64_t>(csr, num_workers, 64);
  }
}

TEST(LocalStoreSplitLists, AreTheSameByAnyNumberOfThreads) {
  const Csr csr = testing::csr_of(50'000, testing::random_edges(50'000, 200'000, 4));
  Workers one(1), several(3);
  const SplitLists a(csr, 5, one), b(csr, 5, several);
  ASSERT_EQ(testing::list(a.starts()), testing::list(b.starts()));
  EXPECT_EQ(testing::list(a.records()), testing::list(b.records()));
}

// CEL-23
TEST(LocalStoreSplitLists, SayHowToSplitAgainForAnotherNumberOfWorkers) {
  const SplitLists lists = testing::split_lists(testing::csr_of(9, {{0, 1}}), 8);
  EXPECT_NO_THROW(lists.check_workers(8));
  try {
    lists.check_workers(4);
    FAIL() << "of another number of workers";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("split for 8 workers, and workers is 4; split the graph again"),
              std::string::npos);
  }
}

TEST(LocalStoreSplitLists, RefuseImpossibleWorkersAndCodes) {
  const Csr csr = testing::csr_of(4, {{0, 1}});
  EXPECT_THROW(testing::split_lists(csr, 0), InputError);
  EXPECT_THROW(testing::split_lists(csr, kMostWorkers + 1), InputError);
  EXPECT_THROW(testing::split_lists(csr, 1, 16), InputError);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
