// SPDX-License-Identifier: Apache-2.0
// Reducing the lanes of a line, as a tree: the leaf of the blocks that reduce. The order of the operations is part of
// the result of floating-point sums; code that computes without streams keeps it.
#pragma once

#include "hls/block/types.h"

namespace gaspipe {
namespace block {

// values[0] op values[1] op ..., neighbors first.
template <class Op, class Value, int num>
Value reduce_lanes(Value (&values)[num]) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert((num & (num - 1)) == 0 && num <= 16, "a power of 2");
  for (int step = 0; step < 4; ++step) {
    GASPIPE_PRAGMA(HLS UNROLL);
    for (int i = 0; i < num / 2; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i < num >> (step + 1)) values[i] = Op::combine(values[2 * i], values[2 * i + 1]);
    }
  }
  return values[0];
}

}  // namespace block
}  // namespace gaspipe
