// SPDX-License-Identifier: Apache-2.0
// What travels between blocks. A block is a dataflow function over streams; what it asks of memory goes through a
// memory unit (mem_unit.h) that stands beside it, so a block that asks and uses the answer is two tasks: <block>_req,
// which sends requests, and <block>, which takes the answers. A chain is then a graph without circles, as the vendor
// wants its regions, and requests run ahead of answers by as much as the streams hold. (A block with a port of its own
// would wait for every set.) The one circle is that of written lines, in elem_update.h.
//
// Every stream ends with a token whose `end` is set; streams of lines have none, for the requests say how many come. A
// block ends its outputs when its inputs have ended and nothing is left in it. That is what the published blocks' idle
// signals, with windows of time, are about; a full stream that stops its writer is what their stall wires are.
// Blocks, names and formats: T. Oguntebi, K. Olukotun, "GraphOps: A Dataflow Library for Graph Analytics Acceleration",
// FPGA 2016, doi:10.1145/2847263.2847337.
#pragma once

#include "hls/platform.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {
namespace block {

// A beat of memory: 512 bits, of lanes of 4 or 8 bytes.
template <class T>
using Line = Word<T>;
using RowLine = Line<EdgeCount>;  // of row offsets

// Lines [first, first + num) of a port's array; num may be 0.
struct MemReq {
  std::uint64_t first, num;
  bool end;
};

// A set: what vertex `owner` has in arrays along the edges, elements [first, last) (the "metadata packet").
struct SetMeta {
  VertexId owner;
  EdgeCount first, last;
  bool end;
};

struct VertexToken {
  VertexId vertex;
  bool end;
};
template <class Value>
struct VertexProperty {
  VertexId vertex;
  Value value;
  bool end;
};

// Some vertices of one line of properties: bit i of `lanes` is the vertex in lane i. One says where all active vertices
// of a line are, and the property they share a line with is read once for all.
struct GroupMask {
  std::uint32_t line, lanes;
  bool end;
};

// An element of a set that passed a filter.
template <class Value>
struct Hit {
  VertexId owner, neighbor;
  Value value;
  bool end;
};

// Numbers that a run gives to the functors of a block: two scalars of the kernel.
struct Args {
  std::uint32_t word[2];
};

// A block's last word to what collects the ends (end_collect.h): a count or a sum, as bits.
using FinalWord = std::uint64_t;

template <class T>
constexpr std::uint64_t line_of(std::uint64_t element) {
  return element / Line<T>::kSize;
}
// Lines that elements [first, last) of an array lie in; first < last.
template <class T>
MemReq lines_of(EdgeCount first, EdgeCount last) {
  GASPIPE_PRAGMA(HLS INLINE);
  MemReq request;
  request.first = line_of<T>(first);
  request.num = line_of<T>(last - 1) - request.first + 1;
  request.end = false;
  return request;
}
inline MemReq end_of_requests() {
  GASPIPE_PRAGMA(HLS INLINE);
  MemReq request;
  request.first = 0;
  request.num = 0;
  request.end = true;
  return request;
}
inline SetMeta end_of_sets() {
  GASPIPE_PRAGMA(HLS INLINE);
  SetMeta meta;
  meta.owner = kNoVertex;
  meta.first = 0;
  meta.last = 0;
  meta.end = true;
  return meta;
}

// All lanes of a line of T.
template <class T>
constexpr std::uint32_t all_lanes() {
  return (1u << Line<T>::kSize) - 1;
}
// The lowest set bit's number; 31 where none is set.
inline std::uint32_t lowest_lane(std::uint32_t lanes) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t lane = 31;
  for (std::uint32_t i = 0; i < 16; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    if ((lanes >> (15 - i) & 1u) != 0) lane = 15 - i;
  }
  return lane;
}
inline std::uint32_t num_lanes(std::uint32_t lanes) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t num = 0;
  for (std::uint32_t i = 0; i < 16; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    num += lanes >> i & 1u;
  }
  return num;
}

}  // namespace block
}  // namespace gaspipe
