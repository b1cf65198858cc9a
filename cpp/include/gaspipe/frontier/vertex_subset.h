// SPDX-License-Identifier: Apache-2.0
// A set of vertices: a queue of their ids, or a bitmap. Either form is the same set, and engines change the form as
// their loops need it. Not for two threads at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "gaspipe/engine/frontier.h"
#include "gaspipe/error.h"

namespace gaspipe {

namespace frontier {
template <class VertexValue, class EdgeValue, class AccumValue>
class Loops;
}

class VertexSubset {
 public:
  // Of no graph. As the destination of a call it gets the engine's.
  VertexSubset() : VertexSubset(0) {}
  // Of vertices 0 to capacity - 1: an empty queue.
  explicit VertexSubset(VertexId capacity) : frontier_(capacity), capacity_(capacity) {}
  // An empty or a full bitmap. Of bools only: (n, 1) is the set of vertex 1.
  template <class Bool, std::enable_if_t<std::is_same_v<Bool, bool>, int> = 0>
  VertexSubset(VertexId capacity, Bool universal) : VertexSubset(capacity) {
    frontier_.start_bitmap();
    if (universal) {
      frontier_.bits().fill();
      frontier_.set_bitmap_size(capacity);
    } else {
      frontier_.bits().clear();
    }
  }
  // A queue of one vertex, or of several. InputError where one is not below the capacity.
  VertexSubset(VertexId capacity, std::int64_t vertex) : VertexSubset(capacity) { assign(&vertex, &vertex + 1); }
  VertexSubset(VertexId capacity, const std::vector<VertexId>& vertices) : VertexSubset(capacity) {
    std::vector<VertexId> once(vertices);
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    assign(once.data(), once.data() + once.size());
  }

  VertexId capacity() const { return capacity_; }
  std::uint64_t size() const { return frontier_.size(); }
  bool empty() const { return size() == 0; }
  bool is_bitmap() const { return frontier_.is_bitmap(); }
  // Searches a queue.
  bool contains(VertexId v) const {
    if (v >= capacity_) return false;
    if (is_bitmap()) return frontier_.bits().get(v);
    return std::find(frontier_.begin(), frontier_.end(), v) != frontier_.end();
  }
  // In ascending order.
  std::vector<VertexId> vertices() const {
    std::vector<VertexId> all;
    all.reserve(size());
    if (is_bitmap()) {
      const auto add = [&](VertexId v) { all.push_back(v); };
      frontier_.bits().each_in_words(0, frontier_.bits().num_words(), add);
    } else {
      all.assign(frontier_.begin(), frontier_.end());
      std::sort(all.begin(), all.end());
    }
    return all;
  }

  // Becomes empty, in the same form.
  void clear() {
    release();
    if (is_bitmap()) {
      frontier_.start_bitmap();
      frontier_.bits().clear();
    } else {
      frontier_.clear();
    }
  }
  void to_bitmap() {
    if (is_bitmap()) return;
    release();
    const std::uint64_t number = size();
    frontier_.start_bitmap();
    frontier_.bits().clear();
    for (std::uint64_t i = 0; i < number; ++i) frontier_.bits().set(frontier_.begin()[i]);
    frontier_.set_bitmap_size(number);
  }
  void to_queue() {
    if (!is_bitmap()) return;
    release();
    frontier_.clear();
    engine::Frontier::Tail queue(frontier_);
    frontier_.bits().each_in_words(0, frontier_.bits().num_words(), [&](VertexId v) { queue.add(v); });
  }
  // One line, as in "queue of 2 vertices below 9: 3 5".
  void print(std::ostream& out) const {
    out << (is_bitmap() ? "bitmap" : "queue") << " of " << size() << (size() == 1 ? " vertex" : " vertices")
        << " below " << capacity_ << ':';
    for (const VertexId v : vertices()) out << ' ' << v;
    out << '\n';
  }

 private:
  template <class VertexValue, class EdgeValue, class AccumValue>
  friend class frontier::Loops;

  template <class Id>
  void assign(const Id* first, const Id* last) {
    frontier_.clear();
    engine::Frontier::Tail queue(frontier_);
    for (; first != last; ++first) {
      if (*first < 0 || *first >= std::int64_t(capacity_)) {
        throw InputError(message("vertex ", *first, " is not in a set of ", capacity_, " vertices; ",
                                 capacity_ == 0 ? std::string("give the set the graph's number of vertices")
                                                : message("use 0 to ", capacity_ - 1)));
      }
      queue.add(static_cast<VertexId>(*first));
    }
  }

  // Of loops with this graph and these workers from now on. Its edges are counted once.
  engine::Frontier& bind(const std::shared_ptr<const abi::Csr>& graph, int num_workers) const {
    if (graph_ != graph) {
      frontier_.bind(graph.get(), num_workers);
      graph_ = graph;
      round_ = 0;
    }
    return frontier_;
  }
  // Of no graph: what follows may outlive the engine.
  void release() {
    frontier_.bind(nullptr, 0);
    graph_.reset();
    round_ = 0;
  }

  mutable engine::Frontier frontier_;
  VertexId capacity_;
  mutable std::shared_ptr<const abi::Csr> graph_;
  mutable std::uint64_t round_ = 0;  // the engine's call that made it, where the next may go on from there
};

}  // namespace gaspipe
