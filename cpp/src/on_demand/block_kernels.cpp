// SPDX-License-Identifier: Apache-2.0
// The kernels of accelerators of blocks, compiled when first asked for (GASPIPE_KERNELS=on-demand).
#include "cpp/src/backend/emulator/block_accelerator.h"
#include "cpp/src/backend/emulator/kernels_on_demand.h"
#include "gaspipe/on_demand.h"

namespace gaspipe {

abi::Kernel block_kernel(const std::string& name) {
  const std::string kernel = "gaspipe::engine::" + in_camel_case("graphops_" + name);
  const std::string source = std::string("#include \"gaspipe/engine/kernel/graphops.h\"\nextern \"C\" ") +
                             "__attribute__((visibility(\"default\"))) const gaspipe::abi::Kernel " + kMissingSymbol +
                             " = gaspipe::engine::emulated_kernel<" + kernel + ">();\n";
  return *static_cast<const abi::Kernel*>(find_missing(name, {{name + "-graphops", source}})[0]);
}

}  // namespace gaspipe
