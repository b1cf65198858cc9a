// SPDX-License-Identifier: Apache-2.0
// hls/kernel/packed_gather_scatter.h for the emulator.
#pragma once

#include "gaspipe/engine/fast_packed.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/packed_gather_scatter.ports.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct PackedGatherScatterKernel {
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Width = PipelineConfig<kPackedPipeline>;

  static constexpr const char* kName = "packed_gather_scatter";
  static constexpr auto& kPorts = kernel::packed_gather_scatter::kPorts;
  static constexpr Each kInstances = kernel::packed_gather_scatter::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    if constexpr (Traits<Hooks>::kReadsEdgeProperty) {
      if (arguments.is_weighted()) {
        return call(arguments, [](auto... a) { packed_gather_scatter<Hooks, Width, true>(a...); });
      }
    }
    call(arguments, [](auto... a) { packed_gather_scatter<Hooks, Width, false>(a...); });
  }
  static void fast(const Arguments& arguments) {
    call(arguments, [](auto... a) { gather_all(a...); });
  }

 private:
  template <class F>
  static void call(const Arguments& arguments, const F& f) {
    f(arguments.buffer<const Word<std::uint32_t>>("edges"), arguments.buffer<const Word<Weight>>("weights"),
      arguments.buffer<const Word<Property>>("properties"),
      arguments.buffer<const Word<std::uint32_t>>("sub_partitions"), arguments.buffer<Word<Value>>("gathered"),
      arguments.scalar("num_sub_partitions"), arguments.scalar("num_cleared"));
  }

  static void gather_all(const Word<std::uint32_t>* edges, const Word<Weight>* weights,
                         const Word<Property>* properties, const Word<std::uint32_t>* sub_partitions,
                         Word<Value>* gathered, std::uint32_t num_sub_partitions, std::uint32_t /*num_cleared*/) {
    const bool weighted = Traits<Hooks>::kReadsEdgeProperty && weights != nullptr;
    for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
      const std::uint32_t(&descriptor)[16] = sub_partitions[s].lane;
      const Word<std::uint32_t>* const words = edges + descriptor[SubPartitionLane::kFirstEdgeWord];
      const Weight* const weight_of = weighted ? weights[descriptor[SubPartitionLane::kFirstWeightWord]].lane : nullptr;
      fast_packed<Hooks, SharedRows<Hooks, Width::kPes>>(
          descriptor, [&](std::uint32_t w) -> const Word<std::uint32_t>& { return words[w]; }, properties->lane,
          weighted,
          [&](std::uint32_t w, int lane) {
            return weight_of[std::uint64_t(w) * PackedEdgeCodec::kEdgesPerWord + static_cast<unsigned>(lane)];
          },
          gathered);
    }
  }
};

}  // namespace engine
}  // namespace gaspipe
