// SPDX-License-Identifier: Apache-2.0
// nbr_prop_rdr (NbrPropRdr): the sets of the vertices that come, and requests for the neighbors' properties, which an
// array of T along the edges has. It is vertex_reader without a root, and nbr_set_reader, about properties.
#pragma once

#include "hls/block/nbr_set_reader.h"
#include "hls/block/vertex_reader.h"

namespace gaspipe {
namespace block {

inline void nbr_prop_rdr_req(stream<VertexToken>& in, stream<MemReq>& row_requests, stream<VertexToken>& out) {
  GASPIPE_PRAGMA(HLS INLINE);
  vertex_reader(kNoVertex, in, row_requests, out);
}
template <class T>
void nbr_prop_rdr(stream<VertexToken>& in, stream<RowLine>& rows, stream<MemReq>& requests, stream<SetMeta>& sets) {
  GASPIPE_PRAGMA(HLS INLINE);
  nbr_set_reader<T>(in, rows, requests, sets);
}

}  // namespace block
}  // namespace gaspipe
