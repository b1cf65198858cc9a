// SPDX-License-Identifier: Apache-2.0
// The one file whose text depends on the compiler that reads it. With GASPIPE_VITIS (set by the Vitis project for
// simulation and synthesis alike; never __SYNTHESIS__, which the vendor forbids to define) streams are the vendor's and
// the macros are its pragmas; otherwise the emulator's (hls/emulator), where the same macros advance its clocks.
//
//   stream<T>        a stream, as parameters name it
//   matching_lanes, copy_lanes, keep_whole   hls/emulator/lanes.h: comparators and wires for a set's lanes, on a host
//                    vector instructions
//
// A macro is used where the vendor needs a pragma, which no function can hold, or where the emulator needs the text or
// the scope of a call. These are all the macros of this project (tests/python/test_macros.py):
//
// clang-format off
//   macro                                       what it does, and why it is a macro
//   GASPIPE_PRAGMA(HLS ...)                     a pragma of the vendor that the emulator ignores; compilers on a host
//                                               would warn of the plain one. PIPELINE, STREAM, BIND_STORAGE and
//                                               DATAFLOW have the macros below, because the emulator models them
//   GASPIPE_DATAFLOW                            first in a function: its streams and tasks are one dataflow region;
//                                               declares the emulator's region in the function's scope. A kernel's region
//                                               (hls/kernel/<name>.h) has loops and conditions, which a rendered top has
//                                               not: there all is a declaration or a call, as the vendor requires it
//   GASPIPE_STREAM(T, name, depth)              a stream of the region; T is one word (use an alias). A fourth argument
//                                               is the depth below which the region deadlocks; without one a depth of 1
//                                               works. Declares a variable, and its depth in a pragma
//   GASPIPE_STREAMS(T, name, n, depth)          likewise an array of n of them; arrays take no initial values
//   GASPIPE_DEPTH(name, depth, ...)             for the two above: takes the first of one or two arguments
//   GASPIPE_TASK(call)                          a call that runs beside the others; the emulator takes its text as the
//                                               task's name, and defers it
//   GASPIPE_TASK_I(i, call)                     likewise in a loop over i, of which it takes a copy
//   GASPIPE_RUN                                 last in the function: the emulator runs the tasks
//   GASPIPE_PIPELINE(ii)                        first in a loop: an iteration starts every `ii` cycles; a pragma for the
//                                               vendor, the clock of the task in the emulator. Flushable: an iteration
//                                               goes on where the next one waits for a token. Other pipelines stop with
//                                               it and keep what they have computed, which may be what the next one's
//                                               token waits for: a row that all PEs have to send, or a run of lines
//   GASPIPE_PORT(Read, port, memory)            this task reads `memory` (a pointer) in order, through a port of its own;
//                                               declares the emulator's port, and nothing for the vendor. `Write` writes.
//                                               `EagerWrite`: a burst begins with its first word, as tools up to SDx
//                                               2019.1 had it; newer ones wait for its last (m_axi_conservative_mode).
//                                               `AheadRead`, `AheadWrite`: words in any order, in ranges; the loop goes
//                                               on while memory answers, and what an iteration writes to streams comes
//                                               out when its word is there (is written), as in a pipeline that is longer
//                                               than the memory's latency
//   GASPIPE_WORD(port, at, last)                the word `at` of a loop up to `last` is read or written now; the port is
//                                               declared in the emulator only
//   GASPIPE_ON_CHIP(T, name, size, kind)        memory of the chip, URAM, BRAM or LUTRAM, not zeroed, with a port for
//                                               reading and one for writing; off the task's stack in the emulator.
//                                               Reading takes kMemoryRead cycles (hls/module/latency.h). T is a number;
//                                               tools split an array of structs, unless AGGREGATE follows
//   GASPIPE_ON_CHIP_KEPT(T, name, size, kind, initial)   memory that is `initial` when a launch starts, because every
//                                               launch leaves it so; hardware wakes with zeros, and a first launch has
//                                               to make it so. Static for the vendor, of one task in the emulator
//   GASPIPE_VITIS                               option: the vendor's tools read this; nothing else says so (see above)
//   GASPIPE_FIBER_PORTABLE                      option: fibers by swapcontext; set where there is no other switch
//                                               (hls/emulator/fiber.h), whose text no compiler could read otherwise
//   GASPIPE_FIBER_ASAN                          the address sanitizer is on: compilers say it in two ways
//   GASPIPE_CARD_KERNEL(name)                   exports a kernel to the tests' card (tests/card/kernels.h); names are
//                                               made of its name
//   GASPIPE_VERSION                             option: the package's version, for cpp/bindings
// clang-format on
#pragma once

#ifdef GASPIPE_VITIS

#include <hls_stream.h>

#include <cstdint>

namespace gaspipe {
template <class T>
using stream = hls::stream<T>;
}  // namespace gaspipe

#define GASPIPE_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define GASPIPE_DATAFLOW GASPIPE_PRAGMA(HLS DATAFLOW)
#define GASPIPE_DEPTH(name, depth_, ...) GASPIPE_PRAGMA(HLS STREAM variable = name depth = depth_)
#define GASPIPE_STREAM(T, name, ...) \
  ::gaspipe::stream<T> name(#name);  \
  GASPIPE_DEPTH(name, __VA_ARGS__, 1)
#define GASPIPE_STREAMS(T, name, n, ...) \
  ::gaspipe::stream<T> name[n];          \
  GASPIPE_DEPTH(name, __VA_ARGS__, 1)
#define GASPIPE_TASK(...) __VA_ARGS__
#define GASPIPE_TASK_I(i, ...) __VA_ARGS__
#define GASPIPE_RUN
#define GASPIPE_PIPELINE(ii) GASPIPE_PRAGMA(HLS PIPELINE II = ii style = flp)
#define GASPIPE_PORT(kind, port, memory)
#define GASPIPE_WORD(port, at, last)
#define GASPIPE_ON_CHIP(T, name, size, kind) \
  T name[size];                              \
  GASPIPE_PRAGMA(HLS BIND_STORAGE variable = name type = RAM_S2P impl = kind latency = 3)
#define GASPIPE_ON_CHIP_KEPT(T, name, size, kind, initial) static GASPIPE_ON_CHIP(T, name, size, kind)

namespace gaspipe {
template <int lanes, class Update>
std::uint32_t matching_lanes(const Update (&update)[lanes], std::uint32_t mask, std::uint32_t wanted) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t bits = 0;
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    bits |= std::uint32_t((update[i].destination & mask) == wanted) << i;
  }
  return bits;
}
template <int lanes, class T>
void copy_lanes(const T (&from)[lanes], T (&to)[lanes]) {
  GASPIPE_PRAGMA(HLS INLINE);
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    to[i] = from[i];
  }
}
template <class T>
void keep_whole(T& /*token*/) {
  GASPIPE_PRAGMA(HLS INLINE);
}
}  // namespace gaspipe

#else

#include "hls/emulator/lanes.h"
#include "hls/emulator/region.h"

namespace gaspipe {
template <class T>
using stream = emulator::Fifo<T>;
}  // namespace gaspipe

#define GASPIPE_PRAGMA(...)
#define GASPIPE_DATAFLOW ::gaspipe::emulator::Region gaspipe_region
#define GASPIPE_STREAM(T, name, ...) \
  ::gaspipe::stream<T> name;         \
  gaspipe_region.declare(name, #name, __VA_ARGS__)
#define GASPIPE_STREAMS(T, name, n, ...) \
  ::gaspipe::stream<T> name[n];          \
  gaspipe_region.declare(name, #name, __VA_ARGS__)
#define GASPIPE_TASK(...) gaspipe_region.add(#__VA_ARGS__, -1, [&] { __VA_ARGS__; })
#define GASPIPE_TASK_I(i, ...) gaspipe_region.add(#__VA_ARGS__, i, [&, i] { __VA_ARGS__; })
#define GASPIPE_RUN gaspipe_region.run()
#define GASPIPE_PIPELINE(ii) ::gaspipe::emulator::tick(ii)
#define GASPIPE_PORT(kind, port, memory) ::gaspipe::emulator::kind##Port<decltype(*(memory))> port(memory)
#define GASPIPE_WORD(port, at, last) port.word(at, last)
#define GASPIPE_ON_CHIP(T, name, size, kind)                                                            \
  const ::gaspipe::emulator::OnChip<T> name##_on_chip(#name, size, ::gaspipe::emulator::on_chip::kind); \
  T* const name = name##_on_chip.data()
#define GASPIPE_ON_CHIP_KEPT(T, name, size, kind, initial) \
  GASPIPE_ON_CHIP(T, name, size, kind);                    \
  name##_on_chip.fill(size, initial)

#endif
