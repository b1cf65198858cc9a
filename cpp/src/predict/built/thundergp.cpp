// SPDX-License-Identifier: Apache-2.0
#include "find.h"
#include "gaspipe/timing/thundergp.h"

namespace gaspipe {
namespace predict {

timing::Kernel thundergp_kernel(const TimedShape& shape) {
  if (shape.word_bytes == 8) {
    return shape.is_weighted ? timing::thundergp<std::uint64_t, true, false>
                             : timing::thundergp<std::uint64_t, false, false>;
  }
  return shape.is_weighted ? timing::thundergp<std::uint32_t, true, false>
                           : timing::thundergp<std::uint32_t, false, false>;
}

}  // namespace predict
}  // namespace gaspipe
