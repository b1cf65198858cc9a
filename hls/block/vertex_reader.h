// SPDX-License-Identifier: Apache-2.0
// vertex_reader (VertexReader): asks for the rows of vertices that come, or of a root that starts a search, and hands
// the vertices on to nbr_set_reader.
#pragma once

#include "hls/block/rows.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// `root` comes before all others; kNoVertex: there is none.
inline void vertex_reader(VertexId root, stream<VertexToken>& in, stream<MemReq>& row_requests,
                          stream<VertexToken>& out) {
  VertexToken token;
  token.vertex = root;
  token.end = false;
  bool is_root = root != kNoVertex;
  while (!token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!is_root) read_from_stream(in, token);
    is_root = false;
    write_to_stream(row_requests, token.end ? end_of_requests() : row_request(token.vertex));
    write_to_stream(out, token);
  }
}

}  // namespace block
}  // namespace gaspipe
