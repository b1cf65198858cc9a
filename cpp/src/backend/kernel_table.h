// SPDX-License-Identifier: Apache-2.0
// The kernels of hls/kernel, each with its table of ports, and the pipelines that they make.
#pragma once

#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "hls/kernel/pipelines.h"
#include "hls/kernel/port.h"

namespace gaspipe {

struct KernelTable {
  const char *name, *short_name;
  Each instances;  // compute units: one, or as many as the design has
  const Port* ports;
  std::size_t num_ports;
};
const std::vector<KernelTable>& kernel_tables();  // hls/kernel/<name>.ports.h
const KernelTable& find_kernel_table(const std::string& name);

const Pipeline& find_pipeline(const std::string& config);  // InputError lists the known ones
// A program's kernel, for the emulator. Error where it was built without.
const abi::Kernel& find_kernel(const abi::Instance& instance, const std::string& name);

constexpr std::size_t kReportBytes = 1 << 14;  // most of what a kernel says of a failure

// Index of a port among a kernel's arguments; of several, the first.
int argument_index(const KernelTable& kernel, const char* port, const KernelShape& shape);

}  // namespace gaspipe
