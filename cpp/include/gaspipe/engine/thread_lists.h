// SPDX-License-Identifier: Apache-2.0
// A frontier of some hundred to some thousand edges, for a run of super-steps that several threads push. A thread keeps
// what it hits in a list of its own and pushes it in the next super-step, when its rows and what they lead to are still
// in the cache of its core; it takes from others' lists once its own is done. On grids and road networks nearly all
// frontiers are like that, and pushed through the one queue of frontier.h they would gain nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gaspipe/engine/edge_map.h"
#include "gaspipe/engine/shares.h"

namespace gaspipe {
namespace engine {

class ThreadLists {
 public:
  // Of frontiers of at most `most_edges` edges, and of as many vertices.
  explicit ThreadLists(EdgeCount most_edges) : most_edges_(most_edges) {}

  std::uint64_t size() const { return size_; }
  EdgeCount edges() const { return edges_; }

  // The frontier is this queue, in `num_lists` lists.
  void start(const Frontier& frontier, int num_lists) {
    while (static_cast<int>(lists_.size()) < num_lists) lists_.emplace_back(most_edges_);
    num_lists_ = num_lists;
    edges_ = frontier.edges();
    const std::uint64_t size = frontier.size();
    const auto count = static_cast<std::uint64_t>(num_lists);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t first = size * i / count, last = size * (i + 1) / count;
      lists_[i].hit = std::copy(frontier.begin() + first, frontier.begin() + last, lists_[i].next.get());
    }
    turn();
  }
  // Pushes it along `rows`; what is hit becomes the frontier.
  template <class AnyRows, class Functor>
  void push(Workers& workers, const AnyRows& rows, const Functor& functor) {
    workers.each(num_lists_, 1, [&](std::uint64_t own, std::uint64_t, int worker) {
      List& list = lists_[own];
      Functor copy(functor);
      Hits next{list.next.get()};
      for (int i = 0; i < num_lists_; ++i) {
        List& from = lists_[(own + i) % num_lists_];
        from.share.take(workers, worker, kPushGrain, [&](std::uint64_t first, std::uint64_t last) {
          push_rows<Push::kAtomic>(rows, from.front.get(), first, last, from.share.last, copy, next);
        });
      }
      copy.finish(static_cast<int>(own));
      EdgeCount edges = 0;
      for (const VertexId* v = list.next.get(); v != next.end; ++v) edges += rows.degree(*v);
      list.edges = edges;
      list.hit = next.end;
    });
    turn();
    edges_ = 0;
    for (int i = 0; i < num_lists_; ++i) edges_ += lists_[i].edges;
  }
  // `frontier` becomes this one, as a queue.
  void finish(Frontier& frontier) const {
    frontier.clear();
    for (int i = 0; i < num_lists_; ++i) frontier.append(lists_[i].front.get(), lists_[i].share.last);
  }

 private:
  struct Hits {
    VertexId* end;
    void add(VertexId v) { *end++ = v; }
  };
  struct alignas(64) List {
    // One thread may take all edges of a super-step, and hit a vertex with each of them.
    explicit List(EdgeCount most_edges) : front(new VertexId[most_edges]), next(new VertexId[most_edges]) {}

    std::unique_ptr<VertexId[]> front, next;
    Share share;              // of front
    VertexId* hit = nullptr;  // the end of next
    EdgeCount edges = 0;      // of those in next
  };

  // What was hit is the frontier from now on.
  void turn() {
    size_ = 0;
    for (int i = 0; i < num_lists_; ++i) {
      List& list = lists_[i];
      const auto size = static_cast<std::uint64_t>(list.hit - list.next.get());
      list.share = {0, size};
      std::swap(list.front, list.next);
      list.hit = list.next.get();
      size_ += size;
    }
  }

  const EdgeCount most_edges_;
  int num_lists_ = 0;
  std::vector<List> lists_;
  std::uint64_t size_ = 0;
  EdgeCount edges_ = 0;
};

}  // namespace engine
}  // namespace gaspipe
