// SPDX-License-Identifier: Apache-2.0
// hls/kernel/graphops_<name>.h for the emulator, and the same without streams: the blocks' leaf functions in loops over
// vertices and their sets. Without clocks no beats are counted, and a set is written with each vertex once, in order.
#pragma once

#include <algorithm>
#include <vector>

#include "gaspipe/engine/emulation.h"
#include "hls/kernel/graphops_bfs.h"
#include "hls/kernel/graphops_bfs.ports.h"
#include "hls/kernel/graphops_conductance.h"
#include "hls/kernel/graphops_conductance.ports.h"
#include "hls/kernel/graphops_pagerank.h"
#include "hls/kernel/graphops_pagerank.ports.h"
#include "hls/kernel/graphops_replicate.h"
#include "hls/kernel/graphops_replicate.ports.h"
#include "hls/kernel/graphops_spmv.h"
#include "hls/kernel/graphops_spmv.ports.h"
#include "hls/kernel/graphops_sssp.h"
#include "hls/kernel/graphops_sssp.ports.h"
#include "hls/kernel/graphops_vertex_cover.h"
#include "hls/kernel/graphops_vertex_cover.ports.h"

namespace gaspipe {
namespace engine {
namespace graphops {

using Ends = Word<std::uint64_t>;

// An array in lines, element by element.
template <class T>
T& element(Word<T>* lines, std::uint64_t i) {
  return lines[i / Word<T>::kSize].lane[i % Word<T>::kSize];
}
template <class T>
const T& element(const Word<T>* lines, std::uint64_t i) {
  return lines[i / Word<T>::kSize].lane[i % Word<T>::kSize];
}
inline block::SetMeta set_of(const Word<std::uint64_t>* offsets, VertexId v) {
  return {v, element(offsets, v), element(offsets, std::uint64_t(v) + 1), false};
}
// Writes the last words, as end_collect does.
inline void end(Ends* ends, const std::vector<std::uint64_t>& words) {
  for (std::size_t i = 0; i < words.size() + 2; ++i) {
    element(ends, i) = i == 0 ? block::kAllEnded : i == 1 ? (1u << words.size()) - 1 : words[i - 2];
  }
}

// A gathered value for every vertex with a set, in the order of nbr_prop_red. `reduce(cursor)`: of a line.
template <class Op, class P, class Reduce>
void gather_all(const Word<std::uint64_t>* offsets, VertexId num_vertices, Word<typename Op::Value>* updated,
                const Reduce& reduce) {
  const block::Args args = {};
  for (VertexId v = 0; v < num_vertices; ++v) {
    const block::SetMeta meta = set_of(offsets, v);
    if (meta.first >= meta.last) continue;
    block::SetReduction<Op, P> set;
    block::VertexProperty<typename Op::Value> result;
    set.cursor.start(meta);
    while (!set.take(reduce(meta, set.cursor, args), args, result)) continue;
    element(updated, v) = result.value;
  }
}

// The vertices of a set in memory, or its root.
inline std::vector<VertexId> active_vertices(const Word<std::uint64_t>* set, std::uint32_t num_groups, VertexId root,
                                             std::uint32_t lanes_per_line) {
  std::vector<VertexId> vertices;
  if (root != kNoVertex) vertices.push_back(root);
  for (std::uint32_t i = 0; i < num_groups; ++i) {
    const block::GroupMask group = block::unpack_group(element(set, i));
    for (std::uint32_t lane = 0; lane < lanes_per_line; ++lane) {
      if ((group.lanes >> lane & 1) != 0) vertices.push_back(group.line * lanes_per_line + lane);
    }
  }
  return vertices;
}
// Writes vertices as a set; returns its groups.
template <class P>
std::uint64_t write_set(std::vector<VertexId>& vertices, Word<std::uint64_t>* set) {
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  std::uint64_t num = 0;
  std::uint32_t line = 0;
  for (VertexId v : vertices) {
    const std::uint32_t of = v / Word<P>::kSize, lane = 1u << v % Word<P>::kSize;
    if (num == 0 || of != line) element(set, num++) = std::uint64_t(of) << 32;
    line = of;
    element(set, num - 1) |= lane;
  }
  return num;
}

// The updates of vertices' edges, into `updated`. `keep(v, e, update)`: whether edge e of v has one.
template <class Hooks, class Keep>
void improve_all(const std::vector<VertexId>& vertices, const Word<std::uint64_t>* offsets,
                 const Word<VertexId>* targets, Word<typename Hooks::Property>* updated, Word<std::uint64_t>* next_set,
                 Ends* ends, const Keep& keep) {
  std::vector<VertexId> changed;
  for (VertexId v : vertices) {
    const block::SetMeta set = set_of(offsets, v);
    for (EdgeCount e = set.first; e < set.last; ++e) {
      typename Hooks::Property update;
      if (!keep(v, e, update)) continue;
      const VertexId target = element(targets, e);
      auto& held = element(updated, target);
      const auto value = gaspipe::graphops::GatherUpdates<Hooks>::update(held, update);
      if (value != held) changed.push_back(target);
      held = value;
    }
  }
  const std::uint64_t num_groups = write_set<typename Hooks::Property>(changed, next_set);
  end(ends, {num_groups, changed.size()});
}

}  // namespace graphops

template <class Hooks>
struct GraphopsPagerank {
  static constexpr const char* kName = "graphops_pagerank";
  static constexpr auto& kPorts = kernel::graphops_pagerank::kPorts;
  static constexpr Each kInstances = kernel::graphops_pagerank::kInstances;
  static constexpr int kAux = 0;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;

  static void run(const Arguments& a) {
    graphops_pagerank<Hooks>(a.buffer<const Word<std::uint64_t>>("offsets"), a.buffer<const Word<Property>>("replicas"),
                             a.buffer<const Word<Value>>("gathered"), a.buffer<Word<Value>>("updated"),
                             a.buffer<Word<std::uint64_t>>("ends"), a.scalar("num_vertices"));
  }
  static void fast(const Arguments& a) {
    using Op = gaspipe::graphops::GatherNeighbors<Hooks>;
    const auto* replicas = a.buffer<const Word<Property>>("replicas");
    graphops::gather_all<Op, Property>(
        a.buffer<const Word<std::uint64_t>>("offsets"), a.scalar("num_vertices"), a.buffer<Word<Value>>("updated"),
        [&](const block::SetMeta&, const block::SetCursor<Property>& cursor, const block::Args& args) {
          const std::uint64_t line = cursor.element(0) / Word<Property>::kSize;
          return block::reduce_line<Op>(replicas[line], cursor.lanes(), args);
        });
    graphops::end(a.buffer<Word<std::uint64_t>>("ends"), {0, 0, 0, 0});
  }
};

template <class Hooks>
struct GraphopsSpmv {
  static constexpr const char* kName = "graphops_spmv";
  static constexpr auto& kPorts = kernel::graphops_spmv::kPorts;
  static constexpr Each kInstances = kernel::graphops_spmv::kInstances;
  static constexpr int kAux = 0;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;

  static void run(const Arguments& a) {
    graphops_spmv<Hooks>(a.buffer<const Word<std::uint64_t>>("offsets"), a.buffer<const Word<Property>>("replicas"),
                         a.buffer<const Word<Weight>>("weights"), a.buffer<const Word<Value>>("gathered"),
                         a.buffer<Word<Value>>("updated"), a.buffer<Word<std::uint64_t>>("ends"),
                         a.scalar("num_vertices"));
  }
  static void fast(const Arguments& a) {
    using Op = gaspipe::graphops::GatherNeighbors<Hooks>;
    const auto* replicas = a.buffer<const Word<Property>>("replicas");
    const auto* weights = a.buffer<const Word<Weight>>("weights");
    graphops::gather_all<Op, Property>(
        a.buffer<const Word<std::uint64_t>>("offsets"), a.scalar("num_vertices"), a.buffer<Word<Value>>("updated"),
        [&](const block::SetMeta&, const block::SetCursor<Property>& cursor, const block::Args& args) {
          const std::uint64_t line = cursor.element(0) / Word<Property>::kSize;
          return block::reduce_line<Op>(replicas[line], weights[line], cursor.lanes(), args);
        });
    graphops::end(a.buffer<Word<std::uint64_t>>("ends"), {0, 0, 0, 0, 0});
  }
};

template <class Hooks>
struct GraphopsBfs {
  static constexpr const char* kName = "graphops_bfs";
  static constexpr auto& kPorts = kernel::graphops_bfs::kPorts;
  static constexpr Each kInstances = kernel::graphops_bfs::kInstances;
  static constexpr int kAux = 0;
  using Property = typename Hooks::Property;
  using Lines = Word<Property>;

  static void run(const Arguments& a) {
    graphops_bfs<Hooks>(a.buffer<const Word<std::uint64_t>>("set"), a.buffer<const Word<std::uint64_t>>("offsets"),
                        a.buffer<const Word<VertexId>>("targets"), a.buffer<const Lines>("replicas"),
                        a.buffer<const Lines>("properties"), a.buffer<Lines>("updated"),
                        a.buffer<Word<std::uint64_t>>("next_set"), a.buffer<Word<std::uint64_t>>("ends"),
                        a.scalar("num_groups"), a.scalar("root"), a.scalar("level"), a.scalar("num_vertices"));
  }
  static void fast(const Arguments& a) {
    using Filter = gaspipe::graphops::ImproveNeighbors<Hooks>;
    const auto* replicas = a.buffer<const Lines>("replicas");
    const block::Args args = {{a.scalar("level"), 0}};
    graphops::improve_all<Hooks>(graphops::active_vertices(a.buffer<const Word<std::uint64_t>>("set"),
                                                           a.scalar("num_groups"), a.scalar("root"), Lines::kSize),
                                 a.buffer<const Word<std::uint64_t>>("offsets"),
                                 a.buffer<const Word<VertexId>>("targets"), a.buffer<Lines>("updated"),
                                 a.buffer<Word<std::uint64_t>>("next_set"), a.buffer<Word<std::uint64_t>>("ends"),
                                 [&](VertexId, EdgeCount e, Property& update) {
                                   return Filter::keep(graphops::element(replicas, e), args, update);
                                 });
  }
};

template <class Hooks>
struct GraphopsSssp {
  static constexpr const char* kName = "graphops_sssp";
  static constexpr auto& kPorts = kernel::graphops_sssp::kPorts;
  static constexpr Each kInstances = kernel::graphops_sssp::kInstances;
  static constexpr int kAux = 0;
  using Property = typename Hooks::Property;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Lines = Word<Property>;

  static void run(const Arguments& a) {
    graphops_sssp<Hooks>(a.buffer<const Word<std::uint64_t>>("set"), a.buffer<const Word<std::uint64_t>>("offsets"),
                         a.buffer<const Word<VertexId>>("targets"), a.buffer<const Lines>("replicas"),
                         a.buffer<const Word<Weight>>("weights"), a.buffer<const Lines>("owners"),
                         a.buffer<const Lines>("properties"), a.buffer<Lines>("updated"),
                         a.buffer<Word<std::uint64_t>>("next_set"), a.buffer<Word<std::uint64_t>>("ends"),
                         a.scalar("num_groups"), a.scalar("root"));
  }
  static void fast(const Arguments& a) {
    using Filter = gaspipe::graphops::ImproveNeighbors<Hooks>;
    const auto* replicas = a.buffer<const Lines>("replicas");
    const auto* owners = a.buffer<const Lines>("owners");
    const auto* weights = a.buffer<const Word<Weight>>("weights");
    const block::Args args = {};
    graphops::improve_all<Hooks>(graphops::active_vertices(a.buffer<const Word<std::uint64_t>>("set"),
                                                           a.scalar("num_groups"), a.scalar("root"), Lines::kSize),
                                 a.buffer<const Word<std::uint64_t>>("offsets"),
                                 a.buffer<const Word<VertexId>>("targets"), a.buffer<Lines>("updated"),
                                 a.buffer<Word<std::uint64_t>>("next_set"), a.buffer<Word<std::uint64_t>>("ends"),
                                 [&](VertexId v, EdgeCount e, Property& update) {
                                   return Filter::keep(graphops::element(owners, v), graphops::element(replicas, e),
                                                       graphops::element(weights, e), args, update);
                                 });
  }
};

template <class Hooks>
struct GraphopsReplicate {
  static constexpr const char* kName = "graphops_replicate";
  static constexpr auto& kPorts = kernel::graphops_replicate::kPorts;
  static constexpr Each kInstances = kernel::graphops_replicate::kInstances;
  static constexpr int kAux = 0;
  using Property = typename Hooks::Property;

  static void run(const Arguments& a) {
    graphops_replicate<Hooks>(a.buffer<const Word<VertexId>>("targets"), a.buffer<const Word<Property>>("properties"),
                              a.buffer<Word<Property>>("replicas"), a.buffer<Word<std::uint64_t>>("ends"),
                              a.scalar("num_lines"));
  }
  static void fast(const Arguments& a) {
    const auto* targets = a.buffer<const Word<VertexId>>("targets");
    for (std::uint64_t e = 0; e < std::uint64_t(a.scalar("num_lines")) * Word<VertexId>::kSize; ++e) {
      const VertexId target = graphops::element(targets, e);
      graphops::element(a.buffer<Word<Property>>("replicas"), e) =
          target == kNoVertex
              ? Property()
              : Hooks::preprocessProperty(graphops::element(a.buffer<const Word<Property>>("properties"), target));
    }
    graphops::end(a.buffer<Word<std::uint64_t>>("ends"), {0, 0, 0});
  }
};

struct GraphopsConductance {
  static constexpr const char* kName = "graphops_conductance";
  static constexpr auto& kPorts = kernel::graphops_conductance::kPorts;
  static constexpr Each kInstances = kernel::graphops_conductance::kInstances;
  static constexpr int kAux = 0;

  static void run(const Arguments& a) {
    graphops_conductance<std::uint32_t>(a.buffer<const Word<std::uint32_t>>("properties"),
                                        a.buffer<const Word<std::uint64_t>>("offsets"),
                                        a.buffer<const Word<std::uint32_t>>("replicas"),
                                        a.buffer<Word<std::uint64_t>>("ends"), a.scalar("num_vertices"));
  }
  static void fast(const Arguments& a) {
    using Members = gaspipe::graphops::Members;
    const auto* properties = a.buffer<const Word<std::uint32_t>>("properties");
    const auto* replicas = a.buffer<const Word<std::uint32_t>>("replicas");
    const block::Args args = {};
    std::uint64_t sums[2] = {};
    block::Winner winner;
    for (VertexId v = 0; v < a.scalar("num_vertices"); ++v) {
      const std::uint32_t property = graphops::element(properties, v);
      const bool is_member = Members::is_member(property, args);
      sums[is_member ? 0 : 1] += Members::value(property, args);
      const block::SetMeta set = graphops::set_of(a.buffer<const Word<std::uint64_t>>("offsets"), v);
      if (!is_member || set.first >= set.last) continue;
      block::SetCursor<std::uint32_t> cursor;
      for (cursor.start(set); cursor.has_line(); cursor.next()) {
        winner = block::better<true>(winner, block::winner_of_line<gaspipe::graphops::CountOthers>(
                                                 replicas[cursor.element(0) / 16], cursor, args));
      }
    }
    graphops::end(a.buffer<Word<std::uint64_t>>("ends"),
                  {winner.value, winner.num, winner.edge, winner.owner, sums[0], sums[1], 0, 0, 0});
  }
};

struct GraphopsVertexCover {
  static constexpr const char* kName = "graphops_vertex_cover";
  static constexpr auto& kPorts = kernel::graphops_vertex_cover::kPorts;
  static constexpr Each kInstances = kernel::graphops_vertex_cover::kInstances;
  static constexpr int kAux = 0;

  static void run(const Arguments& a) {
    graphops_vertex_cover<std::uint64_t>(a.buffer<const Word<std::uint64_t>>("offsets"),
                                         a.buffer<const Word<std::uint64_t>>("elements"),
                                         a.buffer<Word<std::uint64_t>>("ends"), a.scalar("num_vertices"));
  }
  static void fast(const Arguments& a) {
    const auto* elements = a.buffer<const Word<std::uint64_t>>("elements");
    const block::Args args = {};
    block::Winner winner;
    for (VertexId v = 0; v < a.scalar("num_vertices"); ++v) {
      const block::SetMeta set = graphops::set_of(a.buffer<const Word<std::uint64_t>>("offsets"), v);
      if (set.first >= set.last) continue;
      block::SetCursor<std::uint64_t> cursor;
      for (cursor.start(set); cursor.has_line(); cursor.next()) {
        winner = block::better<false>(winner, block::winner_of_line<gaspipe::graphops::UncoveredDegrees>(
                                                  elements[cursor.element(0) / 8], cursor, args));
      }
    }
    graphops::end(a.buffer<Word<std::uint64_t>>("ends"), {winner.value, winner.num, winner.edge, winner.owner, 0, 0});
  }
};

// By the name of the algorithm, for the build.
namespace graphops {
namespace pagerank {
template <class Hooks>
using Kernel = GraphopsPagerank<Hooks>;
}
namespace spmv {
template <class Hooks>
using Kernel = GraphopsSpmv<Hooks>;
}
namespace bfs {
template <class Hooks>
using Kernel = GraphopsBfs<Hooks>;
}
namespace sssp {
template <class Hooks>
using Kernel = GraphopsSssp<Hooks>;
}
}  // namespace graphops

}  // namespace engine
}  // namespace gaspipe
