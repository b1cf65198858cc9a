// SPDX-License-Identifier: Apache-2.0
// The kernels that predictions time, built in (GASPIPE_KERNELS=built): those of a width in a file each.
#include "find.h"

namespace gaspipe {
namespace predict {

TimedKernels find_kernels(const TimedShape& shape) {
  const timing::Kernel gather_scatter = shape.kernel == "plain"    ? plain_kernel(shape)
                                        : shape.kernel == "wide"   ? wide_kernel(shape)
                                        : shape.kernel == "packed" ? packed_kernel(shape)
                                                                   : thundergp_kernel(shape);
  return {gather_scatter, apply_kernel(shape)};
}

}  // namespace predict
}  // namespace gaspipe
