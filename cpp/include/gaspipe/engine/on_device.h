// SPDX-License-Identifier: Apache-2.0
// A table's entries for a device that has the program's kernels: a card, or the emulator.
#pragma once

#include "gaspipe/engine/device_engine.h"
#include "gaspipe/engine/program_table.h"
#include "gaspipe/engine/session.h"

namespace gaspipe {
namespace engine {

struct OnDevice {
  template <class Program, class Parameters>
  static void fill(abi::Instance& instance) {
    instance.open_on_device = Session<Program, Parameters, DeviceEngine<Program>, abi::DeviceRun>::open;
  }
};

}  // namespace engine
}  // namespace gaspipe
