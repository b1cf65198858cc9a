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

}  // namespace engine
}  // namespace gaspipe
