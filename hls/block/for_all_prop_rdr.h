// SPDX-License-Identifier: Apache-2.0
// for_all_prop_rdr (ForAllPropRdr): the sets of all vertices, in their order, and requests for what the sets have in an
// array along the edges (of T). Vertices without a set are passed over. The last offset of a line of rows is carried
// over to the next, so rows are read once, in order.
//
//   for_all_prop_rdr_req --rows--> [memory] --> for_all_prop_rdr --requests, sets-->
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// Lines of n + 1 offsets, `group` lines a request (GraphOps: 8 bursts).
template <std::uint32_t group = 8>
void for_all_prop_rdr_req(VertexId num_vertices, stream<MemReq>& row_requests) {
  const std::uint64_t num_lines = num_vertices == 0 ? 0 : line_of<EdgeCount>(num_vertices) + 1;
  for (std::uint64_t first = 0; first < num_lines; first += group) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
    MemReq request;
    request.first = first;
    request.num = num_lines - first < group ? num_lines - first : std::uint64_t(group);
    request.end = false;
    write_to_stream(row_requests, request);
  }
  write_to_stream(row_requests, end_of_requests());
}

// A vertex every `throttle` cycles (GraphOps: a power of 2), and so a request at most.
template <class T, int throttle = 1>
void for_all_prop_rdr(VertexId num_vertices, stream<RowLine>& rows, stream<MemReq>& requests, stream<SetMeta>& sets) {
  static_assert(throttle >= 1, "cycles from a vertex to the next");
  EdgeCount first = 0;
  RowLine line;
  const std::uint64_t num_offsets = num_vertices == 0 ? 0 : std::uint64_t(num_vertices) + 1;
  for (std::uint64_t i = 0; i < num_offsets; ++i) {
    GASPIPE_PIPELINE(throttle);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16777216);
    if (i % RowLine::kSize == 0) read_from_stream(rows, line);
    const EdgeCount last = line.lane[i % RowLine::kSize];
    if (i != 0 && first < last) {
      SetMeta meta;
      meta.owner = static_cast<VertexId>(i - 1);
      meta.first = first;
      meta.last = last;
      meta.end = false;
      write_to_stream(requests, lines_of<T>(first, last));
      write_to_stream(sets, meta);
    }
    first = last;
  }
  write_to_stream(requests, end_of_requests());
  write_to_stream(sets, end_of_sets());
}

}  // namespace block
}  // namespace gaspipe
