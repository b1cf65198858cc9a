// SPDX-License-Identifier: Apache-2.0
// hls/kernel/apply_parts.h for the emulator. Without clocks it writes its own copy of the properties alone.
#pragma once

#include <cstring>
#include <vector>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/engine/fast_kernels.h"
#include "hls/kernel/apply_parts.h"
#include "hls/kernel/apply_parts.ports.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct ApplyPartsKernel {
  static constexpr const char* kName = "apply_parts";
  static constexpr auto& kPorts = kernel::apply_parts::kPorts;
  static constexpr Each kInstances = kernel::apply_parts::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    const Ports ports(arguments);
    apply_parts<Hooks>(arguments.units(), ports.gathered, ports.parts, ports.properties, ports.inputs, ports.updated,
                       ports.own, ports.sums, arguments.scalar("num_partitions"), arguments.scalar("first"),
                       arguments.scalar("last"), arguments.scalars("arg"));
  }
  // All parts are merged first, in the order of the pipelines as in the region.
  static void fast(const Arguments& arguments) {
    const Ports ports(arguments);
    constexpr std::uint32_t kSize = Word<Value>::kSize;
    const VertexId first = arguments.scalar("first"), last = arguments.scalar("last");
    Word<Value> identity;
    for (Value& lane : identity.lane) lane = Traits<Hooks>::identity();
    std::vector<Word<Value>> merged((last - first + kSize - 1) / kSize, identity);
    for (std::uint32_t p = 0; p < arguments.scalar("num_partitions"); ++p) {
      const std::uint32_t (&part)[16] = ports.parts[p].lane;
      const VertexId from = part[PartitionLane::kFirstVertex] - first;
      const std::uint32_t num_words = (part[PartitionLane::kLastVertex] - first - from + kSize - 1) / kSize;
      for (int unit = 0; unit < arguments.units(); ++unit) {
        const std::uint32_t first_word = part[PartitionLane::kFirstPart + unit];
        if (first_word == kNoPart) continue;
        for (std::uint32_t w = 0; w < num_words; ++w) {
          merge_word<Hooks>(merged[from / kSize + w], ports.gathered[unit][first_word + w]);
        }
      }
    }
    const Word<Value>* const all[] = {merged.data()};
    fast_apply<Hooks>(all, 1, ports.properties, ports.inputs, ports.own, ports.sums, first, last, ports.arg);
  }

 private:
  using Value = typename Traits<Hooks>::Update;
  struct Ports {
    using Properties = Word<typename Traits<Hooks>::Property>;
    using Inputs = const Word<typename Traits<Hooks>::Aux>;

    explicit Ports(const Arguments& arguments)
        : parts(arguments.buffer<const Word<std::uint32_t>>("parts")),
          properties(arguments.buffer<const Properties>("properties")),
          own(arguments.buffer<Properties>("own")),
          sums(arguments.buffer<ResultWord>("sums")) {
      for (int unit = 0; unit < arguments.units(); ++unit) {
        gathered[unit] = arguments.buffer<const Word<Value>>("gathered", unit);
        updated[unit] = arguments.buffer<Properties>("updated", unit);
      }
      for (int k = 0; k < Traits<Hooks>::kAux; ++k) inputs[k] = arguments.buffer<Inputs>("aux", k);
      std::memcpy(&arg, arguments.scalars("arg"), sizeof arg);
    }
    const Word<Value>* gathered[kMostParts];
    Properties* updated[kMostParts];
    Inputs* inputs[Traits<Hooks>::kAuxSlots] = {};
    const Word<std::uint32_t>* parts;
    const Properties* properties;
    Properties* own;
    ResultWord* sums;
    typename Traits<Hooks>::Arg arg;
  };
};

}  // namespace engine
}  // namespace gaspipe
