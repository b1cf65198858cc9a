// SPDX-License-Identifier: Apache-2.0
// Reads that are under way while others are worked on: by io_uring and by threads.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "cpp/src/stream/read_queue.h"
#include "gaspipe/error.h"
#include "gaspipe/file_reader.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kSize = 3000001;

// Where O_DIRECT works: most temporary folders, not those in memory.
class Scratch {
 public:
  Scratch() : descriptor_(::mkstemp(name_)), bytes_(kSize) {
    std::mt19937 random(1);
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
    EXPECT_EQ(::write(descriptor_, bytes_.data(), kSize), ssize_t(kSize));
    ::fsync(descriptor_);
    leave_cache();
  }
  ~Scratch() {
    ::close(descriptor_);
    ::unlink(name_);
  }
  void leave_cache() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }
  int descriptor() const { return descriptor_; }
  std::string name() const { return name_; }
  const std::uint8_t* at(std::uint64_t start) const { return bytes_.data() + start; }

 private:
  char name_[40] = "/var/tmp/gaspipe-read-XXXXXX";
  int descriptor_;
  std::vector<std::uint8_t> bytes_;
};

struct Part {
  ReadAhead::Request request;
  std::vector<std::uint8_t> memory;

  Part(std::uint64_t start, std::uint64_t size) : memory(ReadFile::buffer_bytes(size) + ReadFile::kPage) {
    request.start = start;
    request.size = size;
    request.buffer = memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) % ReadFile::kPage);
  }
};

std::vector<Part> some_parts(int count) {
  std::mt19937_64 random(2);
  std::vector<Part> parts;
  parts.emplace_back(0, kSize);
  parts.emplace_back(kSize - 1, 1);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t start = random() % kSize;
    parts.emplace_back(start, 1 + random() % std::min<std::uint64_t>(kSize - start, 200000));
  }
  return parts;
}

const auto kNever = [] { return false; };

struct Named {
  const char* name;
  std::unique_ptr<ReadQueue> (*make)(const ReadFile& file, int num_in_flight);
};
class Queue : public ::testing::TestWithParam<Named> {};

TEST_P(Queue, ReadsWhatIsInTheFile) {
  const Scratch scratch;
  const ReadFile file(scratch.name(), scratch.descriptor());
  const auto queue = GetParam().make(file, 4);
  if (!queue) return;  // io_uring can be forbidden
  EXPECT_STREQ(queue->name(), GetParam().name);
  std::vector<Part> parts = some_parts(40);
  for (std::size_t i = 0; i < parts.size() + 4; ++i) {
    if (i < parts.size()) queue->start(&parts[i].request);
    if (i < 4) continue;
    const ReadAhead::Request& done = parts[i - 4].request;
    ASSERT_TRUE(queue->finish(&parts[i - 4].request, kNever));
    ASSERT_FALSE(done.failure);
    ASSERT_EQ(std::memcmp(done.data, scratch.at(done.start), done.size), 0) << done.start << ", " << done.size;
    EXPECT_EQ(done.from_disk, done.size);
  }
}

TEST_P(Queue, TellsOfAReadThatFails) {
  const int folder = ::open("/var/tmp", O_RDONLY | O_DIRECTORY);
  ASSERT_GE(folder, 0);
  const ReadFile file("a folder", folder);
  ::close(folder);
  const auto queue = GetParam().make(file, 2);
  if (!queue) return;
  Part part(0, 100);
  queue->start(&part.request);
  ASSERT_TRUE(queue->finish(&part.request, kNever));
  ASSERT_TRUE(part.request.failure);
  EXPECT_THROW(std::rethrow_exception(part.request.failure), FileError);
}

TEST_P(Queue, TellsOfAFileThatEnds) {
  const Scratch scratch;
  const ReadFile file(scratch.name(), scratch.descriptor());
  ASSERT_EQ(::ftruncate(scratch.descriptor(), 1000000), 0);
  const auto queue = GetParam().make(file, 2);
  if (!queue) return;
  Part part(900000, 200000);
  queue->start(&part.request);
  ASSERT_TRUE(queue->finish(&part.request, kNever));
  ASSERT_TRUE(part.request.failure);
  EXPECT_THROW(std::rethrow_exception(part.request.failure), GraphFormatError);
}

TEST_P(Queue, StopsWaiting) {
  const Scratch scratch;
  const ReadFile file(scratch.name(), scratch.descriptor());
  const auto queue = GetParam().make(file, 2);
  if (!queue) return;
  Part never_started(0, 100);
  EXPECT_FALSE(queue->finish(&never_started.request, [] { return true; }));
}

TEST_P(Queue, EndsWithReadsUnderWay) {
  const Scratch scratch;
  const ReadFile file(scratch.name(), scratch.descriptor());
  std::vector<Part> parts = some_parts(6);
  const auto queue = GetParam().make(file, 8);
  if (!queue) return;
  for (Part& part : parts) queue->start(&part.request);
}

INSTANTIATE_TEST_SUITE_P(Both, Queue,
                         ::testing::Values(Named{"io_uring", make_ring}, Named{"pread", make_reading_threads}));

TEST(ReadAhead, CopiesFromTheCacheWhatIsThere) {
  const Scratch scratch;
  const auto file = std::make_shared<const ReadFile>(scratch.name(), scratch.descriptor());
  ReadAhead reads(file, 2);
  Part part(1234, 500000);
  for (const bool is_cached : {false, true}) {
    if (is_cached) {
      std::vector<std::uint8_t> all(kSize);
      ASSERT_EQ(::pread(scratch.descriptor(), all.data(), kSize, 0), ssize_t(kSize));
    } else {
      scratch.leave_cache();
    }
    if (file->is_cached(1234, 500000) != is_cached) continue;  // a file system that has nothing but its cache
    const std::uint64_t before = reads.bytes_from_disk();
    reads.ask(&part.request);
    ASSERT_TRUE(reads.wait(&part.request, kNever));
    EXPECT_EQ(std::memcmp(part.request.data, scratch.at(1234), 500000), 0);
    EXPECT_EQ(reads.bytes_from_disk() - before, is_cached ? 0u : 500000u);
  }
  EXPECT_FALSE(file->is_cached(kSize - 10, 20));
}

}  // namespace
}  // namespace gaspipe
