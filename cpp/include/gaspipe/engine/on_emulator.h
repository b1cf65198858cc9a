// SPDX-License-Identifier: Apache-2.0
// A table's entries for the emulator: the kernels themselves, for the host.
#pragma once

#include "gaspipe/engine/emulated_kernels.h"
#include "gaspipe/engine/program_table.h"

namespace gaspipe {
namespace engine {

struct OnEmulator {
  template <class Program, class Parameters>
  static void fill(abi::Instance& instance) {
    instance.kernels = emulated_kernels<typename Program::Hooks>();
  }
};

// Those of every instance, for a source of their own; `List` has the numbers. `More` are
// kernels that its algorithm alone has.
template <template <class> class Program, class List, template <class> class... More>
struct KernelsOf;
template <template <class> class Program, class... Numbers, template <class> class... More>
struct KernelsOf<Program, NumberList<Numbers...>, More...> {
  static constexpr NamedKernels all[] = {
      {NumberName<Numbers>::value, emulated_kernels<typename Program<Numbers>::Hooks, More...>()}...};
};

}  // namespace engine
}  // namespace gaspipe
