// SPDX-License-Identifier: Apache-2.0
#include "find.h"
#include "gaspipe/timing/packed.h"

namespace gaspipe {
namespace predict {

timing::Kernel packed_kernel(const TimedShape& shape) {
  return with_shape(shape, [](auto value, auto is_weighted, auto is_idempotent) -> timing::Kernel {
    return timing::packed<decltype(value), decltype(is_weighted)::value, decltype(is_idempotent)::value>;
  });
}

}  // namespace predict
}  // namespace gaspipe
