// SPDX-License-Identifier: Apache-2.0
// The search over lists in a file, with its queues in another.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "gaspipe/error.h"
#include "gaspipe/local_store/search.h"
#include "stored.h"

namespace gaspipe {
namespace local_store {
namespace {

Settings settings_of(std::uint64_t store_bytes, const IoSizes& io = IoSizes::least()) {
  Settings settings;
  settings.local_store_bytes = store_bytes;
  settings.folder = ::testing::TempDir();
  settings.io = io;
  return settings;
}

Answer search_by(const StoredLists& lists, VertexId root, const Settings& settings, int num_threads) {
  Workers workers(num_threads);
  return search(lists, root, settings, workers);
}

testing::Edges star() {
  testing::Edges edges;
  for (VertexId v = 1; v < 3000; ++v) edges.push_back({0, v});
  for (VertexId v = 1; v < 3000; ++v) edges.push_back({v, v % 7});
  return edges;
}
testing::Edges chain() {
  testing::Edges edges;
  for (VertexId v = 0; v + 1 < 60; ++v) edges.push_back({v, v + 1});
  return edges;
}

// CEL-1, CEL-2, CEL-17, CEL-19, CEL-21, CEL-24
TEST(LocalStoreSearchInFiles, FindsTheLevelsForAnyWorkersThreadsAndStores) {
  struct Named {
    const char* name;
    Csr csr;
  };
  const Named graphs[] = {{"one vertex", testing::csr_of(1, {})},
                          {"a loop", testing::csr_of(1, {{0, 0}})},
                          {"no edges", testing::csr_of(5, {})},
                          {"two parts", testing::csr_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 3}})},
                          {"a star", testing::csr_of(3000, star())},
                          {"a chain", testing::csr_of(60, chain())},
                          {"many edges", testing::csr_of(20'000, testing::random_edges(20'000, 100'000, 2))}};
  for (const Named& graph : graphs) {
    const VertexId n = graph.csr.num_rows;
    for (const auto& [num_workers, code_bits] : {std::pair(1, 32), {3, 32}, {3, 64}, {8, 32}, {8, 64}}) {
      const testing::ListFile file(graph.csr, num_workers, 64, code_bits);
      const StoredLists lists = file.lists();
      const std::uint64_t least = least_layout(lists.owners()).total();
      for (const VertexId root : {VertexId(0), n - 1}) {
        const std::vector<std::int32_t> wanted = testing::plain_levels(graph.csr, root);
        for (const int num_threads : {1, 3}) {
          for (const bool hide_latency : {false, true}) {
            Settings settings = settings_of(least + (hide_latency ? 1500 : 100'000));
            if (!hide_latency) settings.io = IoSizes();
            settings.hide_latency = hide_latency;
            const Answer answer = search_by(lists, root, settings, num_threads);
            ASSERT_EQ(testing::list(answer.depth), wanted)
                << graph.name << ", " << num_workers << " workers of " << settings.local_store_bytes << " bytes, "
                << num_threads << " threads, codes of " << code_bits << " bits, root " << root;
            for (const WorkerProfile& worker : answer.profile.workers) {
              ASSERT_LE(worker.used_bytes, settings.local_store_bytes);
            }
          }
        }
      }
    }
  }
}

// CEL-2
TEST(LocalStoreSearchInFiles, ReadsListsAndQueuesFarLargerThanItsStores) {
  const VertexId n = 60'000;
  const Csr csr = testing::csr_of(n, testing::random_edges(n, 8 * n, 7));
  const testing::ListFile file(csr, 2);
  const Answer answer = search_by(file.lists(), 0, settings_of(16 * 1024), 2);
  EXPECT_EQ(testing::list(answer.depth), testing::plain_levels(csr, 0));
  EXPECT_GE(answer.profile.bytes_read, file.section.num_bytes / 2);
  EXPECT_GT(file.section.num_bytes, 50 * 2 * 16 * 1024u);
}

void expect_refused(const StoredLists& lists, const std::string& says) {
  try {
    search_by(lists, 0, settings_of(64 * 1024), 2);
    FAIL() << says;
  } catch (const GraphFormatError& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(LocalStoreSearchInFiles, NamesADamagedPage) {
  testing::ListFile file(testing::csr_of(5000, testing::random_edges(5000, 90'000, 4)), 3);
  const std::uint8_t byte = 0x5a;
  file.overwrite(40'000, &byte, 1, false);
  expect_refused(file.lists(), "checksum of page 9 of its lists");
}

// A file that was made to deceive: its checksums are right.
TEST(LocalStoreSearchInFiles, RefusesRecordsThatLeadBeyondTheBuffers) {
  const Csr csr = testing::csr_of(5000, testing::random_edges(5000, 90'000, 4));
  const CodeSplit split = split_for(32, 4999);
  const std::uint64_t header = header_bytes(3);
  {
    testing::ListFile file(csr, 3);
    const auto of_another = make_code<std::uint32_t>(4999, csr.degree(4999), split);
    file.overwrite(header, &of_another, sizeof(of_another), true);
    expect_refused(file.lists(), "a code is that of another worker's vertex");
  }
  {
    testing::ListFile file(csr, 3);
    std::uint32_t first;
    std::memcpy(&first, file.records().data() + header, sizeof(first));
    const auto longer = make_code<std::uint32_t>(code_index(first, split), 1000, split);
    file.overwrite(header, &longer, sizeof(longer), true);
    expect_refused(file.lists(), "another length than its list");
  }
  for (const SubList& list : {SubList{0, 0x7fffffff}, SubList{0x1000000, 3}}) {
    testing::ListFile file(csr, 3);
    file.overwrite(8, &list, sizeof(list), true);
    expect_refused(file.lists(), "a header is not that of its list");
  }
}

TEST(LocalStoreSearchInFiles, TellsOfAFileThatIsCutShortOrWrittenTo) {
  testing::ListFile file(testing::csr_of(5000, testing::random_edges(5000, 90'000, 4)), 3);
  const StoredLists lists = file.lists();
  const timespec times[2] = {{0, UTIME_OMIT}, {1, 0}};
  ASSERT_EQ(::futimens(file.file.descriptor(), times), 0);
  expect_refused(lists, "was written to since it was opened");
  const StoredLists again = file.lists();
  ASSERT_EQ(::ftruncate(file.file.descriptor(), 20'000), 0);
  expect_refused(again, "lists was ");  // cut short, or written to: whatever is found first
}

// Over a limit the system refuses to write, as on a full disk.
void fill_the_disk() {
  const VertexId n = 150'000;
  const testing::ListFile file(testing::csr_of(n, testing::random_edges(n, 3 * n, 7)), 2);
  const StoredLists lists = file.lists();
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{200'000, 200'000};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(3);
  try {
    search_by(lists, 0, settings_of(64 * 1024), 2);
  } catch (const FileError& error) {
    const bool is_named = error.reason.find("the queues of a search") != std::string::npos;
    std::_Exit(error.code == EFBIG && is_named ? 0 : 1);
  }
  std::_Exit(2);
}
TEST(LocalStoreSearchInFilesDeathTest, TellsOfAFullDisk) {
  EXPECT_EXIT(fill_the_disk(), ::testing::ExitedWithCode(0), "");
}

TEST(LocalStoreSearchInFiles, RefusesBuffersThatAreTooSmall) {
  const testing::ListFile file(testing::csr_of(9, {{0, 1}}), 1);
  const StoredLists lists = file.lists();
  IoSizes few = IoSizes::least(), odd = few;
  few.lists -= 1;
  odd.queue += 8;
  EXPECT_THROW(search_by(lists, 0, settings_of(4096, few), 1), InputError);
  EXPECT_THROW(search_by(lists, 0, settings_of(4096, odd), 1), InputError);
}

TEST(LocalStoreSearchInFiles, StopsWhenInterrupted) {
  const testing::ListFile file(testing::csr_of(5000, testing::random_edges(5000, 90'000, 4)), 3);
  const StoredLists lists = file.lists();
  Workers workers(2, [] { return true; });
  Settings settings = settings_of(64 * 1024);
  settings.before_step = [](int, Step) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  EXPECT_THROW(search(lists, 0, settings, workers), Cancelled);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
