// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/list_writer.h"

#include <algorithm>

#include "gaspipe/error.h"
#include "stored.h"

namespace gaspipe {
namespace local_store {
namespace {

// Every row by ascending target, as a file has them.
Csr sorted(Csr csr) {
  const Writable<VertexId> targets(csr.num_edges());
  std::copy(csr.targets.begin(), csr.targets.end(), targets.data());
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    std::sort(targets.data() + csr.offsets[v], targets.data() + csr.offsets[v + 1]);
  }
  csr.targets = targets.freeze();
  return csr;
}

// CEL-2, CEL-23
TEST(LocalStoreListWriter, WritesTheRecordsThatListsInMemoryHave) {
  const Csr csr = sorted(testing::csr_of(700, testing::random_edges(600, 9000, 5)));
  for (const int num_workers : {1, 2, 8, 1000}) {
    for (const std::uint64_t start : {0, 64, 4096, 10'048}) {
      const int code_bits = start == 4096 ? 64 : 32;
      const testing::ListFile file(csr, num_workers, start, code_bits);
      const SplitLists lists = testing::split_lists(csr, num_workers, code_bits);
      EXPECT_EQ(file.section.first_byte % kListPage, 0u);
      EXPECT_GE(file.section.first_byte, start);
      EXPECT_EQ(file.section.code_bits, lists.code_bits());
      EXPECT_EQ(file.records(), testing::list(lists.records()));
      for (VertexId v = 0; v < csr.num_rows; ++v) {
        ASSERT_EQ((file.section.targets[v / 8] >> v % 8 & 1) != 0, lists.is_target(v)) << v;
      }
    }
  }
}

TEST(LocalStoreListWriter, RefusesEdgesInAnotherOrderAndWrongNumbersOfWorkers) {
  Workers workers(1);
  EdgeSorter by_block(::testing::TempDir(), EdgeSorter::kLeastMemory, workers);
  EdgeSorter by_row(::testing::TempDir(), EdgeSorter::kLeastMemory, workers, EdgeOrder::kRows);
  const testing::OwnFile file;
  const ViewWriter forward(by_block, file.descriptor(), 0, "blocks", {});
  const auto write = [&](EdgeSorter& sorter, int num_workers) {
    ListWriter(sorter, forward, num_workers, file.descriptor(), 0, "lists", ::testing::TempDir());
  };
  EXPECT_THROW(write(by_block, 2), InputError);
  EXPECT_THROW(write(by_row, 0), InputError);
  EXPECT_THROW(write(by_row, kMostWorkers + 1), InputError);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
