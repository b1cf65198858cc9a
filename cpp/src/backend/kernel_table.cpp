// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/kernel_table.h"

#include <cstring>

#include "gaspipe/error.h"
#include "gaspipe/prediction.h"

namespace gaspipe {

const KernelTable& find_kernel_table(const std::string& name) {
  for (const KernelTable& table : kernel_tables()) {
    if (name == table.name) return table;
  }
  throw Error(message("hls/kernel has no table of ports of a kernel \"", name, "\""));
}

const Pipeline& find_pipeline(const std::string& config) {
  std::string known;
  for (const Pipeline& pipeline : kPipelines) {
    if (config == pipeline.name) return pipeline;
    known += message(known.empty() ? "" : ", ", "\"", pipeline.name, "\"");
  }
  std::string also;
  for (const KernelConfigDescription& predicted : kernel_configs()) {
    if (config == predicted.name)
      also = "it can only be predicted (gp.predict), for no kernels to run are made of it; ";
  }
  throw InputError(message("config is \"", config, "\"; ", also, "allowed are ", known));
}

const abi::Kernel& find_kernel(const abi::Instance& instance, const std::string& name) {
  for (std::uint64_t i = 0; i < instance.kernels.num_kernels; ++i) {
    if (name == instance.kernels.kernels[i].name) return instance.kernels.kernels[i];
  }
  throw Error(message("this library was compiled without the kernel ", name));
}

int argument_index(const KernelTable& kernel, const char* port, const KernelShape& shape) {
  int index = 0;
  for (std::size_t p = 0; p < kernel.num_ports; ++p) {
    if (std::strcmp(port, kernel.ports[p].name) == 0) return index;
    index += num_of(kernel.ports[p].each, shape);
  }
  throw Error(message("kernel ", kernel.name, " has no port ", port));
}

}  // namespace gaspipe
