// SPDX-License-Identifier: Apache-2.0
// Loops over the edges of a frontier. A push walks the out-edges of its vertices; a pull walks the in-edges of the
// vertices that are still open, and looks their other ends up in the frontier; a gather walks all in-edges of all
// vertices. Each makes the next frontier.
//
// A functor says what an edge does. Every chunk of a loop has its own copy, so that what it counts stays in registers:
//
//   Source source(VertexId v)                        once per vertex that is pushed
//   bool update(Source, Edge)                        true: the edge's destination joins the next frontier
//   bool update_atomic(Source, Edge)                 the same beside other threads
//   bool update_branchless(Source, Edge)             the same alone, without a branch; only if kBranchless
//   static constexpr bool kBranchless
//   void prefetch(VertexId v)                        optional: fetches what update() reads of a destination
//
//   bool is_open(VertexId v)                         of pulls: false: no edge changes v any more
//   Pulled pull(VertexId v, Edge)                    of pulls: an edge into v, from a vertex of the frontier
//
//   void begin(VertexId v)                           of gathers: before the edges into v
//   void gather(Edge, bool is_in_front)              of gathers: an edge into v, and whether its source is of the
//                                                    frontier: the branch on that would often be unpredictable
//   void end(VertexId v)                             of gathers: after them
//
//   void finish(int worker)                          after a chunk
//
// Method: J. Shun, G. Blelloch, "Ligra", PPoPP 2013, doi:10.1145/2442516.2442530 (the interface); S. Beamer,
// K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012, doi:10.1109/SC.2012.50 (pulls).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "gaspipe/engine/frontier.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/engine/shares.h"
#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

constexpr std::uint64_t kPushGrain = 64;    // vertices a thread takes at once
constexpr std::uint64_t kGatherGrain = 32;  // words of a bitmap

struct PushPolicy {
  EdgeCount most_edges_alone;  // a frontier with fewer is pushed by one thread: waking the others would take longer
  bool is_branchless = false;  // such a frontier, where hits are unpredictable
  std::uint64_t grain = kPushGrain;
};

enum class Push { kAlone, kBranchless, kAtomic };

template <class Functor, class = void>
struct Prefetches : std::false_type {};
template <class Functor>
struct Prefetches<Functor, std::void_t<decltype(std::declval<const Functor&>().prefetch(VertexId()))>>
    : std::true_type {};

// Whether to fetch what the last edge of a row reads of its destination. Of an ascending row it is the edge whose other
// end has least likely been looked at, on a grid the only one. In web crawls, whose rows are longer, it gains nothing.
template <class Functor, class AnyRows>
bool prefetches_last(const AnyRows& rows) {
  return Prefetches<Functor>::value && rows.num_edges() / kEdgesOfLongRows < rows.num_vertices();
}

// Along the out-edges of vertices[first, last), of which there are `size`; `next` takes the vertices that are hit.
template <Push how, class AnyRows, class Functor, class Next>
void push_rows(const AnyRows rows, const VertexId* vertices, std::uint64_t first, std::uint64_t last,
               std::uint64_t size, Functor& functor, Next& next) {
  const bool fetches_last = prefetches_last<Functor>(rows);
  for (std::uint64_t i = first; i < last; ++i) {
    if (i + kRowsAhead < size) rows.prefetch_row(vertices[i + kRowsAhead]);
    if constexpr (Prefetches<Functor>::value) {
      if (fetches_last && i + kRowsAhead / 2 < size) {
        const auto row = rows[vertices[i + kRowsAhead / 2]];
        if (row.size() > 0) functor.prefetch(rows.edge(row.last_edge() - 1).neighbor());
      }
    }
    const auto source = functor.source(vertices[i]);
    for (const auto edge : rows[vertices[i]]) {
      if constexpr (how == Push::kBranchless) {
        next.add_if(functor.update_branchless(source, edge), edge.neighbor());
      } else if constexpr (how == Push::kAtomic) {
        if (functor.update_atomic(source, edge)) next.add(edge.neighbor());
      } else {
        if (functor.update(source, edge)) next.add(edge.neighbor());
      }
    }
  }
}

// Adds through a worker's buffer. The degrees of its vertices are read when it is full.
template <class AnyRows>
struct Buffered {
  const AnyRows& rows;
  Frontier& frontier;
  Frontier::Part& part;

  void add(VertexId v) {
    rows.prefetch_degree(v);
    frontier.add(v, part);
  }
  void add_if(bool is_added, VertexId v) { frontier.add_if(is_added, v, part); }
};

// By one thread: vertices [first, last) of `from`. Without branches, vertices go through the buffer: added to the
// queue, they get a branch again (GCC 12). So do those of a frontier that is not small, whose degrees are not in the
// cache any more when they are counted.
template <Push how, class AnyRows, class Functor>
void push_alone(const AnyRows& rows, const Frontier& from, std::uint64_t first, std::uint64_t last, Frontier& to,
                int worker, const Functor& functor, bool is_small) {
  Functor own(functor);
  if (how == Push::kBranchless || !is_small) {
    Buffered<AnyRows> next{rows, to, to.part(worker)};
    push_rows<how>(rows, from.begin(), first, last, from.size(), own, next);
  } else if constexpr (how != Push::kBranchless) {
    Frontier::Tail next(to);
    push_rows<how>(rows, from.begin(), first, last, from.size(), own, next);
  }
  own.finish(worker);
}

// Pushes `from`, a queue of few edges, outside of the workers.
template <class AnyRows, class Functor>
void push_small(const AnyRows& rows, const Frontier& from, Frontier& to, const Functor& functor,
                const PushPolicy& policy) {
  to.clear();
  if constexpr (Functor::kBranchless) {
    if (policy.is_branchless) {
      push_alone<Push::kBranchless>(rows, from, 0, from.size(), to, 0, functor, true);
      return to.collect();
    }
  }
  push_alone<Push::kAlone>(rows, from, 0, from.size(), to, 0, functor, true);
}

template <class AnyRows, class Functor>
void push_shared(Workers& workers, const AnyRows& rows, const Frontier& from, Frontier& to, const Functor& functor,
                 std::uint64_t grain) {
  const VertexId* const vertices = from.begin();
  const std::uint64_t size = from.size();
  std::vector<Share> shares = shares_of(size, workers.size());
  workers.each(shares.size(), 1, [&](std::uint64_t, std::uint64_t, int worker) {
    Functor own(functor);
    Buffered<AnyRows> next{rows, to, to.part(worker)};
    const auto push = [&](std::uint64_t first, std::uint64_t last) {
      push_rows<Push::kAtomic>(rows, vertices, first, last, size, own, next);
    };
    for (std::size_t i = 0; i < shares.size(); ++i) {
      shares[(worker + i) % shares.size()].take(workers, worker, grain, push);
    }
    own.finish(worker);
  });
}

// Pushes `from`, a queue; `to` becomes the queue of the vertices that are hit.
template <class AnyRows, class Functor>
void edge_map(Workers& workers, const AnyRows& rows, const Frontier& from, Frontier& to, const Functor& functor,
              const PushPolicy& policy) {
  to.clear();
  const bool is_small = from.edges() <= policy.most_edges_alone;
  if (!is_small && workers.size() > 1) {
    push_shared(workers, rows, from, to, functor, policy.grain);
  } else {
    const std::uint64_t grain = workers.size() == 1 ? kVertexGrain : from.size();
    workers.each(from.size(), grain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      if constexpr (Functor::kBranchless) {
        if (is_small && policy.is_branchless) {
          return push_alone<Push::kBranchless>(rows, from, first, last, to, worker, functor, is_small);
        }
      }
      push_alone<Push::kAlone>(rows, from, first, last, to, worker, functor, is_small);
    });
  }
  to.collect();
}

// What an edge from the frontier did to the vertex that pulls: nothing; it need not look at more edges; it joins the
// next frontier.
enum class Pulled { kNothing, kEnough, kJoins };

// Vertices that a pull may still change, of 0 to num_vertices - 1; those behind them, a domain's ghosts, do not pull.
// The first pull finds them.
struct OpenVertices {
  explicit OpenVertices(VertexId the_num_vertices) : num_vertices(the_num_vertices) {}

  const VertexId num_vertices;
  Bitmap bits;
  bool are_found = false;
};

// Along v's in-edges up to the first that does something; adds the edges to `num_edges`.
template <class AnyRows, class Functor>
Pulled pull_row(const AnyRows& in_edges, VertexId v, const Bitmap& front, Functor& functor, EdgeCount& num_edges) {
  const auto row = in_edges[v];
  for (const auto edge : row) {
    if (!front.get(edge.neighbor())) continue;
    const Pulled pulled = functor.pull(v, edge);
    if (pulled == Pulled::kNothing) continue;
    num_edges += edge.index() + 1 - row.first_edge();
    return pulled;
  }
  num_edges += row.size();
  return Pulled::kNothing;
}

// Pulls from `from`, a bitmap; `to` becomes the bitmap of the vertices that are hit. Returns the edges looked at.
template <class AnyRows, class Functor>
EdgeCount edge_map_pull(Workers& workers, const AnyRows& in_edges, const Frontier& from, Frontier& to,
                        OpenVertices& open, const Functor& functor) {
  if (!open.are_found) open.bits = Bitmap(open.num_vertices);
  to.start_bitmap();
  const Bitmap& front = from.bits();
  Bitmap& next = to.bits();
  next.clear_words(open.bits.num_words(), next.num_words());
  std::uint64_t size = 0;
  EdgeCount num_edges = 0;
  workers.each(open.bits.num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Functor own(functor);
    const VertexId* const first_neighbors = in_edges.first_targets();
    if (!open.are_found) {
      open.bits.assign_words(first, last, [&](VertexId v) {
        return own.is_open(v) &&
               (first_neighbors != nullptr ? first_neighbors[v] != kNoVertex : in_edges.degree(v) > 0);
      });
    }
    next.clear_words(first, last);
    // Listed first: their rows can be fetched ahead.
    VertexId waiting[kWordGrain * Bitmap::kWordBits];
    std::uint32_t num_waiting = 0;
    open.bits.each_in_words(first, last, [&](VertexId v) { waiting[num_waiting++] = v; });
    std::uint64_t joined = 0;
    EdgeCount looked_at = 0;
    if (first_neighbors != nullptr) {
      // Many need no more than their first neighbor: their rows are not fetched.
      std::uint32_t num_left = 0;
      for (std::uint32_t i = 0; i < num_waiting; ++i) {
        const VertexId v = waiting[i];
        const bool may_pull = front.get(first_neighbors[v]) && own.is_open(v);
        const Pulled pulled = may_pull ? own.pull(v, in_edges.first_edge(v)) : Pulled::kNothing;
        if (pulled == Pulled::kNothing) {
          waiting[num_left++] = v;
          continue;
        }
        ++looked_at;
        if (pulled == Pulled::kEnough) continue;
        open.bits.clear(v);
        next.set(v);
        ++joined;
      }
      num_waiting = num_left;
    }
    for (std::uint32_t i = 0; i < num_waiting; ++i) {
      if (i + kRowsAhead < num_waiting) in_edges.prefetch_row(waiting[i + kRowsAhead]);
      const VertexId v = waiting[i];
      if (!own.is_open(v)) {  // a push has closed it meanwhile
        open.bits.clear(v);
      } else if (pull_row(in_edges, v, front, own, looked_at) == Pulled::kJoins) {
        open.bits.clear(v);
        next.set(v);
        ++joined;
      }
    }
    own.finish(worker);
    __atomic_fetch_add(&size, joined, __ATOMIC_RELAXED);
    __atomic_fetch_add(&num_edges, looked_at, __ATOMIC_RELAXED);
  });
  open.are_found = true;
  to.set_bitmap_size(size);
  return num_edges;
}

// All vertices gather, whatever they hold, from the vertices of `front`, or from all where it is null; `to` becomes the
// bitmap of those with such an edge. A vertex's edges come in the order of its row.
template <class AnyRows, class Functor>
void edge_map_gather(Workers& workers, const AnyRows& in_edges, const Bitmap* front, Frontier& to,
                     const Functor& functor) {
  to.start_bitmap();
  Bitmap& next = to.bits();
  std::uint64_t size = 0;
  workers.each(next.num_words(), kGatherGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Functor own(functor);
    std::uint64_t num_hit = 0;
    const auto gather = [&](VertexId v, const auto& is_in_front) {
      bool is_hit = false;
      own.begin(v);
      for (const auto edge : in_edges[v]) {
        const bool is_active = is_in_front(edge.neighbor());
        is_hit |= is_active;
        own.gather(edge, is_active);
      }
      own.end(v);
      num_hit += is_hit;
      return is_hit;
    };
    if (front == nullptr) {
      next.assign_words(first, last, [&](VertexId v) { return gather(v, [](VertexId) { return true; }); });
    } else {
      next.assign_words(first, last, [&](VertexId v) { return gather(v, [&](VertexId u) { return front->get(u); }); });
    }
    own.finish(worker);
    __atomic_fetch_add(&size, num_hit, __ATOMIC_RELAXED);
  });
  to.set_bitmap_size(size);
}

}  // namespace engine
}  // namespace gaspipe
