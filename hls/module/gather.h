// SPDX-License-Identifier: Apache-2.0
// dstPropertyProcess: a PE accumulates the updates of its vertices on chip. PE p of `pes` holds the vertices v with
// v % pes == p, at (v - first) / pes; a partition starts at a multiple of `pes` (capacities are multiples of 16).
// At the end the values go out in order, as many from each PE as make whole words of memory, identity where there is no
// vertex; no end token, for the collector can count. Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/bits.h"
#include "hls/module/raw_solver.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// How many values of T each PE has for vertices [first, last).
template <class T, int pes>
constexpr std::uint32_t values_per_pe(VertexId first, VertexId last) {
  return (last - first + (Word<T>::kSize > pes ? Word<T>::kSize : pes) - 1) /
         (Word<T>::kSize > pes ? Word<T>::kSize : pes) * (Word<T>::kSize > pes ? Word<T>::kSize / pes : 1);
}

// `max_capacity`: vertices of a partition that the chip has room
// for, a multiple of 16; last - first is at most that. Updates of one vertex come update_distance() apart (rawSolver).
template <class Hooks, int pes, VertexId max_capacity, int apart = update_distance<Hooks>(),
          int interval = gather_interval<Hooks>(apart),
          EnableIf<!fills_word<typename Traits<Hooks>::Update>(), int> = 0>
void dstPropertyProcess(int pe, VertexId first, VertexId last, stream<UpdateToken<typename Traits<Hooks>::Update>>& in,
                        stream<typename Traits<Hooks>::Update>& out) {
  using Value = typename Traits<Hooks>::Update;
  static_assert(max_capacity % 16 == 0, "whole words, and rows of PEs");
  GASPIPE_ON_CHIP(BitsOf<Value>, buffer, max_capacity / pes, URAM);
  const std::uint32_t num = values_per_pe<Value, pes>(first, last);
  for (std::uint32_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
    buffer[i] = to_bits(Traits<Hooks>::identity());
  }
  const VertexId base = first + static_cast<VertexId>(pe);
  UpdateToken<Value> token;
  while (true) {
    GASPIPE_PIPELINE(interval);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    // An address comes again after that many iterations at the earliest: rawSolver sees to it
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = buffer inter RAW true distance = apart);
    read_from_stream(in, token);
    if (token.end) break;
    if (!merges_at_once<Hooks>() && token.update.destination == kNoVertex) continue;
    const std::uint32_t at = (token.update.destination - base) / pes;
    buffer[at] = to_bits(Hooks::gatherFunc(from_bits<Value>(buffer[at]), token.update.value));
  }
  for (std::uint32_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
    write_to_stream(out, from_bits<Value>(buffer[i]));
  }
}

}  // namespace gaspipe
