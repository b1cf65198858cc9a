// SPDX-License-Identifier: Apache-2.0
// set_writer (SetWriter): groups of vertices as a set in memory, from its first line on, as set_reader reads it. The
// rest of the last line is filled with groups of no vertices; of an empty set nothing is written.
#pragma once

#include "hls/block/set_reader.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// `num_groups` and `num_vertices` get how many there were. A vertex that comes twice is written, and counted, twice.
inline void set_writer(stream<GroupMask>& in, stream<MemReq>& requests, stream<GroupLine>& lines,
                       stream<FinalWord>& num_groups, stream<FinalWord>& num_vertices) {
  GroupLine line = {};
  MemReq request;
  request.first = 0;
  request.num = 1;
  request.end = false;
  FinalWord groups = 0, vertices = 0;
  GroupMask group;
  group.end = false;
  std::uint32_t lane = 0;
  while (!group.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, group);
    for (std::uint32_t i = 0; i < GroupLine::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i == lane || (lane == 0 && i > 0)) line.lane[i] = i == lane && !group.end ? pack_group(group) : 0;
    }
    const bool is_full = !group.end && lane == GroupLine::kSize - 1;
    if (is_full || (group.end && lane != 0)) {
      write_to_stream(requests, request);
      write_to_stream(lines, line);
      ++request.first;
    }
    if (!group.end) {
      ++groups;
      vertices += num_lanes(group.lanes);
      lane = is_full ? 0 : lane + 1;
    }
  }
  write_to_stream(requests, end_of_requests());
  write_to_stream(num_groups, groups);
  write_to_stream(num_vertices, vertices);
}

}  // namespace block
}  // namespace gaspipe
