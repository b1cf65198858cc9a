// SPDX-License-Identifier: Apache-2.0
// replicate: properties along the edges, rep[e] = f(prop[target of e]), made by the device itself. It is what the host
// of GraphOps does after every iteration, and the one access of a locality-optimised array that is random: a line of
// properties for every edge whose target lies in another one than the edge's before.
//
//   array_req --targets--> [memory] --> replicate_req --properties--> [memory] --> replicate --replicas--> [memory]
//
// `F::apply(P)` is f. An edge a cycle.
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// All lines of an array, `group` lines a request.
template <std::uint32_t group = 8>
void array_req(std::uint32_t num_lines, stream<MemReq>& requests) {
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

// A target, and whether its line of properties is another one than the last target's.
struct TargetToken {
  VertexId vertex;
  bool takes_line, end;
};

// Targets one by one, and requests for their properties. Of kNoVertex, which fills up the last line, nothing is asked.
template <class P>
void replicate_req(std::uint32_t num_lines, stream<Line<VertexId>>& targets, stream<MemReq>& requests,
                   stream<TargetToken>& out) {
  constexpr std::uint32_t kSize = Line<VertexId>::kSize;
  Line<VertexId> line;
  std::uint64_t held = ~std::uint64_t(0);  // the last line asked for
  TargetToken token;
  token.end = false;
  for (std::uint64_t i = 0; i < std::uint64_t(num_lines) * kSize; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16777216);
    if (i % kSize == 0) read_from_stream(targets, line);
    token.vertex = line.lane[i % kSize];
    token.takes_line = token.vertex != kNoVertex && line_of<P>(token.vertex) != held;
    if (token.takes_line) {
      held = line_of<P>(token.vertex);
      write_to_stream(requests, lines_of<P>(token.vertex, EdgeCount(token.vertex) + 1));
    }
    write_to_stream(out, token);
  }
  write_to_stream(requests, end_of_requests());
  token.vertex = kNoVertex;
  token.takes_line = false;
  token.end = true;
  write_to_stream(out, token);
}

// Lines of replicas, from the first on, and requests to write them.
template <class P, class F>
void replicate(stream<TargetToken>& targets, stream<Line<P>>& properties, stream<MemReq>& requests,
               stream<Line<P>>& replicas) {
  constexpr std::uint32_t kSize = Line<P>::kSize;
  Line<P> line = {}, made = {};
  MemReq request;
  request.first = 0;
  request.num = 1;
  request.end = false;
  std::uint32_t lane = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    TargetToken token;
    read_from_stream(targets, token);
    if (token.end) break;
    if (token.takes_line) read_from_stream(properties, line);
    const P value = token.vertex == kNoVertex ? P() : F::apply(line.lane[token.vertex % kSize]);
    for (std::uint32_t i = 0; i < kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i == lane) made.lane[i] = value;
    }
    const bool is_full = lane == kSize - 1;
    if (is_full) {
      write_to_stream(requests, request);
      write_to_stream(replicas, made);
      ++request.first;
    }
    lane = is_full ? 0 : lane + 1;
  }
  write_to_stream(requests, end_of_requests());
}

}  // namespace block
}  // namespace gaspipe
