// SPDX-License-Identifier: Apache-2.0
// set_reader (SetReader): the vertices of a set in memory, one a cycle. A set is groups of 64 bits, eight a line: the
// line of properties in the upper half, the lanes in the lower.
//
//   set_reader_req --set--> [memory] --> set_reader --vertices-->
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

using GroupLine = Line<std::uint64_t>;

inline std::uint64_t pack_group(const GroupMask& group) {
  GASPIPE_PRAGMA(HLS INLINE);
  return std::uint64_t(group.line) << 32 | group.lanes;
}
inline GroupMask unpack_group(std::uint64_t word) {
  GASPIPE_PRAGMA(HLS INLINE);
  GroupMask group;
  group.line = static_cast<std::uint32_t>(word >> 32);
  group.lanes = static_cast<std::uint32_t>(word);
  group.end = false;
  return group;
}

// Lines of `num_groups` groups, `group` lines a request.
template <std::uint32_t group = 8>
void set_reader_req(std::uint32_t num_groups, stream<MemReq>& requests) {
  const std::uint32_t num_lines = num_groups / GroupLine::kSize + (num_groups % GroupLine::kSize != 0 ? 1 : 0);
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

// Of properties of P. A vertex every `throttle` cycles.
template <class P, int throttle = 1>
void set_reader(std::uint32_t num_groups, stream<GroupLine>& set, stream<VertexToken>& out) {
  static_assert(throttle >= 1, "cycles from a vertex to the next");
  GroupLine line;
  GroupMask group;
  group.lanes = 0;
  std::uint32_t at = 0;
  VertexToken token;
  token.end = false;
  while (at < num_groups || group.lanes != 0) {
    GASPIPE_PIPELINE(throttle);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16777216);
    if (group.lanes == 0) {
      if (at % GroupLine::kSize == 0) read_from_stream(set, line);
      group = unpack_group(line.lane[at % GroupLine::kSize]);
      ++at;
    }
    if (group.lanes != 0) {
      token.vertex = group.line * Line<P>::kSize + lowest_lane(group.lanes);
      write_to_stream(out, token);
    }
    group.lanes &= group.lanes - 1;
  }
  token.vertex = kNoVertex;
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace block
}  // namespace gaspipe
