// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/stored_lists.h"

#include <utility>

#include "gaspipe/error.h"
#include "stored.h"

namespace gaspipe {
namespace local_store {
namespace {

// CEL-2
TEST(LocalStoreStoredLists, SayOfEveryListWhatThoseInMemoryDo) {
  const Csr csr = testing::csr_of(900, testing::random_edges(800, 5000, 6));
  for (const auto& [num_workers, code_bits] : {std::pair(1, 32), {3, 32}, {3, 64}, {8, 32}, {8, 64}}) {
    const testing::ListFile file(csr, num_workers, 64, code_bits);
    const StoredLists stored = file.lists();
    const SplitLists lists = testing::split_lists(csr, num_workers, code_bits);
    EXPECT_EQ(stored.code_bits(), code_bits);
    EXPECT_EQ(stored.num_workers(), num_workers);
    EXPECT_EQ(stored.num_vertices(), lists.num_vertices());
    EXPECT_EQ(stored.num_edges(), lists.num_edges());
    EXPECT_EQ(stored.code_bits(), lists.code_bits());
    for (VertexId v = 0; v < csr.num_rows; ++v) {
      ASSERT_EQ(stored.start(v), lists.start(v)) << v;
      ASSERT_EQ(stored.length(v), lists.length(v)) << v;
      ASSERT_EQ(stored.code<std::uint64_t>(v), lists.code<std::uint64_t>(v)) << v;
      ASSERT_EQ(stored.is_target(v), lists.is_target(v)) << v;
    }
    for (int worker = 0; worker < num_workers; ++worker)
      EXPECT_EQ(stored.num_targets(worker), lists.num_targets(worker));
  }
}

// CEL-23
TEST(LocalStoreStoredLists, OfAnotherNumberOfWorkersSayHowToSplitAgain) {
  const testing::ListFile file(testing::csr_of(9, {{0, 1}}), 3);
  const StoredLists lists = file.lists();
  EXPECT_NO_THROW(lists.check_workers(3));
  try {
    lists.check_workers(8);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("split for 3 workers, and workers is 8; use workers=3, or split them again: "
                        "gaspipe convert lists other.gaspipe --workers 8"),
              std::string::npos)
        << error.what();
  }
}

TEST(LocalStoreStoredLists, FindADamagedPageAndRememberThoseThatAreSound) {
  testing::ListFile file(testing::csr_of(700, testing::random_edges(700, 9000, 5)), 2);
  const std::vector<std::uint8_t> before = file.records();
  const StoredLists lists = file.lists();
  std::vector<std::uint8_t> damaged = before;
  damaged[kListPage + 17] ^= 4;
  EXPECT_NO_THROW(lists.check(0, kListPage, damaged.data()));
  try {
    lists.check(0, damaged.size(), damaged.data());
    FAIL();
  } catch (const GraphFormatError& error) {
    EXPECT_NE(std::string(error.what()).find("checksum of page 1 of its lists, at byte 8192, is wrong"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(lists.check(0, before.size(), before.data()));
  damaged[5] ^= 1;  // it is read again, after it was found right
  EXPECT_NO_THROW(lists.check(0, kListPage, damaged.data()));
}

TEST(LocalStoreStoredLists, AreRefusedWhereTheyCannotBeThoseOfTheGraph) {
  const Csr csr = testing::csr_of(700, testing::random_edges(700, 9000, 5));
  const testing::ListFile file(csr, 2);
  const auto refused = [&](const ListSection& section, const Offsets& offsets) {
    EXPECT_THROW(StoredLists(file.edges(), offsets, section), GraphFormatError);
  };
  ListSection section = file.section;
  for (const int code_bits : {16, 48, 64}) {
    section.code_bits = code_bits;
    refused(section, csr.offsets);
  }
  section = file.section;
  section.first_byte += 16;
  refused(section, csr.offsets);
  section = file.section;
  section.first_byte += kListPage;  // beyond the end of the file
  refused(section, csr.offsets);
  section = file.section;
  section.first_byte = ~std::uint64_t(0) / kListPage * kListPage;
  refused(section, csr.offsets);
  section = file.section;
  section.num_bytes -= 16;
  refused(section, csr.offsets);
  section = file.section;
  section.checks = {};
  refused(section, csr.offsets);
  section = file.section;
  section.targets = {};
  refused(section, csr.offsets);
  section = file.section;
  section.num_workers = 5;
  refused(section, csr.offsets);
  refused(file.section, testing::csr_of(700, testing::random_edges(700, 9100, 5)).offsets);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
