// SPDX-License-Identifier: Apache-2.0
// all_node_prop_red (AllNodePropRed): reads the properties of all vertices, sends those that are members, and has two
// sums: of a value over the members, and over the others. `Op` is a struct with
//
//   static bool is_member(P property, Args)
//   static std::uint64_t value(P property, Args)
//
//   all_node_prop_red_req --properties--> [memory] --> all_node_prop_red --members, sums-->
#pragma once

#include "hls/block/reduce.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// Lines of n properties of P, `group` lines a request.
template <class P, std::uint32_t group = 8>
void all_node_prop_red_req(VertexId num_vertices, stream<MemReq>& requests) {
  const std::uint64_t num_lines = num_vertices == 0 ? 0 : line_of<P>(num_vertices - 1) + 1;
  for (std::uint64_t first = 0; first < num_lines; first += group) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
    MemReq request;
    request.first = first;
    request.num = num_lines - first < group ? num_lines - first : std::uint64_t(group);
    request.end = false;
    write_to_stream(requests, request);
  }
  write_to_stream(requests, end_of_requests());
}

struct Sum64 {
  static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a + b; }
};

// A line takes a cycle, or one for each of its members.
template <class P, class Op>
void all_node_prop_red(VertexId num_vertices, std::uint32_t arg_0, std::uint32_t arg_1, stream<Line<P>>& properties,
                       stream<VertexToken>& members, stream<FinalWord>& of_members, stream<FinalWord>& of_others) {
  constexpr int kSize = Line<P>::kSize;
  const Args args = {{arg_0, arg_1}};
  std::uint64_t sum_in = 0, sum_out = 0;
  std::uint64_t next = 0;  // first vertex of the next line
  std::uint32_t left = 0;  // members of the line that are still to be sent
  VertexToken token;
  token.end = false;
  while (next < num_vertices || left != 0) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16777216);
    if (left == 0) {
      Line<P> line;
      read_from_stream(properties, line);
      std::uint64_t in[kSize], out[kSize];
      for (int i = 0; i < kSize; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const bool is_vertex = next + i < num_vertices, is_member = Op::is_member(line.lane[i], args);
        const std::uint64_t value = Op::value(line.lane[i], args);
        in[i] = is_vertex && is_member ? value : 0;
        out[i] = is_vertex && !is_member ? value : 0;
        if (is_vertex && is_member) left |= 1u << i;
      }
      sum_in += reduce_lanes<Sum64>(in);
      sum_out += reduce_lanes<Sum64>(out);
      next += kSize;
    }
    if (left != 0) {
      token.vertex = static_cast<VertexId>(next - kSize) + lowest_lane(left);
      write_to_stream(members, token);
    }
    left &= left - 1;
  }
  token.vertex = kNoVertex;
  token.end = true;
  write_to_stream(members, token);
  write_to_stream(of_members, FinalWord(sum_in));
  write_to_stream(of_others, FinalWord(sum_out));
}

}  // namespace block
}  // namespace gaspipe
