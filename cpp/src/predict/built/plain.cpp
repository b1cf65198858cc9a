// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/timing/plain.h"

#include "find.h"

namespace gaspipe {
namespace predict {

timing::Kernel plain_kernel(const TimedShape& shape) {
  if (shape.word_bytes == sizeof(BitSet<512>)) return timing::plain<BitSet<512>, false, false>;
  return with_shape(shape, [](auto value, auto is_weighted, auto is_idempotent) -> timing::Kernel {
    return timing::plain<decltype(value), decltype(is_weighted)::value, decltype(is_idempotent)::value>;
  });
}

}  // namespace predict
}  // namespace gaspipe
