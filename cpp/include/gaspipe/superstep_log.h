// SPDX-License-Identifier: Apache-2.0
// What the super-steps of a run did: totals over all, and the records of the first and the last ones. A run of millions
// of super-steps keeps a few megabytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaspipe/abi.h"

namespace gaspipe {

class SuperstepLog {
 public:
  static constexpr std::size_t kKept = 1 << 15;  // at the start of the run, and as many at its end

  struct Record : abi::Superstep {
    std::uint64_t step;  // from 0
  };

  void add(const abi::Superstep& superstep) {
    const Record record{superstep, size_++};
    edges_ += superstep.edges;
    for (int phase = 0; phase < abi::kNumStepPhases; ++phase) seconds_[phase] += superstep.seconds[phase];
    if (first_.size() < kKept) {
      first_.push_back(record);
    } else if (last_.size() < kKept) {
      last_.push_back(record);
    } else {
      last_[oldest_] = record;
      oldest_ = (oldest_ + 1) % kKept;
    }
  }

  // What another domain did in the same super-steps: counts become sums, seconds those of the slower domain.
  void join(const SuperstepLog& other) {
    edges_ += other.edges_;
    slower(seconds_, other.seconds_);
    join(first_, other.first_);
    join(last_, other.last_);
  }

  // Of all super-steps.
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t edges() const { return edges_; }
  double seconds(abi::Phase phase) const { return seconds_[phase]; }
  // In order.
  std::vector<Record> records() const {
    std::vector<Record> all(first_);
    all.insert(all.end(), last_.begin() + oldest_, last_.end());
    all.insert(all.end(), last_.begin(), last_.begin() + oldest_);
    return all;
  }
  // There is one.
  const Record& back() const {
    if (last_.empty()) return first_.back();
    return last_[oldest_ == 0 ? last_.size() - 1 : oldest_ - 1];
  }

 private:
  static void slower(double* seconds, const double* other) {
    for (int phase = 0; phase < abi::kNumStepPhases; ++phase) seconds[phase] = std::max(seconds[phase], other[phase]);
  }
  static void join(std::vector<Record>& records, const std::vector<Record>& other) {
    for (std::size_t i = 0; i < std::min(records.size(), other.size()); ++i) {
      records[i].active_vertices += other[i].active_vertices;
      records[i].edges += other[i].edges;
      slower(records[i].seconds, other[i].seconds);
    }
  }

  std::uint64_t size_ = 0, edges_ = 0;
  double seconds_[abi::kNumStepPhases] = {};
  std::vector<Record> first_, last_;
  std::size_t oldest_ = 0;  // of last_, once it is full
};

}  // namespace gaspipe
