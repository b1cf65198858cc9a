// SPDX-License-Identifier: Apache-2.0
// nbr_set_reader (NbrSetReader): the sets of vertices from the lines of their rows, and requests for what the sets have
// in an array of T along the edges: their neighbors, with T = VertexId. Empty sets end here.
#pragma once

#include "hls/block/rows.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

template <class T>
void nbr_set_reader(stream<VertexToken>& in, stream<RowLine>& rows, stream<MemReq>& requests, stream<SetMeta>& sets) {
  RowReader row;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!row.waits) {
      VertexToken token;
      read_from_stream(in, token);
      if (token.end) break;
      row.vertex = token.vertex;
    }
    RowLine line;
    read_from_stream(rows, line);
    SetMeta meta;
    const bool complete = row.take(line, meta);
    if (complete && meta.first < meta.last) {
      write_to_stream(requests, lines_of<T>(meta.first, meta.last));
      write_to_stream(sets, meta);
    }
  }
  write_to_stream(requests, end_of_requests());
  write_to_stream(sets, end_of_sets());
}

}  // namespace block
}  // namespace gaspipe
