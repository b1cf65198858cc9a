// SPDX-License-Identifier: Apache-2.0
// A table's entries for the CPU.
#pragma once

#include "gaspipe/engine/engine.h"
#include "gaspipe/engine/program_table.h"
#include "gaspipe/engine/session.h"

namespace gaspipe {
namespace engine {

struct OnCpu {
  template <class Program, class Parameters>
  static void fill(abi::Instance& instance) {
    instance.walk = walk_of<Program>();
    instance.open = Session<Program, Parameters, Engine<Program>, abi::Run>::open;
  }
};

}  // namespace engine
}  // namespace gaspipe
