// SPDX-License-Identifier: Apache-2.0
// An accelerator of GraphOps' blocks: for every vertex the average of its neighbors' values, weighted with the
// neighbors' degrees.
//
//   for_all_prop_rdr --sets--> set_req --sets--> nbr_prop_red --(vertex, average)--> elem_update
//     | rows   | values          | degrees         | lines of both                    | averages, read and written
//
// A vertex's neighbors have their values and degrees in arrays along the edges. Each task is a block or a memory unit;
// each stream has one writer and one reader. accelerator.h runs it with a board's memory and clock.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {
namespace example {

struct Average {
  float value, degrees;  // in a sum: the sum of value * degree; the sum of the degrees
  bool operator!=(const Average& other) const { return value != other.value || degrees != other.degrees; }
};

// What nbr_prop_red computes for every set, whose degrees are positive. Adding floats takes 8 cycles.
struct WeightedAverage {
  using Value = Average;
  static constexpr int kCycles = 8;
  static Value identity() { return {0, 0}; }
  static Value map(float value, float degree, const block::Args&) { return {value * degree, degree}; }
  static Value combine(Value a, Value b) { return {a.value + b.value, a.degrees + b.degrees}; }
  static Value finish(Value sum, const block::Args&) { return {sum.value / sum.degrees, sum.degrees}; }
};

// `averages` and `updated` are the same array. Averages of vertices without neighbors stay as they are.
inline void weighted_average(const Word<std::uint64_t>* rows, const Word<float>* values, const Word<float>* degrees,
                             const Word<Average>* averages, Word<Average>* updated, Word<std::uint64_t>* ends,
                             VertexId num_vertices) {
  using namespace block;
  using FloatLine = Line<float>;
  using AverageLine = Line<Average>;
  using NewAverage = VertexProperty<Average>;
  using Entry = LineUpdate<Average>;
  using Policy = Overwrite<Average>;
  using Number = std::uint32_t;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(MemReq, requests, 5, kHopDepth);
  GASPIPE_STREAM(RowLine, row_lines, kAheadDepth);
  GASPIPE_STREAM(SetMeta, all_sets, kHopDepth);
  GASPIPE_STREAM(FloatLine, value_lines, kAheadDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(FloatLine, degree_lines, kAheadDepth);
  GASPIPE_STREAM(NewAverage, found, kHopDepth);
  GASPIPE_STREAMS(Entry, entries, 2, kAckDepth);
  GASPIPE_STREAM(AverageLine, old_lines, kAckDepth);
  GASPIPE_STREAM(AverageLine, new_lines, kHopDepth);
  GASPIPE_STREAM(Number, acks, kAckDepth, kAckDepth);
  GASPIPE_STREAMS(FinalWord, last_words, 5, 2);
  GASPIPE_TASK(for_all_prop_rdr_req(num_vertices, requests[0]));
  GASPIPE_TASK(mem_rd_unit<std::uint64_t>(rows, 1, requests[0], row_lines, last_words[0]));
  GASPIPE_TASK(for_all_prop_rdr<float>(num_vertices, row_lines, requests[1], all_sets));
  GASPIPE_TASK(mem_rd_unit<float>(values, 1, requests[1], value_lines, last_words[1]));
  GASPIPE_TASK(set_req<float>(all_sets, requests[2], sets));
  GASPIPE_TASK(mem_rd_unit<float>(degrees, 1, requests[2], degree_lines, last_words[2]));
  GASPIPE_TASK(nbr_prop_red<float, float, WeightedAverage>(0, 0, sets, value_lines, degree_lines, found));
  GASPIPE_TASK(elem_update_coalesce<Average, SeqCoalescer<Average, Policy>>(found, entries[0]));
  GASPIPE_TASK(elem_update_req<Average, Policy, kAckDepth>(entries[0], acks, requests[3], entries[1]));
  GASPIPE_TASK(mem_rd_unit<Average>(averages, 1, requests[3], old_lines, last_words[3]));
  GASPIPE_TASK(elem_update<Average, Policy>(entries[1], old_lines, requests[4], new_lines));
  GASPIPE_TASK(mem_wr_unit<Average>(updated, 1, requests[4], new_lines, acks, last_words[4]));
  GASPIPE_TASK(end_collect<5>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace example
}  // namespace gaspipe
