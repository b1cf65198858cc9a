// SPDX-License-Identifier: Apache-2.0
// A program's table with every place to run: the one file that a built-in algorithm's generated source, or a test, has
// to include.
#pragma once

#include "gaspipe/engine/on_cpu.h"
#include "gaspipe/engine/on_device.h"
#include "gaspipe/engine/on_emulator.h"

namespace gaspipe {
namespace engine {

template <class Spec>
const abi::Program* program_table(const char* name) {
  return program_table<Spec, OnCpu, OnDevice, OnEmulator>(name);
}

}  // namespace engine
}  // namespace gaspipe
