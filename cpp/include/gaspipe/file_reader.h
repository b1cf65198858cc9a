// SPDX-License-Identifier: Apache-2.0
// Reads parts of a file while others are worked on. What the system's cache has is copied from there. The rest is read
// past the cache (O_DIRECT, where the file system can), so that a file larger than memory pushes nothing else out of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
  // Memory for a part of a file: it begins on a page and holds what lies on the part's pages.
  static std::uint64_t buffer_bytes(std::uint64_t size) { return (size + 2 * kPage - 1) / kPage * kPage + kPage; }
  // Reads [start, start + size) and returns where it begins in `buffer`; adds to `count` what came from the disk.
  // Throws FileError, and GraphFormatError where the file ends before.
  const std::uint8_t* read(std::uint64_t start, std::uint64_t size, std::uint8_t* buffer, std::uint64_t* count) const;

 private:
  bool is_cached(std::uint64_t first, std::uint64_t end) const;  // `first` is on a page

  const std::string name_;
  int cached_, direct_;  // descriptors; the second is -1 where the file system reads through its cache only
  void* map_ = nullptr;  // of all, without access; null where direct_ is -1 or there is no room
  std::uint64_t size_;
  std::int64_t changed_[2];  // seconds, nanoseconds
};

// Threads that read, in the order in which they are asked.
class ReadAhead {
 public:
  struct Request {
    std::uint64_t start = 0, size = 0;
    std::uint8_t* buffer = nullptr;  // of ReadFile::buffer_bytes(size)
    // When done:
    const std::uint8_t* data = nullptr;
    std::exception_ptr failure;
    bool is_done = false;
  };

  ReadAhead(std::shared_ptr<const ReadFile> file, int num_threads);
  ~ReadAhead();

  // The request must live until it is done, or this is destroyed.
  void ask(Request* request);
  // Waits; false when `stopped`, asked now and then, says so. Throws what the reading threw.
  bool wait(Request* request, const std::function<bool()>& stopped);

  std::uint64_t bytes_read() const;       // all
  std::uint64_t bytes_from_disk() const;  // that the cache did not have

 private:
  void work();

  const std::shared_ptr<const ReadFile> file_;
  mutable std::mutex guard_;
  std::condition_variable asked_, done_;
  std::deque<Request*> queue_;
  bool is_closing_ = false;
  std::uint64_t bytes_ = 0, disk_bytes_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace gaspipe
