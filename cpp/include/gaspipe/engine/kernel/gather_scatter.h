// SPDX-License-Identifier: Apache-2.0
// hls/kernel/gather_scatter.h for the emulator.
#pragma once

#include <type_traits>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/engine/fast_kernels.h"
#include "hls/kernel/gather_scatter.h"
#include "hls/kernel/gather_scatter.ports.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct GatherScatterKernel {
  static constexpr const char* kName = "gather_scatter";
  static constexpr auto& kPorts = kernel::gather_scatter::kPorts;
  static constexpr Each kInstances = kernel::gather_scatter::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;
  using Width = PipelineConfig<kPlainPipeline>;

  static void run(const Arguments& arguments) {
    if constexpr (Traits<Hooks>::kReadsEdgeProperty) {
      if (arguments.is_weighted()) return call(arguments, [](auto... a) { gather_scatter<Hooks, Width, true>(a...); });
    }
    call(arguments, [](auto... a) { gather_scatter<Hooks, Width, false>(a...); });
  }
  static void fast(const Arguments& arguments) {
    call(arguments, [](auto... a) { fast_gather_scatter<Hooks, Width>(a...); });
  }

 private:
  template <class F>
  static void call(const Arguments& arguments, const F& f) {
    using Ids = const Word<VertexId>;
    f(arguments.buffer<Ids>("sources"), arguments.buffer<Ids>("destinations"),
      arguments.buffer<const Word<typename Traits<Hooks>::EdgeProperty>>("weights"),
      arguments.buffer<const Word<typename Hooks::Property>>("properties"),
      arguments.buffer<Word<typename Traits<Hooks>::Update>>("gathered"), arguments.scalar("num_words"),
      arguments.scalar("first"), arguments.scalar("last"));
  }
};

}  // namespace engine
}  // namespace gaspipe
