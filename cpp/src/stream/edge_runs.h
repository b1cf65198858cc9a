// SPDX-License-Identifier: Apache-2.0
// The sorter's work on records of one layout: a key, or a key and the word of a weight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gaspipe/edge_sorter.h"
#include "mapped_array.h"
#include "radix_sort.h"
#include "temporary_file.h"

namespace gaspipe {
namespace detail {

struct BareEdge {
  std::uint64_t key;
};
struct WeightedEdge {
  std::uint64_t key, weight;
};

inline bool comes_before(const BareEdge& a, const BareEdge& b) { return a.key < b.key; }
inline bool comes_before(const WeightedEdge& a, const WeightedEdge& b) {
  return a.key < b.key || (a.key == b.key && a.weight < b.weight);
}

// Integers that turn out to be among reals.
inline void make_real(BareEdge& /*edge*/) {}
inline void make_real(WeightedEdge& edge) {
  edge.weight = sorted_edges::word_of(static_cast<double>(sorted_edges::integer_of(edge.weight)));
}

struct Run {
  std::uint64_t start, num_records;  // start in bytes
  bool is_real;                      // its weights
};

// A run in a merge: a buffer of its next records.
template <class Record>
class RunReader {
 public:
  RunReader(const TemporaryFile& file, const Run& run, std::size_t buffer_records, bool make_reals)
      : file_(&file),
        next_(run.start),
        left_(run.num_records),
        makes_real_(make_reals && !run.is_real),
        buffer_(std::min<std::uint64_t>(buffer_records, run.num_records)) {
    fill();
  }

  bool is_at_end() const { return at_ == end_; }
  const Record& record() const { return buffer_[at_]; }
  void advance() {
    if (++at_ == end_) fill();
  }

 private:
  void fill() {
    at_ = 0;
    end_ = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
    if (end_ == 0) return;
    file_->read(next_, buffer_.data(), end_ * sizeof(Record));
    next_ += end_ * sizeof(Record);
    left_ -= end_;
    if (!makes_real_) return;
    for (std::size_t i = 0; i < end_; ++i) make_real(buffer_[i]);
  }

  const TemporaryFile* file_;
  std::uint64_t next_, left_;
  bool makes_real_;
  std::vector<Record> buffer_;
  std::size_t at_ = 0, end_ = 0;
};

// Many runs as one: a tree of losers (Knuth, 5.4.1).
template <class Record>
class Merge {
 public:
  explicit Merge(std::vector<RunReader<Record>> runs) : runs_(std::move(runs)), losers_(runs_.size()) {
    const std::size_t k = runs_.size();
    std::vector<std::size_t> winners(2 * k);
    for (std::size_t i = 0; i < k; ++i) winners[k + i] = i;
    for (std::size_t node = k - 1; node >= 1; --node) {
      const std::size_t a = winners[2 * node], b = winners[2 * node + 1];
      const bool is_b = beats(b, a);
      winners[node] = is_b ? b : a;
      losers_[node] = is_b ? a : b;
    }
    winner_ = k == 1 ? 0 : winners[1];
  }

  bool is_at_end() const { return runs_[winner_].is_at_end(); }
  const Record& record() const { return runs_[winner_].record(); }
  void advance() {
    runs_[winner_].advance();
    for (std::size_t node = (winner_ + runs_.size()) / 2; node >= 1; node /= 2) {
      if (beats(losers_[node], winner_)) std::swap(losers_[node], winner_);
    }
  }

 private:
  bool beats(std::size_t a, std::size_t b) const {
    if (runs_[a].is_at_end()) return false;
    return runs_[b].is_at_end() || comes_before(runs_[a].record(), runs_[b].record());
  }

  std::vector<RunReader<Record>> runs_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
};

template <class Record>
class EdgeRuns {
 public:
  EdgeRuns(std::string folder, std::uint64_t memory, Workers& workers)
      : workers_(workers), file_(std::move(folder)), capacity_(memory / (2 * sizeof(Record))) {}

  // make(i) is the record of edge i of `count`.
  template <class Make>
  void add(std::uint64_t count, const Make& make) {
    for (std::uint64_t done = 0; done < count;) {
      if (size_ == capacity_) spill();
      const std::uint64_t taken = std::min<std::uint64_t>(count - done, capacity_ - size_);
      reserve(size_ + taken);
      workers_.each(taken, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
        for (std::uint64_t i = first; i < last; ++i) records_[size_ + i] = make(done + i);
      });
      size_ += taken;
      done += taken;
    }
  }

  // Weights so far were integers, those from here on are not.
  void become_real() {
    for (std::size_t i = 0; i < size_; ++i) make_real(records_[i]);
    is_real_ = true;
  }

  std::uint64_t num_spilled() const { return file_.size(); }

  void sort(std::uint64_t memory) {
    if (runs_.empty()) {
      sort_memory();
      scratch_.reset();
      return;
    }
    if (size_ > 0) spill();
    records_.reset();
    scratch_.reset();
    // One buffer is for what a merge writes.
    const std::uint64_t most = std::max<std::uint64_t>(memory / EdgeSorter::kRunBuffer, 3) - 1;
    while (runs_.size() > most) merge_some(std::min<std::uint64_t>(most, runs_.size() - most + 1), memory);
    merge_ = std::make_unique<Merge<Record>>(readers(runs_, memory));
  }

  std::size_t next(Record* records, std::size_t most) {
    std::size_t count = 0;
    if (merge_) {
      for (; count < most && !merge_->is_at_end(); merge_->advance()) records[count++] = merge_->record();
      return count;
    }
    count = std::min(most, size_ - handed_over_);
    std::copy_n(records_.get() + handed_over_, count, records);
    handed_over_ += count;
    return count;
  }

 private:
  static constexpr std::size_t kFirstCapacity = std::size_t(1) << 16;
  static constexpr std::size_t kSlice = std::size_t(8) << 20;     // bytes written between looks for an interrupt
  static constexpr std::uint64_t kPart = std::uint64_t(1) << 16;  // records
  static constexpr std::size_t kMostBuffer = std::size_t(4) << 20;

  void reserve(std::uint64_t wanted) {
    if (wanted <= allocated_) return;
    const std::uint64_t grown = std::min<std::uint64_t>(
        std::max<std::uint64_t>({wanted, 2 * std::uint64_t(allocated_), kFirstCapacity}), capacity_);
    auto more = map_array<Record>(grown);
    std::copy_n(records_.get(), size_, more.get());
    records_ = std::move(more);
    allocated_ = grown;
    scratch_.reset();
  }

  void sort_memory() {
    if (!scratch_) scratch_ = map_array<Record>(allocated_);
    Record* const sorted = radix_sort(records_.get(), scratch_.get(), size_, workers_);
    if (sorted != records_.get()) records_.swap(scratch_);
    if (sizeof(Record) == sizeof(std::uint64_t)) return;
    // Parallel edges by weight, in parts that cut none of them apart.
    std::vector<std::uint64_t> bounds{0};
    while (bounds.back() < size_) {
      std::uint64_t bound = std::min<std::uint64_t>(bounds.back() + kPart, size_);
      while (bound < size_ && records_[bound].key == records_[bound - 1].key) ++bound;
      bounds.push_back(bound);
    }
    workers_.each(bounds.size() - 1, 1, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t part = first; part < last; ++part) sort_parallel_edges(bounds[part], bounds[part + 1]);
    });
  }

  void sort_parallel_edges(std::uint64_t first, std::uint64_t last) {
    while (first < last) {
      std::uint64_t end = first + 1;
      while (end < last && records_[end].key == records_[first].key) ++end;
      if (end - first > 1) {
        std::sort(records_.get() + first, records_.get() + end,
                  [](const Record& a, const Record& b) { return comes_before(a, b); });
      }
      first = end;
    }
  }

  void spill() {
    sort_memory();
    const Run run{file_.size(), size_, is_real_};
    write(records_.get(), size_);
    runs_.push_back(run);
    size_ = 0;
  }

  void write(const Record* records, std::size_t count) {
    constexpr std::size_t kRecords = kSlice / sizeof(Record);
    for (std::size_t first = 0; first < count; first += kRecords) {
      workers_.check();
      file_.append(records + first, std::min(kRecords, count - first) * sizeof(Record));
    }
  }

  std::vector<RunReader<Record>> readers(const std::vector<Run>& runs, std::uint64_t memory) const {
    const std::uint64_t share = memory / (runs.size() + 1);
    const std::size_t buffer = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(share, EdgeSorter::kRunBuffer, kMostBuffer) / sizeof(Record));
    std::vector<RunReader<Record>> made;
    made.reserve(runs.size());
    for (const Run& run : runs) made.emplace_back(file_, run, buffer, is_real_);
    return made;
  }

  // Puts the first `count` runs into one, which becomes the last.
  void merge_some(std::uint64_t count, std::uint64_t memory) {
    const std::vector<Run> taken(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
    Run merged{file_.size(), 0, is_real_};
    Merge<Record> merge(readers(taken, memory));
    std::vector<Record> buffer(EdgeSorter::kRunBuffer / sizeof(Record));
    while (!merge.is_at_end()) {
      workers_.check();
      std::size_t size = 0;
      for (; size < buffer.size() && !merge.is_at_end(); merge.advance()) buffer[size++] = merge.record();
      file_.append(buffer.data(), size * sizeof(Record));
      merged.num_records += size;
    }
    for (const Run& run : taken) file_.release(run.start, run.num_records * sizeof(Record));
    runs_.push_back(merged);
  }

  Workers& workers_;
  TemporaryFile file_;
  const std::uint64_t capacity_;  // records in memory
  MappedArray<Record> records_, scratch_;
  std::size_t allocated_ = 0, size_ = 0, handed_over_ = 0;
  bool is_real_ = false;
  std::vector<Run> runs_;
  std::unique_ptr<Merge<Record>> merge_;
};

}  // namespace detail
}  // namespace gaspipe
