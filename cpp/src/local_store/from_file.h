// SPDX-License-Identifier: Apache-2.0
// Carries out DMA lists of ranges of a file. Whole pages are read, into one I/O buffer while the bytes of the other are
// copied to where they are wanted; what lies close together in a list is one read. Reads are asked for once a list is
// whole, and are under way while the worker computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "cpp/src/clock.h"
#include "gaspipe/engine/pages.h"
#include "gaspipe/error.h"
#include "gaspipe/file_reader.h"
#include "gaspipe/local_store/stored_lists.h"
#include "transfer.h"

namespace gaspipe {
namespace local_store {

class FromFile {
 public:
  // Whatever its checksums, nothing of a file may lead beyond the buffers.
  static constexpr bool kIsChecked = true;
  using Stopped = std::function<bool()>;

  // An I/O buffer has `buffer_bytes`, at least least_buffer(the longest entry), for at most `most_reads` at a time.
  FromFile(const StoredLists& lists, std::uint64_t buffer_bytes, int most_reads, Stopped stopped)
      : lists_(&lists), stopped_(std::move(stopped)), reads_(lists.edges()->file(), most_reads) {
    memory_ = allocate_pages<std::uint8_t>(2 * buffer_bytes + ReadFile::kPage);
    std::uint8_t* at = memory_.get() + (-reinterpret_cast<std::uintptr_t>(memory_.get()) % ReadFile::kPage);
    for (IoBuffer& buffer : buffers_) {
      buffer.memory = at;
      buffer.size = buffer_bytes;
      buffer.reads.resize(
          static_cast<std::size_t>(most_reads));  // that stay where they are: they are asked for by address
      at += buffer_bytes;
    }
  }

  static std::uint64_t least_buffer(std::uint64_t longest_entry) {
    return ReadFile::buffer_bytes(longest_entry + 2 * kListPage);
  }

  // What is under way is not wanted.
  void begin() {
    for (IoBuffer& buffer : buffers_) {
      for (std::size_t i = 0; i < buffer.num_reads; ++i) wait(buffer.reads[i]);
      buffer.num_reads = 0;
    }
    next_ = 0;
    oldest_ = 0;
  }
  void launch(Buffer<const std::uint64_t> list) {
    for (const int i : {oldest_, 1 - oldest_}) {
      if (buffers_[i].num_reads == 0) ask(list, buffers_[i]);
    }
  }
  void advance(Buffer<const std::uint64_t> /*list*/, std::uint64_t /*num_bytes*/) {}
  // Copies the list to `to`; returns where it ends.
  std::uint8_t* finish(Buffer<const std::uint64_t> list, std::uint8_t* to) {
    for (launch(list); buffers_[oldest_].num_reads > 0; oldest_ = 1 - oldest_) {
      to = take(list, buffers_[oldest_], to);
      ask(list, buffers_[oldest_]);
    }
    next_ = 0;
    return to;
  }

  std::uint64_t bytes_read() const { return reads_.bytes_read(); }
  std::uint64_t bytes_from_disk() const { return reads_.bytes_from_disk(); }
  const char* reader() const { return reads_.reader(); }
  double seconds_waited() const { return seconds_waited_; }

 private:
  // Of whole pages, and of the elements [first, last) of the list.
  struct Read {
    ReadAhead::Request request;
    std::uint64_t place = 0, num_bytes = 0;
    std::size_t first = 0, last = 0;
  };
  struct IoBuffer {
    std::uint8_t* memory = nullptr;
    std::uint64_t size = 0;
    std::vector<Read> reads;
    std::size_t num_reads = 0;  // that are under way
  };
  // So much between two elements is read with them: it takes less time than a read of its own.
  static constexpr std::uint64_t kMostGap = 4 * kListPage;

  // Asks for as many of the next elements as the buffer holds.
  void ask(Buffer<const std::uint64_t> list, IoBuffer& buffer) {
    std::uint64_t used = 0;  // by all reads but the last
    buffer.num_reads = 0;
    for (; next_ < list.size; ++next_) {
      const std::uint64_t place = transfer_place(list[next_]), end = place + transfer_bytes(list[next_]);
      if (end > lists_->num_bytes()) lists_->refuse("a vertex code has another length than its list");
      const std::uint64_t first_page = place / kListPage * kListPage;
      const std::uint64_t end_page = std::min((end + kListPage - 1) / kListPage * kListPage, lists_->num_bytes());
      if (buffer.num_reads > 0) {
        Read& last = buffer.reads[buffer.num_reads - 1];
        const std::uint64_t last_end = last.place + last.num_bytes;
        const std::uint64_t joined = std::max(end_page, last_end) - last.place;
        if (first_page >= last.place && first_page <= last_end + kMostGap &&
            used + ReadFile::buffer_bytes(joined) <= buffer.size) {
          last.num_bytes = joined;
          last.last = next_ + 1;
          continue;
        }
        used += ReadFile::buffer_bytes(last.num_bytes);
      }
      const std::uint64_t num_bytes = end_page - first_page;
      if (used + ReadFile::buffer_bytes(num_bytes) > buffer.size || buffer.num_reads == buffer.reads.size()) break;
      Read& read = buffer.reads[buffer.num_reads++];
      read.place = first_page;
      read.num_bytes = num_bytes;
      read.first = next_;
      read.last = next_ + 1;
    }
    std::uint8_t* at = buffer.memory;
    for (std::size_t i = 0; i < buffer.num_reads; ++i) {
      Read& read = buffer.reads[i];
      read.request.start = lists_->first_byte() + read.place;
      read.request.size = read.num_bytes;
      read.request.buffer = at;
      at += ReadFile::buffer_bytes(read.num_bytes);
      reads_.ask(&read.request);
    }
  }

  std::uint8_t* take(Buffer<const std::uint64_t> list, IoBuffer& buffer, std::uint8_t* to) {
    for (std::size_t i = 0; i < buffer.num_reads; ++i) {
      Read& read = buffer.reads[i];
      wait(read);
      lists_->edges()->count_read(read.num_bytes);
      lists_->check(read.place, read.num_bytes, read.request.data);
      for (std::size_t e = read.first; e < read.last; ++e) {
        const std::uint64_t num_bytes = transfer_bytes(list[e]);
        std::memcpy(to, read.request.data + (transfer_place(list[e]) - read.place), num_bytes);
        to += num_bytes;
      }
    }
    buffer.num_reads = 0;
    return to;
  }
  void wait(Read& read) {
    const Clock::time_point begin = Clock::now();
    const bool is_there = reads_.wait(&read.request, stopped_);
    seconds_waited_ += seconds_since(begin);
    if (!is_there) throw Cancelled();
  }

  const StoredLists* lists_;
  Stopped stopped_;
  std::unique_ptr<std::uint8_t[], FreePages> memory_;
  IoBuffer buffers_[2];
  int oldest_ = 0;
  std::size_t next_ = 0;  // element of the list that no read has been asked for
  double seconds_waited_ = 0;
  ReadAhead reads_;  // ends before what it reads into
};

}  // namespace local_store
}  // namespace gaspipe
