// SPDX-License-Identifier: Apache-2.0
// How edges lie in a device's memory. The partitioner writes what a codec describes and the kernels read it, so the
// layout has one home and a version, which is part of an xclbin's digest.
//
// Version 1, plain: two arrays of 32-bit words, sources and destinations, in the partition's order (sorted by source).
// Both are filled up to whole 512-bit words: the destination of a padding edge is kNoVertex, its source repeats the
// last one, so that the source stream stays sorted.
//
// Version 2, packed: one array, a 32-bit word per edge, 4 bytes in all. Its low 20 bits are the destination, counted
// from the first of the partition, which has at most 2^20 - 1 of them; its high 12 bits are by how much the source is
// larger than that of the edge before (before the first: than a base that the descriptor gives). All ones in
// the low bits are a padding edge, which has a source and no destination: they bridge larger gaps, 4095 each, and fill
// up the last 512-bit word. Weights lie in an array beside it, with places for padding edges too.
#pragma once

#include "hls/types.h"

namespace gaspipe {

enum class EdgeLayout { kPlain, kPacked };

struct PlainEdgeCodec {
  static constexpr int kVersion = 1;
  static constexpr int kEdgesPerWord = 16;  // ids in 512 bits
  static constexpr VertexId kPadding = kNoVertex;
  static EdgeCount padded(EdgeCount num_edges) {
    return (num_edges + kEdgesPerWord - 1) / kEdgesPerWord * kEdgesPerWord;
  }
};

struct PackedEdgeCodec {
  static constexpr int kVersion = 2;
  static constexpr int kEdgesPerWord = 16;
  static constexpr int kDestinationBits = 20;
  static constexpr std::uint32_t kPadding = (1u << kDestinationBits) - 1;
  static constexpr std::uint32_t kMostGap = 4095;
  static constexpr VertexId kMostVertices = kPadding - 15;  // of a partition: destinations, a multiple of 16
  static constexpr EdgeCount kNoEdge = ~EdgeCount(0);       // where a padding edge lies

  static constexpr std::uint32_t pack(std::uint32_t gap, std::uint32_t destination) {
    return gap << kDestinationBits | destination;
  }
  static constexpr std::uint32_t gap(std::uint32_t edge) { return edge >> kDestinationBits; }
  static constexpr std::uint32_t destination(std::uint32_t edge) { return edge & kPadding; }

  // Runs on the host: words of edges 0, 1, ..., num_edges - 1, whose sources ascend from `base` on, as
  // write(place, word, edge) with places 0, 1, ... and kNoEdge for padding. source(edge) and destination(edge) give an
  // edge's, the latter counted from the first of the partition. Returns the number of places, whole groups of `group`
  // 512-bit words.
  template <class Source, class Destination, class Write>
  static EdgeCount encode(EdgeCount num_edges, VertexId base, const Source& source, const Destination& destination,
                          const Write& write, EdgeCount group = 1) {
    EdgeCount place = 0;
    VertexId last = base;
    for (EdgeCount edge = 0; edge < num_edges; ++edge) {
      const VertexId to = source(edge);
      while (to - last > kMostGap) {
        write(place++, pack(kMostGap, kPadding), kNoEdge);
        last += kMostGap;
      }
      write(place++, pack(to - last, destination(edge)), edge);
      last = to;
    }
    while (place % (group * kEdgesPerWord) != 0) write(place++, pack(0, kPadding), kNoEdge);
    return place;
  }
  // Runs on the host: the places that encode() would need.
  template <class Source>
  static EdgeCount padded(EdgeCount num_edges, VertexId base, const Source& source, EdgeCount group = 1) {
    EdgeCount places = num_edges;
    VertexId last = base;
    for (EdgeCount edge = 0; edge < num_edges; ++edge) {
      const VertexId to = source(edge);
      if (to - last > kMostGap) places += (to - last - 1) / kMostGap;
      last = to;
    }
    const EdgeCount whole = group * kEdgesPerWord;
    return (places + whole - 1) / whole * whole;
  }
};

}  // namespace gaspipe
