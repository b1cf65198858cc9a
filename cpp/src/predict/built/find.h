// SPDX-License-Identifier: Apache-2.0
// The kernels of a shape, each found in a file of its own.
#pragma once

#include <type_traits>

#include "cpp/src/predict/timed_kernels.h"

namespace gaspipe {
namespace predict {

timing::Kernel plain_kernel(const TimedShape& shape);
timing::Kernel wide_kernel(const TimedShape& shape);
timing::Kernel packed_kernel(const TimedShape& shape);
timing::Kernel thundergp_kernel(const TimedShape& shape);
timing::Kernel apply_kernel(const TimedShape& shape);

// f(Value(), is_weighted, is_idempotent), the flags as types.
template <class F>
timing::Kernel with_shape(const TimedShape& shape, const F& f) {
  using True = std::true_type;
  using False = std::false_type;
  const auto weighted = [&](auto value, auto is_idempotent) {
    return shape.is_weighted ? f(value, True(), is_idempotent) : f(value, False(), is_idempotent);
  };
  const auto choose = [&](auto value) {
    return shape.is_idempotent ? weighted(value, True()) : weighted(value, False());
  };
  if (shape.is_floating) return shape.word_bytes == 8 ? choose(double()) : choose(float());
  return shape.word_bytes == 8 ? weighted(std::uint64_t(), False()) : weighted(std::uint32_t(), False());
}

}  // namespace predict
}  // namespace gaspipe
