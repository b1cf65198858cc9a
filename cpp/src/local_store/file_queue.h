// SPDX-License-Identifier: Apache-2.0
// The two queues of a worker, Q and Qnext, in a temporary file. A vertex is queued once in a search, so that queue
// follows queue in a part of the file that holds the codes of all vertices of the worker.
//
// The end of a queue, or all of a short one, stays in memory: no level of few vertices waits for a file. Before it, two
// I/O buffers take turns: from one codes are read while the other is filled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "cpp/src/clock.h"
#include "cpp/src/stream/temporary_file.h"
#include "gaspipe/engine/pages.h"
#include "gaspipe/error.h"
#include "gaspipe/file_reader.h"

namespace gaspipe {
namespace local_store {

template <class Code>
class FileQueues {
 public:
  class Source {
   public:
    Source(FileQueues* queues = nullptr) : queues_(queues) {}
    void read(Code* to, std::size_t count) { queues_->read(to, count); }

   private:
    FileQueues* queues_;
  };
  class Sink {
   public:
    // Codes that are stored together are sorted before: their lists then lie in the order of the file.
    static constexpr bool kSorts = true;
    Sink(FileQueues* queues = nullptr) : queues_(queues) {}
    void write(const Code* codes, std::size_t count) { queues_->write(codes, count); }

   private:
    FileQueues* queues_;
  };

  // The queues have the file, which `reading` reads, from `first_byte` on. `buffer_bytes`, a multiple of a page, is
  // what an I/O buffer has.
  FileQueues(detail::TemporaryFile& file, std::shared_ptr<const ReadFile> reading, std::uint64_t first_byte,
             std::uint64_t buffer_bytes, std::function<bool()> stopped)
      : file_(&file),
        stopped_(std::move(stopped)),
        buffer_bytes_(buffer_bytes),
        next_begin_(first_byte),
        next_end_(first_byte),
        reads_(std::move(reading), 2) {
    for (std::vector<Code>& end : ends_) end.reserve(buffer_bytes / sizeof(Code));
    const std::uint64_t each = ReadFile::buffer_bytes(buffer_bytes);
    memory_ = allocate_pages<std::uint8_t>(2 * each + ReadFile::kPage);
    std::uint8_t* const first = memory_.get() + (-reinterpret_cast<std::uintptr_t>(memory_.get()) % ReadFile::kPage);
    for (int i = 0; i < 2; ++i) requests_[i].buffer = first + static_cast<std::uint64_t>(i) * each;
  }
  FileQueues(const FileQueues&) = delete;
  FileQueues& operator=(const FileQueues&) = delete;

  // Memory of the queues of a worker.
  static std::uint64_t num_bytes(std::uint64_t buffer_bytes) {
    return 2 * (buffer_bytes + ReadFile::buffer_bytes(buffer_bytes)) + ReadFile::kPage;
  }

  // The queue filled so far becomes the one to read; what has not been read of the other is not wanted.
  void swap() {
    for (; num_asked_ > 0; --num_asked_, oldest_ = 1 - oldest_) {
      if (!requests_[oldest_].is_done) wait();
    }
    asked_ = next_begin_;
    end_of_file_ = next_end_;
    next_begin_ = next_end_;
    std::swap(ends_[0], ends_[1]);
    ends_[1].clear();
    at_ = at_end_ = 0;
    ask();
    ask();
  }
  Source source() { return this; }
  Sink sink() { return this; }

  double seconds_waited() const { return seconds_waited_; }

 private:
  void write(const Code* codes, std::size_t count) {
    std::vector<Code>& end = ends_[1];
    while (count > 0) {
      const std::size_t taken = std::min<std::size_t>(count, buffer_bytes_ / sizeof(Code) - end.size());
      end.insert(end.end(), codes, codes + taken);
      codes += taken;
      count -= taken;
      if (end.size() * sizeof(Code) < buffer_bytes_) continue;
      file_->write(next_end_, end.data(), buffer_bytes_);
      next_end_ += buffer_bytes_;
      end.clear();
    }
  }

  void read(Code* to, std::size_t count) {
    while (count > 0) {
      const std::size_t taken = num_asked_ > 0 ? read_file(to, count) : read_end(to, count);
      to += taken;
      count -= taken;
    }
  }
  std::size_t read_file(Code* to, std::size_t count) {
    ReadAhead::Request& request = requests_[oldest_];
    if (at_ == 0) wait();
    const std::uint64_t taken = std::min<std::uint64_t>(count * sizeof(Code), request.size - at_);
    std::memcpy(to, request.data + at_, taken);
    at_ += taken;
    if (at_ == request.size) {
      at_ = 0;
      --num_asked_;
      oldest_ = 1 - oldest_;
      ask();
    }
    return taken / sizeof(Code);
  }
  std::size_t read_end(Code* to, std::size_t count) {
    const std::size_t taken = std::min(count, ends_[0].size() - at_end_);
    if (taken == 0) throw Error("a queue was read beyond its end");
    std::copy_n(ends_[0].data() + at_end_, taken, to);
    at_end_ += taken;
    return taken;
  }

  // Has the next part of the file read, if there is one, into the buffer that is free.
  void ask() {
    if (asked_ == end_of_file_ || num_asked_ == 2) return;
    ReadAhead::Request& request = requests_[(oldest_ + num_asked_) % 2];
    request.start = asked_;
    request.size = std::min(end_of_file_ - asked_, buffer_bytes_);
    asked_ += request.size;
    ++num_asked_;
    reads_.ask(&request);
  }
  void wait() {
    const Clock::time_point begin = Clock::now();
    const bool is_there = reads_.wait(&requests_[oldest_], stopped_);
    seconds_waited_ += seconds_since(begin);
    if (!is_there) throw Cancelled();
  }

  detail::TemporaryFile* file_;
  std::function<bool()> stopped_;
  std::uint64_t buffer_bytes_;
  std::unique_ptr<std::uint8_t[], FreePages> memory_;
  ReadAhead::Request requests_[2];
  int oldest_ = 0, num_asked_ = 0;             // of the requests
  std::uint64_t at_ = 0;                       // bytes taken of the oldest
  std::uint64_t asked_ = 0, end_of_file_ = 0;  // of the queue that is read
  std::uint64_t next_begin_, next_end_;        // of the queue that is written
  std::vector<Code> ends_[2];                  // of the queue that is read, and of the one that is written
  std::size_t at_end_ = 0;
  double seconds_waited_ = 0;
  ReadAhead reads_;  // ends before what it reads into
};

}  // namespace local_store
}  // namespace gaspipe
