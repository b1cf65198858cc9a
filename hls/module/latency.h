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

// Of a loop that adds extras to sums.
template <class Hooks>
constexpr int sum_interval() {
  return Traits<Hooks>::kExtras > 0 ? Latency<typename Traits<Hooks>::Sum>::kAdd : 1;
}

}  // namespace gaspipe
