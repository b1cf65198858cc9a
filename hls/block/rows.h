// SPDX-License-Identifier: Apache-2.0
// Rows of a graph in memory, as all readers of sets have them: offsets[v] and offsets[v + 1], eight of 64 bits a line.
#pragma once

#include "hls/block/types.h"

namespace gaspipe {
namespace block {

// The line with both offsets of a vertex; two lines where the vertex is the last of its line.
inline MemReq row_request(VertexId vertex) {
  GASPIPE_PRAGMA(HLS INLINE);
  MemReq request;
  request.first = line_of<EdgeCount>(vertex);
  request.num = vertex % RowLine::kSize == RowLine::kSize - 1 ? 2 : 1;
  request.end = false;
  return request;
}

// Puts a vertex's set together from its lines.
struct RowReader {
  VertexId vertex = 0;
  EdgeCount first = 0;
  bool waits = false;  // for the second line

  // Another line of the vertex's: whether the set is complete. A set may be empty: then first == last.
  bool take(const RowLine& line, SetMeta& meta) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t lane = vertex % RowLine::kSize;
    const bool is_split = lane == RowLine::kSize - 1;
    const bool complete = waits || !is_split;
    meta.owner = vertex;
    meta.first = waits ? first : line.lane[lane];
    meta.last = waits ? line.lane[0] : line.lane[is_split ? lane : lane + 1];
    meta.end = false;
    first = meta.first;
    waits = !complete;
    return complete;
  }
};

}  // namespace block
}  // namespace gaspipe
