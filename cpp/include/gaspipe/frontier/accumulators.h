// SPDX-License-Identifier: Apache-2.0
// An accumulator per vertex, and marks on those that have received something since the last reset. A reset takes as
// long as there are marks: most frontiers are small.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaspipe/engine/frontier.h"
#include "gaspipe/engine/vertex_map.h"
#include "gaspipe/frontier/change.h"

namespace gaspipe {
namespace frontier {

// The accumulators written since the last reset: none; those of the vertices of hits(); of marks(); any.
enum class Written { kNone, kListed, kMarked, kAll };

template <class AccumValue>
class Accumulators {
 public:
  Accumulators(const abi::Csr& csr, int num_workers, const AccumValue& identity)
      : csr_(csr),
        num_workers_(num_workers),
        identity_(identity),
        values_(engine::make_block<AccumValue>(csr.num_vertices)),
        marks_(csr.num_vertices),
        hits_(csr, num_workers) {
    if constexpr (!kIsWord<AccumValue>) locks_ = Locks(csr.num_vertices);
  }

  const AccumValue& identity() const { return identity_; }
  AccumValue* values() { return values_.get(); }
  const AccumValue* values() const { return values_.get(); }
  const AccumValue& operator[](VertexId v) const { return values_[v]; }

  // The vertices that have received something: the queue that a loop fills, or only the marks.
  engine::Frontier& hits() { return hits_; }
  engine::Bitmap& marks() { return marks_; }

  // All are the identity again.
  void reset(engine::Workers& workers) {
    const bool is_short = hits_.size() < marks_.num_words();
    if (written_ == Written::kAll) {
      workers.each(csr_.num_vertices, engine::kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        std::fill(values_.get() + first, values_.get() + last, identity_);
      });
      marks_.clear();
    } else if (written_ == Written::kListed && is_short && hits_.size() <= engine::kVertexGrain) {
      for (const VertexId v : hits_) values_[v] = identity_, marks_.clear(v);
    } else if (written_ == Written::kListed && is_short) {
      engine::vertex_map(workers, hits_, [&](VertexId v, int) {
        values_[v] = identity_;
        marks_.clear_atomic(v);
      });
    } else if (written_ != Written::kNone) {
      workers.each(marks_.num_words(), engine::kWordGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        marks_.each_in_words(first, last, [&](VertexId v) { values_[v] = identity_; });
        marks_.clear_words(first, last);
      });
    }
    written_ = Written::kNone;
  }
  void set_written(Written written) { written_ = written; }
  // After a loop that was stopped on its way: as after a reset.
  void discard() {
    hits_ = engine::Frontier(csr_, num_workers_);
    std::fill_n(values_.get(), csr_.num_vertices, identity_);
    marks_.clear();
    written_ = Written::kNone;
  }

  // These reduce `received` into v's accumulator. True for the first since the reset.
  template <class F>
  bool add(F& f, VertexId v, const AccumValue& received) {
    values_[v] = f.reduce(values_[v], received);
    return marks_.insert(v);
  }
  template <class F>
  bool add_atomic(F& f, VertexId v, const AccumValue& received) {
    change_atomic(values_.get(), v, locks_, [&](AccumValue& value) {
      value = f.reduce(value, received);
      return true;
    });
    return marks_.set_atomic(v);
  }

 private:
  const abi::Csr& csr_;
  const int num_workers_;
  const AccumValue identity_;
  engine::Block<AccumValue> values_;
  engine::Bitmap marks_;
  engine::Frontier hits_;
  Locks locks_;
  Written written_ = Written::kAll;
};

}  // namespace frontier
}  // namespace gaspipe
