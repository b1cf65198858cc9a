// SPDX-License-Identifier: Apache-2.0
// hls/kernel/apply.h for the emulator. Without clocks it writes the first unit's copy of the properties alone.
#pragma once

#include <cstring>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/engine/fast_kernels.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/apply.ports.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct ApplyKernel {
  static constexpr const char* kName = "apply";
  static constexpr auto& kPorts = kernel::apply::kPorts;
  static constexpr Each kInstances = kernel::apply::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    const Ports ports(arguments);
    apply<Hooks>(arguments.units(), ports.gathered, ports.properties, ports.inputs, ports.updated, ports.sums,
                 arguments.scalar("first"), arguments.scalar("last"), arguments.scalars("arg"));
  }
  static void fast(const Arguments& arguments) {
    const Ports ports(arguments);
    fast_apply<Hooks>(ports.gathered, arguments.units(), ports.properties, ports.inputs, ports.updated[0], ports.sums,
                      arguments.scalar("first"), arguments.scalar("last"), ports.arg);
  }

 private:
  struct Ports {
    using Properties = Word<typename Traits<Hooks>::Property>;
    using Values = const Word<typename Traits<Hooks>::Update>;
    using Inputs = const Word<typename Traits<Hooks>::Aux>;

    explicit Ports(const Arguments& arguments)
        : properties(arguments.buffer<const Properties>("properties")), sums(arguments.buffer<ResultWord>("sums")) {
      for (int unit = 0; unit < arguments.units(); ++unit) {
        gathered[unit] = arguments.buffer<Values>("gathered", unit);
        updated[unit] = arguments.buffer<Properties>("updated", unit);
      }
      for (int k = 0; k < Traits<Hooks>::kAux; ++k) inputs[k] = arguments.buffer<Inputs>("aux", k);
      std::memcpy(&arg, arguments.scalars("arg"), sizeof arg);
    }
    Values* gathered[kMostUnits];
    Properties* updated[kMostUnits];
    Inputs* inputs[Traits<Hooks>::kAuxSlots] = {};
    const Properties* properties;
    ResultWord* sums;
    typename Traits<Hooks>::Arg arg;
  };
};

}  // namespace engine
}  // namespace gaspipe
