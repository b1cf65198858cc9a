// SPDX-License-Identifier: Apache-2.0
// The vertices that can be reached from one, by all threads: pushed along the edges out of those that are new, or
// pulled by those that are not reached yet, from any that is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "gaspipe/array.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

class Reachable {
 public:
  // Vertices with a nonzero `done` are not entered.
  Reachable(std::uint64_t num_vertices, const std::uint8_t* done, Workers& workers)
      : n_(num_vertices), done_(done), workers_(workers), marks_(num_vertices), order_(num_vertices) {
    workers_.each(n_, kVertices, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(marks_.data() + first, marks_.data() + last, std::uint8_t(0));
    });
  }

  bool has(std::uint64_t v) const { return marks_[v] != 0; }

  template <class Out, class In>
  void run(VertexId start, const Out& out, const In& in) {
    constexpr EdgeCount kShareToPull = 20;
    marks_[start] = 1;
    order_[0] = start;
    size_ = 1;
    bool pulls = false;
    for (std::uint64_t first = 0; first < size_.load();) {
      const std::uint64_t last = size_;
      if (last - first > n_ / 64) {
        std::atomic<EdgeCount> edges{0};
        workers_.each(last - first, kVertices, [&](std::uint64_t begin, std::uint64_t end, int) {
          EdgeCount sum = 0;
          for (std::uint64_t i = begin; i < end; ++i) sum += out.degree(order_[first + i]);
          edges += sum;
        });
        pulls = edges > out.num_edges() / kShareToPull;
      } else {
        pulls = false;
      }
      if (pulls) {
        pull(in);
      } else {
        push(out, first, last);
      }
      first = last;
    }
  }

 private:
  static constexpr std::uint64_t kVertices = 1 << 13, kPushed = 1 << 8;

  // What a chunk has found, until there is enough for the list of all.
  class Found {
   public:
    explicit Found(Reachable& all) : all_(all) {}
    ~Found() { flush(); }
    void add(VertexId v) {
      kept_[size_++] = v;
      if (size_ == kMost) flush();
    }

   private:
    static constexpr std::uint64_t kMost = 128;
    void flush() {
      const std::uint64_t place = all_.size_.fetch_add(size_, std::memory_order_relaxed);
      std::copy(kept_, kept_ + size_, all_.order_.data() + place);
      size_ = 0;
    }
    Reachable& all_;
    VertexId kept_[kMost];
    std::uint64_t size_ = 0;
  };

  bool is_open(VertexId v) const { return __atomic_load_n(&marks_[v], __ATOMIC_RELAXED) == 0 && done_[v] == 0; }

  template <class AnyRows>
  void push(const AnyRows& out, std::uint64_t first, std::uint64_t last) {
    workers_.each(last - first, kPushed, [&](std::uint64_t begin, std::uint64_t end, int) {
      Found found(*this);
      for (std::uint64_t i = begin; i < end; ++i) {
        if (i + engine::kRowsAhead < end) out.prefetch_row(order_[first + i + engine::kRowsAhead]);
        for (const auto edge : out[order_[first + i]]) {
          const VertexId v = edge.neighbor();
          if (is_open(v) && __atomic_exchange_n(&marks_[v], 1, __ATOMIC_RELAXED) == 0) found.add(v);
        }
      }
    });
  }
  template <class AnyRows>
  void pull(const AnyRows& in) {
    workers_.each(n_, kVertices, [&](std::uint64_t begin, std::uint64_t end, int) {
      Found found(*this);
      for (std::uint64_t i = begin; i < end; ++i) {
        const auto v = static_cast<VertexId>(i);
        if (!is_open(v)) continue;
        for (const auto edge : in[v]) {
          if (__atomic_load_n(&marks_[edge.neighbor()], __ATOMIC_RELAXED) == 0) continue;
          __atomic_store_n(&marks_[v], 1, __ATOMIC_RELAXED);
          found.add(v);
          break;
        }
      }
    });
  }

  const std::uint64_t n_;
  const std::uint8_t* const done_;
  Workers& workers_;
  const Writable<std::uint8_t> marks_;
  const Writable<VertexId> order_;
  std::atomic<std::uint64_t> size_{0};
};

}  // namespace algorithm
}  // namespace gaspipe
