// SPDX-License-Identifier: Apache-2.0
// The kernels that `gaspipe build` builds (hls/kernel), timed; and the same ones twice as wide.
#pragma once

#include "gaspipe/timing/hooks.h"
#include "hls/kernel/gather_scatter.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace timing {

template <class Width, class Hooks, bool weighted>
struct PlainKernel {
  template <class Weights, class Properties, class Gathered>
  static void run(const Word<VertexId>* sources, const Word<VertexId>* destinations, Weights weights,
                  Properties properties, Gathered gathered, std::uint32_t num_words, VertexId first, VertexId last,
                  std::uint32_t /*num_lines*/) {
    gather_scatter<Hooks, Width, weighted>(sources, destinations, weights, properties, gathered, num_words, first,
                                           last);
  }
};
template <class Hooks, bool weighted>
using NarrowKernel = PlainKernel<PipelineConfig<kPlainPipeline>, Hooks, weighted>;
template <class Hooks, bool weighted>
using WideKernel = PlainKernel<Config<16, 16>, Hooks, weighted>;

template <class Value, bool weighted, bool is_idempotent>
std::int32_t plain(const Launch* launch, abi::Emulation* emulation) {
  return one_sub_partition<NarrowKernel, Value, weighted, is_idempotent>(*launch, emulation,
                                                                         launch->sub_partitions[0].last);
}
template <class Value, bool weighted, bool is_idempotent>
std::int32_t wide(const Launch* launch, abi::Emulation* emulation) {
  return one_sub_partition<WideKernel, Value, weighted, is_idempotent>(*launch, emulation,
                                                                       launch->sub_partitions[0].last);
}

}  // namespace timing
}  // namespace gaspipe
