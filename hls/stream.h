// SPDX-License-Identifier: Apache-2.0
// The stream calls of the field's kernels (L1), over whichever streams there are: what modules read and write with.
// Ours end every stream with an end token and read blockingly. A module that has to poll, as an arbiter does, declares
// it in the comment above it: "Polls: " and why its answer depends on no order. It is tested in any order
// (tests/hls/emulator/any_order.h). clear_stream and empty_stream are for kernels written for them.
// Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/platform.h"

namespace gaspipe {

constexpr int kIdlePollsToClear = 256;
constexpr int kIdlePollsToEmpty = 4096;

// Writes, once there is a place.
template <class T>
[[gnu::always_inline]] inline int write_to_stream(stream<T>& s, const T& value) {
  GASPIPE_PRAGMA(HLS INLINE);
  s.write(value);
  return 0;
}
// Reads, once there is something to read.
template <class T>
[[gnu::always_inline]] inline int read_from_stream(stream<T>& s, T& value) {
  GASPIPE_PRAGMA(HLS INLINE);
  s.read(value);
  return 0;
}
// Reads if there is something in this cycle: 1, else 0 and `value` stays.
template <class T>
int read_from_stream_nb(stream<T>& s, T& value) {
  GASPIPE_PRAGMA(HLS INLINE);
  if (s.empty()) return 0;
  s.read(value);
  return 1;
}
// Throws away what comes until `polls` polls found nothing: leaves the stream empty for the next run.
template <class T>
int clear_stream(stream<T>& s, int polls = kIdlePollsToClear) {
  int idle = 0;
  while (idle <= polls) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 257 max = 8192);
    T value;
    idle += read_from_stream_nb(s, value) ? 0 : 1;
  }
  return 0;
}
// Throws away what comes until nothing came for `polls` cycles in a row: after an end that left a writer running.
template <class T>
int empty_stream(stream<T>& s, int polls = kIdlePollsToEmpty) {
  int idle = 0;
  while (idle <= polls) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 4097 max = 8192);
    T value;
    idle = read_from_stream_nb(s, value) ? 0 : idle + 1;
  }
  return 0;
}

}  // namespace gaspipe
