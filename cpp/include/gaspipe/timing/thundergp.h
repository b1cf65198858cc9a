// SPDX-License-Identifier: Apache-2.0
// The published pipeline (hls/thundergp/kernel.h), timed: X. Chen et al., "ThunderGP", FPGA 2021,
// doi:10.1145/3431920.3439290.
#pragma once

#include "gaspipe/timing/hooks.h"
#include "hls/thundergp/kernel.h"

namespace gaspipe {
namespace timing {

template <class Hooks, bool weighted>
struct ThunderGpKernel {
  template <class Weights, class Properties, class Gathered>
  static void run(const Word<VertexId>* sources, const Word<VertexId>* destinations, Weights weights,
                  Properties properties, Gathered gathered, std::uint32_t num_words, VertexId first, VertexId last,
                  std::uint32_t num_lines) {
    thundergp::gather_scatter<Hooks, Config<8, 16>, weighted>(sources, destinations, weights, properties, gathered,
                                                              num_words, first, last, num_lines);
  }
};

// It flushes all that the partition has room for, used or not.
template <class Value, bool weighted, bool is_idempotent>
std::int32_t thundergp(const Launch* launch, abi::Emulation* emulation) {
  return one_sub_partition<ThunderGpKernel, Value, weighted, is_idempotent>(
      *launch, emulation, launch->sub_partitions[0].first + launch->capacity);
}

}  // namespace timing
}  // namespace gaspipe
