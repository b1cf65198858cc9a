// SPDX-License-Identifier: Apache-2.0
// hls/kernel/apply_parts.h for the emulator, with exchange_parts.h of every pipeline. Without clocks it writes its own
// copy of the properties alone.
#pragma once

#include <cstring>
#include <vector>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/engine/fast_kernels.h"
#include "hls/kernel/apply_parts.h"
#include "hls/kernel/apply_parts.ports.h"
#include "hls/kernel/exchange_parts.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct ApplyPartsKernel {
  static constexpr const char* kName = "apply_parts";
  static constexpr auto& kPorts = kernel::apply_parts::kWithPipelines;
  static constexpr Each kInstances = kernel::apply_parts::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    const Ports ports(arguments);
    const VertexId first = arguments.scalar("first"), last = arguments.scalar("last");
    using Values = Word<Value>;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAMS(Values, gathered, kMostParts, kApplyMemoryDepth);
    GASPIPE_STREAMS(Properties, updated, kMostParts, kApplyMemoryDepth);
    for (int unit = 0; unit < arguments.units(); ++unit) {
      GASPIPE_TASK_I(unit, exchange_parts<Hooks>(ports.edges[unit], ports.parts[unit], ports.updated[unit],
                                                 ports.num_sub_partitions[unit], last, gathered[unit], updated[unit]));
    }
    GASPIPE_TASK(apply_parts<Hooks>(arguments.units(), gathered, ports.properties, ports.inputs, updated, ports.own,
                                    ports.sums, first, last, arguments.scalars("arg")));
    GASPIPE_RUN;
  }
  // All parts are merged first, in the order of the pipelines as in the region.
  static void fast(const Arguments& arguments) {
    const Ports ports(arguments);
    constexpr std::uint32_t kSize = Word<Value>::kSize;
    const VertexId first = arguments.scalar("first"), last = arguments.scalar("last");
    Word<Value> identity;
    for (Value& lane : identity.lane) lane = Traits<Hooks>::identity();
    std::vector<Word<Value>> merged(words_of_range<Value>(first, last), identity);
    for (int unit = 0; unit < arguments.units(); ++unit) {
      for (std::uint32_t s = 0; s < ports.num_sub_partitions[unit]; ++s) {
        const SubPartitionToken part = sub_partition_of(ports.edges[unit][s]);
        const VertexId from = ports.edges[unit][s].lane[SubPartitionLane::kFirstVertex];
        for (std::uint32_t w = 0; w < words_of_vertices<Value>(part.num_vertices); ++w) {
          merge_word<Hooks>(merged[from / kSize + w], ports.parts[unit][part.first_gathered_word + w]);
        }
      }
    }
    const Word<Value>* const all[] = {merged.data()};
    fast_apply<Hooks>(all, 1, ports.properties, ports.inputs, ports.own, ports.sums, first, last, ports.arg);
  }

 private:
  using Value = typename Traits<Hooks>::Update;
  using Properties = Word<typename Traits<Hooks>::Property>;
  struct Ports {
    using Inputs = const Word<typename Traits<Hooks>::Aux>;

    explicit Ports(const Arguments& arguments)
        : num_sub_partitions(arguments.scalars("num_sub_partitions")),
          properties(arguments.buffer<const Properties>("properties")),
          own(arguments.buffer<Properties>("own")),
          sums(arguments.buffer<ResultWord>("sums")) {
      for (int unit = 0; unit < arguments.units(); ++unit) {
        edges[unit] = arguments.buffer<const Word<std::uint32_t>>("edges", unit);
        parts[unit] = arguments.buffer<const Word<Value>>("parts", unit);
        updated[unit] = arguments.buffer<Properties>("updated", unit);
      }
      for (int k = 0; k < Traits<Hooks>::kAux; ++k) inputs[k] = arguments.buffer<Inputs>("aux", k);
      std::memcpy(&arg, arguments.scalars("arg"), sizeof arg);
    }
    const Word<std::uint32_t>* edges[kMostParts];
    const Word<Value>* parts[kMostParts];
    Properties* updated[kMostParts];
    Inputs* inputs[Traits<Hooks>::kAuxSlots] = {};
    const std::uint32_t* num_sub_partitions;
    const Properties* properties;
    Properties* own;
    ResultWord* sums;
    typename Traits<Hooks>::Arg arg;
  };
};

}  // namespace engine
}  // namespace gaspipe
