// SPDX-License-Identifier: Apache-2.0
// The one file that asks which compiler is reading. With GASPIPE_VITIS (set by the Vitis project for simulation and
// synthesis alike; never __SYNTHESIS__, which the vendor forbids to define) streams are the vendor's and the macros are
// its pragmas; otherwise the emulator's (hls/emulator), where the same macros advance its clocks.
//
//   stream<T>                            a stream, as parameters name it
//   GASPIPE_DATAFLOW                     first in a function: its streams and tasks are one dataflow region
//   GASPIPE_DATAFLOW_INLINE              likewise in a function that becomes part of its caller, which is the region
//   GASPIPE_TOP                          first in that caller, a kernel's top
//   GASPIPE_STREAM(T, name, depth)       a stream of the region; T is one word (use an alias)
//   GASPIPE_STREAMS(T, name, n, depth)   an array of n of them
//   GASPIPE_STREAM_AT_LEAST(T, name, depth, shallowest)   one that deadlocks below `shallowest`; others may be 1 deep
//   GASPIPE_TASK(call)                   a call that runs beside the others
//   GASPIPE_TASK_I(i, call)              likewise in a loop over i, unrolled by GASPIPE_UNROLL
//   GASPIPE_RUN                          last in the function
//   GASPIPE_PIPELINE(ii)                 first in a loop: an iteration starts every `ii` cycles; written only here
//   GASPIPE_REPEAT                       first in a loop that only calls functions with pipelined loops of their own
//   GASPIPE_UNROLL  GASPIPE_INLINE  GASPIPE_TRIPCOUNT(low, high)   as the vendor's pragmas
//   GASPIPE_READ_PORT(port, memory)      this task reads `memory` (a pointer) in order, through a port of its own
//   GASPIPE_WRITE_PORT(port, memory)     likewise for writing
//   GASPIPE_WRITE_PORT_EAGER(port, memory)   as GASPIPE_WRITE_PORT, but a burst begins with its first word, as tools up
//   to
//                                        SDx 2019.1 had it; newer ones wait for its last (m_axi_conservative_mode)
//   GASPIPE_WORD(port, at, last)         the word `at` of a loop up to `last` is read or written now
//   GASPIPE_ON_CHIP(T, name, size)       memory of the chip, zeroed by nobody; off the task's stack in the emulator
//   GASPIPE_ON_CHIP_KEPT(T, name, size, initial)   memory that is `initial` when a launch starts, because every launch
//                                        leaves it so; hardware wakes with zeros, and a first launch has to make it so
//   GASPIPE_URAM(name)  GASPIPE_BRAM(name)   its kind, with a port for reading and one for writing
//   GASPIPE_PARTITION(name, dimension)   its elements (along a dimension) may all be used in one cycle
//   GASPIPE_SPLIT(name, parts)           so many memories of equal size, one after the other
//   GASPIPE_INDEPENDENT(name)            no iteration reads what one shortly before it writes; say why
#pragma once

#ifdef GASPIPE_VITIS

#include <hls_stream.h>

namespace gaspipe {
template <class T>
using stream = hls::stream<T>;
}  // namespace gaspipe

#define GASPIPE_PRAGMA_(text) _Pragma(#text)
#define GASPIPE_PRAGMA(text) GASPIPE_PRAGMA_(text)
#define GASPIPE_DATAFLOW GASPIPE_PRAGMA(HLS DATAFLOW)
#define GASPIPE_DATAFLOW_INLINE GASPIPE_PRAGMA(HLS INLINE)
#define GASPIPE_TOP GASPIPE_DATAFLOW
#define GASPIPE_STREAM(T, name, depth_) \
  ::gaspipe::stream<T> name(#name);     \
  GASPIPE_PRAGMA(HLS STREAM variable = name depth = depth_)
#define GASPIPE_STREAM_AT_LEAST(T, name, depth_, shallowest) GASPIPE_STREAM(T, name, depth_)
#define GASPIPE_STREAMS(T, name, n, depth_) \
  ::gaspipe::stream<T> name[n];             \
  GASPIPE_PRAGMA(HLS STREAM variable = name depth = depth_)
#define GASPIPE_STREAMS_AT_LEAST(T, name, n, depth_, shallowest) GASPIPE_STREAMS(T, name, n, depth_)
#define GASPIPE_TASK(...) __VA_ARGS__
#define GASPIPE_TASK_I(i, ...) __VA_ARGS__
#define GASPIPE_RUN
#define GASPIPE_PIPELINE(ii) GASPIPE_PRAGMA(HLS PIPELINE II = ii)
#define GASPIPE_REPEAT
#define GASPIPE_UNROLL GASPIPE_PRAGMA(HLS UNROLL)
#define GASPIPE_INLINE GASPIPE_PRAGMA(HLS INLINE)
#define GASPIPE_TRIPCOUNT(low, high) GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = low max = high)
#define GASPIPE_READ_PORT(port, memory)
#define GASPIPE_WRITE_PORT(port, memory)
#define GASPIPE_WRITE_PORT_EAGER(port, memory)
#define GASPIPE_WORD(port, at, last)
#define GASPIPE_ON_CHIP(T, name, size) T name[size]
#define GASPIPE_ON_CHIP_KEPT(T, name, size, initial) static T name[size]
#define GASPIPE_URAM(name) GASPIPE_PRAGMA(HLS BIND_STORAGE variable = name type = RAM_S2P impl = URAM)
#define GASPIPE_BRAM(name) GASPIPE_PRAGMA(HLS BIND_STORAGE variable = name type = RAM_S2P impl = BRAM)
#define GASPIPE_PARTITION(name, dimension) GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = name dim = dimension complete)
#define GASPIPE_SPLIT(name, parts) GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = name dim = 1 block factor = parts)
#define GASPIPE_INDEPENDENT(name) GASPIPE_PRAGMA(HLS DEPENDENCE variable = name inter false)

#else

#include "hls/emulator/region.h"

namespace gaspipe {
template <class T>
using stream = emulator::Fifo<T>;
}  // namespace gaspipe

#define GASPIPE_DATAFLOW ::gaspipe::emulator::Region gaspipe_region
#define GASPIPE_DATAFLOW_INLINE GASPIPE_DATAFLOW
#define GASPIPE_TOP
#define GASPIPE_STREAM(T, name, depth) GASPIPE_STREAM_AT_LEAST(T, name, depth, 1)
#define GASPIPE_STREAM_AT_LEAST(T, name, depth, shallowest) \
  ::gaspipe::stream<T> name;                                \
  gaspipe_region.declare(name, #name, depth, shallowest)
#define GASPIPE_STREAMS(T, name, n, depth) GASPIPE_STREAMS_AT_LEAST(T, name, n, depth, 1)
#define GASPIPE_STREAMS_AT_LEAST(T, name, n, depth, shallowest) \
  ::gaspipe::stream<T> name[n];                                 \
  gaspipe_region.declare(name, #name, depth, shallowest)
#define GASPIPE_TASK(...) gaspipe_region.add(#__VA_ARGS__, -1, [&] { __VA_ARGS__; })
#define GASPIPE_TASK_I(i, ...) gaspipe_region.add(#__VA_ARGS__, i, [&, i] { __VA_ARGS__; })
#define GASPIPE_RUN gaspipe_region.run()
#define GASPIPE_PIPELINE(ii) ::gaspipe::emulator::tick(ii)
#define GASPIPE_REPEAT
#define GASPIPE_UNROLL
#define GASPIPE_INLINE
#define GASPIPE_TRIPCOUNT(low, high)
#define GASPIPE_READ_PORT(port, memory) ::gaspipe::emulator::ReadPort<decltype(*(memory))> port(memory)
#define GASPIPE_WRITE_PORT(port, memory) ::gaspipe::emulator::WritePort<decltype(*(memory))> port(memory)
#define GASPIPE_WRITE_PORT_EAGER(port, memory) ::gaspipe::emulator::EagerWritePort<decltype(*(memory))> port(memory)
#define GASPIPE_WORD(port, at, last) port.word(at, last)
#define GASPIPE_ON_CHIP(T, name, size)                              \
  const ::gaspipe::emulator::OnChip<T> name##_on_chip(#name, size); \
  T* const name = name##_on_chip.data()
#define GASPIPE_ON_CHIP_KEPT(T, name, size, initial) \
  GASPIPE_ON_CHIP(T, name, size);                    \
  name##_on_chip.fill(size, initial)
#define GASPIPE_URAM(name) ::gaspipe::emulator::place(name, ::gaspipe::emulator::MemoryKind::kUram)
#define GASPIPE_BRAM(name) ::gaspipe::emulator::place(name, ::gaspipe::emulator::MemoryKind::kBram)
#define GASPIPE_PARTITION(name, dimension) ::gaspipe::emulator::place(name, ::gaspipe::emulator::MemoryKind::kRegisters)
#define GASPIPE_SPLIT(name, parts)
#define GASPIPE_INDEPENDENT(name)

#endif
