// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/from_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "gaspipe/error.h"
#include "stored.h"

namespace gaspipe {
namespace local_store {
namespace {

FromFile reading(const StoredLists& lists, std::uint64_t buffer_bytes) {
  return FromFile(lists, buffer_bytes, 4, [] { return false; });
}

Csr graph() { return testing::csr_of(3000, testing::random_edges(3000, 60'000, 3)); }

// CEL-2, CEL-6
TEST(LocalStoreFromFile, BringsRangesInTheOrderOfTheList) {
  const testing::ListFile file(graph(), 4);
  const std::vector<std::uint8_t> records = file.records();
  std::mt19937 random(8);
  for (const std::uint64_t longest : {64, 1024, 16 * 1024}) {
    for (const std::uint64_t more : {0, 100'000}) {
      testing::OwnBuffer<std::uint64_t> elements(300);
      std::vector<std::uint8_t> to(1 << 21), wanted;
      const StoredLists lists = file.lists();
      Transfer<FromFile> transfer(reading(lists, (FromFile::least_buffer(longest) + more) / 4096 * 4096), elements,
                                  {200, static_cast<std::uint32_t>(longest)});
      for (int list = 0; list < 3; ++list) {
        transfer.begin(to.data());
        wanted.clear();
        for (int i = 0; i < 450; ++i) {  // two lists and a half; some ranges lie close together, some at the end
          const std::uint64_t num_bytes = (1 + random() % 40) * 16;
          std::uint64_t place = i % 3 == 0 ? random() % (records.size() / 16) * 16 : std::uint64_t(i) * 96;
          if (i % 50 == 7) place = records.size();
          place = std::min(place, records.size() - num_bytes);
          transfer.add(place, num_bytes);
          wanted.insert(wanted.end(), records.begin() + static_cast<std::ptrdiff_t>(place),
                        records.begin() + static_cast<std::ptrdiff_t>(place + num_bytes));
        }
        transfer.launch();
        if (list == 1) continue;  // not wanted
        transfer.advance(100);
        transfer.finish();
        EXPECT_EQ(std::memcmp(to.data(), wanted.data(), wanted.size()), 0) << longest << ' ' << more;
      }
    }
  }
}

TEST(LocalStoreFromFile, ReadsWhatLiesCloseTogetherAtOnce) {
  const testing::ListFile file(graph(), 4);
  const std::vector<std::uint8_t> records = file.records();
  std::vector<std::uint8_t> to(1 << 20);
  testing::OwnBuffer<std::uint64_t> elements(100);
  const StoredLists lists = file.lists();
  {
    Transfer<FromFile> transfer(reading(lists, 1 << 18), elements, {});
    transfer.begin(to.data());
    for (std::uint64_t i = 0; i < 100; ++i) transfer.add(i * 128, 112);  // of 4 pages
    transfer.finish();
    EXPECT_EQ(transfer.from().bytes_read(), 4 * kListPage);
    transfer.begin(to.data());
    for (std::uint64_t i = 0; i < 10; ++i) transfer.add(i * 8 * kListPage, 32);  // far apart
    transfer.finish();
    EXPECT_EQ(transfer.from().bytes_read(), 14 * kListPage);
  }
}

TEST(LocalStoreFromFile, RefusesWhatIsDamagedCutShortOrBeyondTheEnd) {
  testing::ListFile file(graph(), 4);
  std::vector<std::uint8_t> to(1 << 20);
  testing::OwnBuffer<std::uint64_t> elements(100);
  const auto load = [&](std::uint64_t place, std::uint64_t num_bytes) {
    const StoredLists lists = file.lists();
    Transfer<FromFile> transfer(reading(lists, 1 << 18), elements, {});
    transfer.begin(to.data());
    transfer.add(place, num_bytes);
    transfer.finish();
  };
  EXPECT_THROW(load(file.section.num_bytes - 16, 32), GraphFormatError);
  const std::uint8_t byte = 0xa5;
  file.overwrite(5000, &byte, 1, false);
  EXPECT_NO_THROW(load(0, 4096));
  EXPECT_THROW(load(8000, 16), GraphFormatError);
  // Cut after it has been opened.
  const StoredLists lists = file.lists();
  ASSERT_EQ(::ftruncate(file.file.descriptor(), static_cast<off_t>(file.section.first_byte + 9000)), 0);
  Transfer<FromFile> transfer(reading(lists, 1 << 18), elements, {});
  transfer.begin(to.data());
  transfer.add(16'384, 64);
  EXPECT_THROW(transfer.finish(), GraphFormatError);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
