// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/timing/apply.h"

#include "find.h"

namespace gaspipe {
namespace predict {
namespace {

template <class Memory, class Count>
timing::Kernel kernel(const TimedShape& shape) {
  const auto choose = [&](auto value) -> timing::Kernel {
    using Value = decltype(value);
    return shape.num_aux == 0   ? timing::apply<Value, 0, Memory, Count>
           : shape.num_aux == 1 ? timing::apply<Value, 1, Memory, Count>
                                : timing::apply<Value, 2, Memory, Count>;
  };
  return shape.word_bytes == 8 ? choose(std::uint64_t()) : choose(std::uint32_t());
}

}  // namespace

timing::Kernel apply_kernel(const TimedShape& shape) {
  if (shape.word_bytes == sizeof(BitSet<512>)) return timing::apply<BitSet<512>, 0, StreamingMemory, unsigned>;
  if (shape.is_published) return kernel<thundergp::BufferedMemory, unsigned>(shape);
  return shape.has_floating_sums ? kernel<StreamingMemory, float>(shape) : kernel<StreamingMemory, unsigned>(shape);
}

}  // namespace predict
}  // namespace gaspipe
