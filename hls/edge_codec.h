// SPDX-License-Identifier: Apache-2.0
// How edges lie in a device's memory. The partitioner writes what a codec describes and the kernels read it, so the
// layout has one home and a version, which is part of an xclbin's digest.
//
// Version 1, plain: two arrays of 32-bit words, sources and destinations, in the partition's order (sorted by source).
// Both are filled up to whole 512-bit words: the destination of a padding edge is kNoVertex, its source repeats the
// last one, so that the source stream stays sorted.
#pragma once

#include "hls/types.h"

namespace gaspipe {

struct PlainEdgeCodec {
  static constexpr int kVersion = 1;
  static constexpr int kEdgesPerWord = 16;  // ids in 512 bits
  static constexpr VertexId kPadding = kNoVertex;
  static EdgeCount padded(EdgeCount num_edges) {
    return (num_edges + kEdgesPerWord - 1) / kEdgesPerWord * kEdgesPerWord;
  }
};

}  // namespace gaspipe
