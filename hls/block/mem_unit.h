// SPDX-License-Identifier: Apache-2.0
// Memory units: what stands between the requests of blocks and a port of memory, one for every request stream, with a
// counter of the beats that went through (GraphOps' MemUnit). Answers keep the order of a unit's requests; between
// units there is none. The loops are flat, a beat a cycle, and go on while memory answers. `enable` 0: requests are
// taken, and nothing is read or written, as GraphOps switches its units off while the host copies.
#pragma once

#include "hls/block/split_req.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// `lines` are those of the requests, in order; `beats` gets their number at the end.
template <class T>
void mem_rd_unit(const Line<T>* memory, std::uint32_t enable, stream<MemReq>& requests, stream<Line<T>>& lines,
                 stream<FinalWord>& beats) {
  GASPIPE_PORT(AheadRead, port, memory);
  MemReq request;
  request.num = 0;
  FinalWord num = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (request.num == 0) {
      read_from_stream(requests, request);
      if (request.end) break;
      if (enable == 0) request.num = 0;
    }
    if (request.num != 0) {
      GASPIPE_WORD(port, request.first, request.first + request.num);
      write_to_stream(lines, memory[request.first]);
      ++request.first;
      --request.num;
      ++num;
    }
  }
  write_to_stream(beats, num);
}

// Writes the lines of the requests, as they come. A request is acknowledged, by its number, when memory has answered
// the last of its lines; one without lines at once.
template <class T>
void mem_wr_unit(Line<T>* memory, std::uint32_t enable, stream<MemReq>& requests, stream<Line<T>>& lines,
                 stream<std::uint32_t>& acks, stream<FinalWord>& beats) {
  GASPIPE_PORT(AheadWrite, port, memory);
  MemReq request;
  request.num = 0;
  std::uint32_t number = 0;
  FinalWord num = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (request.num == 0) {
      read_from_stream(requests, request);
      if (request.end) break;
    }
    if (request.num != 0) {
      Line<T> line;
      read_from_stream(lines, line);
      if (enable != 0) {
        GASPIPE_WORD(port, request.first, request.first + request.num);
        memory[request.first] = line;
        ++num;
      }
      ++request.first;
      --request.num;
    }
    if (request.num == 0) {
      write_to_stream(acks, number);
      ++number;
    }
  }
  write_to_stream(beats, num);
}

// For writers that need not know when a line is written.
template <class T>
void mem_wr_unit(Line<T>* memory, std::uint32_t enable, stream<MemReq>& requests, stream<Line<T>>& lines,
                 stream<FinalWord>& beats) {
  GASPIPE_PORT(AheadWrite, port, memory);
  MemReq request;
  request.num = 0;
  FinalWord num = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (request.num == 0) {
      read_from_stream(requests, request);
      if (request.end) break;
    }
    if (request.num != 0) {
      Line<T> line;
      read_from_stream(lines, line);
      if (enable != 0) {
        GASPIPE_WORD(port, request.first, request.first + request.num);
        memory[request.first] = line;
        ++num;
      }
      ++request.first;
      --request.num;
    }
  }
  write_to_stream(beats, num);
}

}  // namespace block
}  // namespace gaspipe
