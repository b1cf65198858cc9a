// SPDX-License-Identifier: Apache-2.0
// Reads parts of a file while others are worked on. What the system's cache has is copied from there. The rest is read
// past the cache (O_DIRECT, where the file system can), so that a file larger than memory pushes nothing else out of
// it.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "gaspipe/error.h"

namespace gaspipe {

// An open file, for reading.
class ReadFile {
 public:
  // Of an open descriptor, which stays the caller's.
  ReadFile(std::string name, int descriptor);
  ~ReadFile();
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  // Throws GraphFormatError where the file is not what it was when it was opened: shorter, or written to.
  void check_unchanged() const;

  static constexpr std::uint64_t kPage = 4096;
  // The whole pages around [start, start + size), which begins `skip` bytes after them.
  struct Pages {
    std::uint64_t start, size, skip;
  };
  static Pages pages(std::uint64_t start, std::uint64_t size) {
    const std::uint64_t first = start / kPage * kPage;
    return {first, (start + size - first + kPage - 1) / kPage * kPage, start - first};
  }
  // Memory for a part of a file: it begins on a page and holds what lies on the part's pages.
  static std::uint64_t buffer_bytes(std::uint64_t size) { return (size + 2 * kPage - 1) / kPage * kPage + kPage; }
  // Whether the system's cache has all of [start, start + size); false where that cannot be told.
  bool is_cached(std::uint64_t start, std::uint64_t size) const;
  // Reads [start, start + size) and returns where it begins in `buffer`; adds to `count` what came from the disk.
  // Throws FileError, and GraphFormatError where the file ends before.
  const std::uint8_t* read(std::uint64_t start, std::uint64_t size, std::uint8_t* buffer, std::uint64_t* count) const {
    return read(start, size, buffer, count, is_cached(start, size));
  }
  // The same for a caller that has asked is_cached().
  const std::uint8_t* read(std::uint64_t start, std::uint64_t size, std::uint8_t* buffer, std::uint64_t* count,
                           bool is_at_hand) const;
  // For reads of whole pages; past the cache where the file system can.
  int descriptor() const { return direct_ >= 0 ? direct_ : cached_; }

 private:
  const std::string name_;
  int cached_, direct_;  // descriptors; the second is -1 where the file system reads through its cache only
  void* map_ = nullptr;  // of all, without access; null where it would tell nothing or there is no room
  std::uint64_t size_;
  std::int64_t changed_[2];  // seconds, nanoseconds
};

class ReadQueue;

// Reads that are under way while their caller does something else; for one thread. What the cache has is not read ahead
// but when it is waited for: the copy is then in the reader's own cache.
class ReadAhead {
 public:
  struct Request {
    std::uint64_t start = 0, size = 0;
    std::uint8_t* buffer = nullptr;  // of ReadFile::buffer_bytes(size), from the start of a page on
    bool is_at_hand = false;         // the cache had it when it was asked for
    // When done:
    const std::uint8_t* data = nullptr;
    std::uint64_t from_disk = 0;  // bytes
    std::exception_ptr failure;
    bool is_done = false;
  };

  ReadAhead(std::shared_ptr<const ReadFile> file, int num_in_flight);
  ~ReadAhead();
  ReadAhead(ReadAhead&&) noexcept;

  // The request must live until it is done, or this is destroyed.
  void ask(Request* request);
  // Waits; false when `stopped`, asked now and then, says so. Throws what the reading threw.
  bool wait(Request* request, const std::function<bool()>& stopped);

  std::uint64_t bytes_read() const { return bytes_; }            // all
  std::uint64_t bytes_from_disk() const { return disk_bytes_; }  // that the cache did not have
  // "io_uring", "pread" (threads), or "cache" before the first read from the disk.
  const char* reader() const;

  // As one that waits does; never throws.
  static void read_now(const ReadFile& file, Request* request);

 private:
  std::shared_ptr<const ReadFile> file_;
  int num_in_flight_;
  std::unique_ptr<ReadQueue> queue_;  // since the first read that needs one
  std::uint64_t bytes_ = 0, disk_bytes_ = 0;
};

}  // namespace gaspipe
