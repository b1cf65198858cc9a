// SPDX-License-Identifier: Apache-2.0
// Requests for what sets have in one more array: the first half of the blocks that read properties of sets by
// themselves, nbr_prop_filter and glob_nbr_red, and of chains that read several arrays along the edges. The sets go on.
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// Of an array of T along the edges.
template <class T>
void set_req(stream<SetMeta>& in, stream<MemReq>& requests, stream<SetMeta>& out) {
  SetMeta meta;
  meta.end = false;
  while (!meta.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, meta);
    write_to_stream(requests, meta.end ? end_of_requests() : lines_of<T>(meta.first, meta.last));
    write_to_stream(out, meta);
  }
}

// Of an array of T by vertex: the line with the owner's property.
template <class T>
void owner_req(stream<SetMeta>& in, stream<MemReq>& requests, stream<SetMeta>& out) {
  SetMeta meta;
  meta.end = false;
  while (!meta.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, meta);
    write_to_stream(requests, meta.end ? end_of_requests() : lines_of<T>(meta.owner, EdgeCount(meta.owner) + 1));
    write_to_stream(out, meta);
  }
}

}  // namespace block
}  // namespace gaspipe
