// SPDX-License-Identifier: Apache-2.0
// Cycles that operations take in a kernel, and the initiation intervals that follow. Named, not measured: an integer or
// a number in fixed point adds or compares within a cycle; floating-point operators have the stages that Vitis HLS
// gives them for UltraScale+ at 300 MHz (fadd and dadd with all DSPs, fcmp, dcmp; the product guide of the operator,
// PG060, allows more); UltraRAM is read through a registered address and two output registers.
//
// A program's updates merge by a comparison where it declares kIdempotent, by an addition elsewhere. A struct as an
// update is taken for integers; where it is not, a tool finds the longer interval by itself, because distances are
// stated (DEPENDENCE), and only the emulator's cycles are too few.
#pragma once

#include "hls/traits.h"

namespace gaspipe {

constexpr int kMemoryRead = 3, kMemoryWrite = 1;  // of memory of the chip; `latency` in platform.h's BIND_STORAGE

template <class Number>
struct Latency {
  static constexpr int kAdd = 1, kCompare = 1;
};
template <>
struct Latency<float> {
  static constexpr int kAdd = 7, kCompare = 2;
};
template <>
struct Latency<double> {
  static constexpr int kAdd = 8, kCompare = 2;
};

// Of updateMergeInRAWSolver and of gatherFunc. A loop that merges into what the iteration before has merged starts an
// iteration as often.
template <class Hooks>
constexpr int merge_cycles() {
  return Traits<Hooks>::kIdempotent ? Latency<typename Traits<Hooks>::Update>::kCompare
                                    : Latency<typename Traits<Hooks>::Update>::kAdd;
}

// Of a loop that reads, gathers and writes, where an address comes again after `distance` iterations at the earliest.
template <class Hooks>
constexpr int gather_interval(int distance) {
  return (kMemoryRead + merge_cycles<Hooks>() + kMemoryWrite + distance - 1) / distance;
}

// Whether rawSolver merges updates (raw_solver.h): a merge takes a cycle. Where it takes more, as of floating-point
// numbers, it holds updates back instead (raw_stall.h), until that loop can take one a cycle.
template <class Hooks>
constexpr bool merges_at_once() {
  return merge_cycles<Hooks>() == 1;
}
constexpr int kRawWindow = 4;  // updates that wait to be merged into
// Iterations, at the least, between two updates of an address that leave rawSolver.
template <class Hooks>
constexpr int update_distance() {
  return merges_at_once<Hooks>() ? kRawWindow + 1 : kMemoryRead + merge_cycles<Hooks>() + kMemoryWrite;
}

// Partial sums of each that extras are added to in turn: an addition has ended when its turn comes again, so a loop
// starts one every cycle.
template <class Hooks>
constexpr int sum_turns() {
  return Traits<Hooks>::kExtras > 0 ? Latency<typename Traits<Hooks>::Sum>::kAdd : 1;
}

}  // namespace gaspipe
