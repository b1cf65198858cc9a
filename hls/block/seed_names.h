// SPDX-License-Identifier: Apache-2.0
// The data blocks by the names of their headers and by GraphOps' own, for reports and for chains that are put together
// by name; and GraphOps' names of the control and utility blocks.
#pragma once

#include "hls/block/all_node_prop_red.h"
#include "hls/block/elem_update.h"
#include "hls/block/end_collect.h"
#include "hls/block/for_all_prop_rdr.h"
#include "hls/block/glob_nbr_red.h"
#include "hls/block/mem_unit.h"
#include "hls/block/nbr_prop_filter.h"
#include "hls/block/nbr_prop_rdr.h"
#include "hls/block/nbr_prop_red.h"
#include "hls/block/nbr_set_reader.h"
#include "hls/block/round_robin.h"
#include "hls/block/set_reader.h"
#include "hls/block/set_writer.h"
#include "hls/block/vertex_reader.h"

namespace gaspipe {
namespace block {

struct BlockName {
  const char *name, *seed_name;
};
constexpr BlockName kDataBlocks[] = {
    {"for_all_prop_rdr", "ForAllPropRdr"}, {"nbr_prop_red", "NbrPropRed"},
    {"elem_update", "ElemUpdate"},         {"all_node_prop_red", "AllNodePropRed"},
    {"nbr_prop_rdr", "NbrPropRdr"},        {"set_reader", "SetReader"},
    {"set_writer", "SetWriter"},           {"nbr_prop_filter", "NbrPropFilter"},
    {"glob_nbr_red", "GlobNbrRed"},        {"vertex_reader", "VertexReader"},
    {"nbr_set_reader", "NbrSetReader"},
};

// Data blocks, called by GraphOps' names.
template <class T, class... Streams>
void ForAllPropRdr(VertexId num_vertices, Streams &...streams) {
  for_all_prop_rdr<T>(num_vertices, streams...);
}
template <class P, class Op, class... Streams>
void NbrPropRed(std::uint32_t arg_0, std::uint32_t arg_1, Streams &...streams) {
  nbr_prop_red<P, Op>(arg_0, arg_1, streams...);
}
template <class P, class Policy, class... Streams>
void ElemUpdate(Streams &...streams) {
  elem_update<P, Policy>(streams...);
}
template <class P, class Op, class... Streams>
void AllNodePropRed(VertexId num_vertices, std::uint32_t arg_0, std::uint32_t arg_1, Streams &...streams) {
  all_node_prop_red<P, Op>(num_vertices, arg_0, arg_1, streams...);
}
template <class T, class... Streams>
void NbrPropRdr(Streams &...streams) {
  nbr_prop_rdr<T>(streams...);
}
template <class P, class... Streams>
void SetReader(std::uint32_t num_groups, Streams &...streams) {
  set_reader<P>(num_groups, streams...);
}
template <class... Streams>
void SetWriter(Streams &...streams) {
  set_writer(streams...);
}
template <class P, class Filter, class... Streams>
void NbrPropFilter(std::uint32_t arg_0, std::uint32_t arg_1, Streams &...streams) {
  nbr_prop_filter<P, Filter>(arg_0, arg_1, streams...);
}
template <class P, class Op, class... Streams>
void GlobNbrRed(std::uint32_t arg_0, std::uint32_t arg_1, Streams &...streams) {
  glob_nbr_red<P, Op>(arg_0, arg_1, streams...);
}
template <class... Streams>
void VertexReader(VertexId root, Streams &...streams) {
  vertex_reader(root, streams...);
}
template <class T, class... Streams>
void NbrSetReader(Streams &...streams) {
  nbr_set_reader<T>(streams...);
}

// Control and utility blocks.
template <class T>
using QRdrPktCntSM = SetCursor<T>;
template <class P, class Policy>
using UpdQueueSM = SeqCoalescer<P, Policy>;
template <class P, class Policy>
using CoalesceSM = BestEffortCoalescer<P, Policy>;
template <int num>
using FifoKernelSM = RoundRobin<num>;

}  // namespace block
}  // namespace gaspipe
