// SPDX-License-Identifier: Apache-2.0
// Frontier programs: loops over sets of vertices, for algorithms that six hooks cannot say.
//
//   struct Bfs {
//     int gather(int level, EdgeCount, NoValue&) { return level + 1; }      over an edge out of the set
//     int reduce(int a, int b) { return std::min(a, b); }                   of what edges bring to a vertex
//     bool cond(int level, int, VertexId) { return level < 0; }             of a vertex that they reach
//     void update(int& level, int accumulator) { level = accumulator; }
//   };
//   FrontierEngine<int, NoValue, int> engine(/*default_accumulator=*/kMax);
//   engine.readGraph(graph);
//   engine.vertexMap(VertexSubset(n, true), [](int& level, int) { level = -1; });
//   VertexSubset front(n, root), reached;
//   engine.vertexMap(front, [](int& level, int) { level = 0; });
//   while (!front.empty()) {
//     engine.edgeFilter(reached, front, Bfs());
//     engine.vertexFilter(front, reached, Bfs());
//   }
//
// The calls, of which frontier/functor.h says what a functor F offers:
//
//   edgeFilter(dst, src, F)         every accumulator becomes the default; then over every edge out of src the value
//                                   gathered is reduced into the accumulator of its destination; dst becomes the set of
//                                   the destinations
//   edgeMap(src, F)                 the same without dst
//   vertexFilter(dst, src, F)       updates the vertices of src for which cond holds, which dst becomes
//   vertexMap(src, F)               F(value, accumulator) of every vertex of src
//   edgeVertexFilter(dst, src, F)   edgeFilter, then vertexFilter of what it reached; in one pass where F declares
//                                   kFinalOnceSet, and accumulators are undefined then
//   vertexReduce([src,] identity, map, reduce)   of map(value), or map(value, id), of all vertices or those of src
//   vertexTransform(F)              F(id, value) of every vertex, in ascending order of the ids
//
// dst and src may be the same set. getWorkqueueSize() is the size of the last dst.
//
// gather may write the edge's value, which belongs to the engine: the graph stays as it is. An accumulator whose reduce
// does not depend on the order, such as a sum of integers, is the same for any number of threads. A floating-point sum
// is so where the set is pulled, for a vertex then adds in the order of its in-edges. With Direction::kPull every set
// is pulled. With kAuto a set is where edges have no values and it has more than a third of all edges, and where it is
// the set of all vertices and gather takes the edge's value as a constant. All others are pushed: threads add in any
// order.
//
// Errors: InputError for a call before readGraph and for a set of another size than the graph. After Cancelled, or what
// a functor throws, the engine can be used again: values are those of an unfinished call, accumulators the default, and
// dst is empty, or src as it was where the two are the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "gaspipe/frontier/loops.h"
#include "gaspipe/frontier/source.h"
#include "gaspipe/frontier/threads.h"
#include "gaspipe/graph.h"
#include "gaspipe/read_graph.h"
#include "gaspipe/rows.h"

namespace gaspipe {

using frontier::NoValue;

// Values are plain structs: VertexValue{} at first. EdgeValue is an empty struct where edges have none; 32-bit and
// 64-bit numbers start as the graph's weights, 1 without weights, all others as EdgeValue{}. The default accumulator is
// the identity of F's reduce.
template <class VertexValue, class EdgeValue, class AccumValue>
class FrontierEngine : public frontier::Loops<VertexValue, EdgeValue, AccumValue> {
  using Loops = frontier::Loops<VertexValue, EdgeValue, AccumValue>;

 public:
  explicit FrontierEngine(const AccumValue& default_accumulator, const FrontierOptions& options = {})
      : Loops(default_accumulator, options), threads_(options.num_threads, options.interrupted) {}

  // Shares the graph. InputError where a weight does not fit EdgeValue. What the engine held before is gone, unless
  // this throws.
  void readGraph(const Graph& graph) {
    auto edge_values = read_weights(*graph.csr());
    auto source = std::make_unique<frontier::Source>(graph, threads_);
    this->attach({table_of(*graph.csr()), source.get(), frontier::Source::in_edges}, threads_.host(),
                 std::move(edge_values));
    source_ = std::move(source);
    this->log(LogLevel::kInfo,
              [&] { return message("readGraph: ", graph.num_vertices(), " vertices, ", graph.num_edges(), " edges"); });
  }
  // Reads a file. Answers do not depend on `num_parts`, which Olive divides among devices: here one process holds all.
  void readGraph(const std::string& path, int num_parts = 1, GraphFile format = GraphFile::kEdgeList) {
    if (num_parts < 1) throw InputError(message("readGraph: ", num_parts, " parts; use 1 or more"));
    readGraph(Graph(read_graph(path, format, threads_.workers())));
  }

 private:
  engine::Block<EdgeValue> read_weights(const Csr& csr) {
    if constexpr (std::is_empty_v<EdgeValue>) {
      return {};
    } else {
      auto values = engine::make_block<EdgeValue>(csr.num_edges());
      if (kWeightType != abi::kNone && csr.is_weighted()) {
        const Array<std::uint8_t> weights = convert_weights(csr, kWeightType, threads_.workers());
        if (weights.size() > 0) std::memcpy(static_cast<void*>(values.get()), weights.data(), weights.size());
      } else {
        std::fill_n(values.get(), csr.num_edges(), unit());
      }
      return values;
    }
  }
  // The element type of the library that is EdgeValue's; kNone: weights are not taken.
  static constexpr abi::Scalar kWeightType = [] {
    if (sizeof(EdgeValue) != 4 && sizeof(EdgeValue) != 8) return abi::kNone;
    const bool is_short = sizeof(EdgeValue) == 4;
    if (std::is_floating_point_v<EdgeValue>) return is_short ? abi::kFloat32 : abi::kFloat64;
    if (!std::is_integral_v<EdgeValue>) return abi::kNone;
    if (std::is_signed_v<EdgeValue>) return is_short ? abi::kInt32 : abi::kInt64;
    return is_short ? abi::kUint32 : abi::kUint64;
  }();
  static EdgeValue unit() {
    if constexpr (kWeightType != abi::kNone) return EdgeValue(1);
    return EdgeValue{};
  }

  frontier::Threads threads_;
  std::unique_ptr<frontier::Source> source_;
};

// The name that the engine has in its seed.
template <class VertexValue, class EdgeValue, class AccumValue>
using Olive = FrontierEngine<VertexValue, EdgeValue, AccumValue>;

}  // namespace gaspipe
