// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/file_queue.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cpp/src/local_store/arena.h"
#include "cpp/src/local_store/commit.h"
#include "cpp/src/local_store/fetch.h"
#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

using Code = std::uint32_t;
constexpr std::uint64_t kBuffer = 4096;
constexpr std::size_t kOfBuffer = kBuffer / sizeof(Code);

struct File {
  explicit File(std::uint64_t size)
      : file(::testing::TempDir(), "a test"), reading(std::make_shared<const ReadFile>("queues", file.make(size))) {}
  FileQueues<Code> queues(std::uint64_t first_byte) {
    return FileQueues<Code>(file, reading, first_byte, kBuffer, [] { return false; });
  }
  detail::TemporaryFile file;
  std::shared_ptr<const ReadFile> reading;
};

std::vector<Code> numbers(std::size_t count, Code first) {
  std::vector<Code> codes(count);
  std::iota(codes.begin(), codes.end(), first);
  return codes;
}

// CEL-2
TEST(LocalStoreFileQueues, GiveWhatWasWrittenQueueAfterQueue) {
  File file(1 << 20);
  FileQueues<Code> first = file.queues(0), second = file.queues(1 << 19);
  Code next = 0;
  // Sizes around those of the buffers, and levels that are empty or stay in memory.
  for (const std::size_t count : {std::size_t(1), std::size_t(0), kOfBuffer - 1, kOfBuffer, kOfBuffer + 1,
                                  2 * kOfBuffer, 5 * kOfBuffer + 7, std::size_t(3), 9 * kOfBuffer}) {
    for (FileQueues<Code>* queues : {&first, &second}) {
      const std::vector<Code> codes = numbers(count, next);
      for (std::size_t at = 0; at < count; at += 300) {
        queues->sink().write(codes.data() + at, std::min<std::size_t>(300, count - at));
      }
      queues->swap();
      std::vector<Code> found(count);
      for (std::size_t at = 0; at < count; at += 77) {
        queues->source().read(found.data() + at, std::min<std::size_t>(77, count - at));
      }
      EXPECT_EQ(found, codes);
      next += static_cast<Code>(count);
    }
  }
}

TEST(LocalStoreFileQueues, DropWhatIsNotReadOfAQueue) {
  File file(1 << 20);
  FileQueues<Code> queues = file.queues(0);
  const std::vector<Code> codes = numbers(6 * kOfBuffer, 0), later = numbers(3 * kOfBuffer + 5, 900'000);
  queues.sink().write(codes.data(), codes.size());
  queues.swap();
  std::vector<Code> found(later.size());
  queues.source().read(found.data(), 50);
  queues.sink().write(later.data(), later.size());
  queues.swap();
  queues.source().read(found.data(), found.size());
  EXPECT_EQ(found, later);
  EXPECT_THROW(queues.source().read(found.data(), 1), Error);
}

// CEL-2, CEL-5: the buffers of the local store over a queue in a file.
TEST(LocalStoreFileQueues, ServeFetchAndCommit) {
  using Queues = FileQueues<Code>;
  File file(1 << 20);
  Queues queues = file.queues(0);
  testing::OwnBuffer<Code> first(100), second(100), one(64), other(64);
  std::vector<std::int32_t> depth(20'000, -1);
  Commit<Code, Queues::Sink> commit(first, second, {0}, depth.data());
  commit.begin(queues.sink(), 7);
  for (Code code = 20'000; code-- > 0;) {  // they fall; what is stored together ascends
    if (commit.room().size == 0) {
      commit.finish();
      commit.swap();
    }
    commit.room()[0] = code;
    commit.added(1);
  }
  commit.finish();
  commit.swap();
  commit.finish();
  EXPECT_EQ(commit.count(), 20'000u);
  EXPECT_EQ(depth, std::vector<std::int32_t>(20'000, 7));
  queues.swap();
  Fetch<Code, Queues::Source> fetch(one, other);
  fetch.begin(queues.source(), commit.count());
  std::vector<Code> found;
  while (fetch.has_more()) {
    fetch.load();
    fetch.swap();
    for (; fetch.has_code(); fetch.pop()) found.push_back(fetch.code());
  }
  ASSERT_EQ(found.size(), 20'000u);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 20'000 - 100 * (i / 100 + 1) + i % 100);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
