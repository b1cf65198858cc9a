// SPDX-License-Identifier: Apache-2.0
// A program's kernels for the emulator where the build left them out (GASPIPE_KERNELS=on-demand): its table then has
// their names alone, and a run has those that it needs compiled.
#pragma once

#include <string>
#include <vector>

#include "gaspipe/abi.h"

namespace gaspipe {

// "gather_scatter" as the name of a class: "GatherScatter".
std::string in_camel_case(const std::string& name);

// The names of a program's kernels, as a table has them.
abi::Kernels kernels_on_demand(const std::string& algorithm);

// The instance, with code for these kernels: itself where it has that, else one that has, which lives as long as the
// process. `algorithm` is the program's name.
const abi::Instance& with_kernels(const abi::Instance& instance, const std::string& algorithm,
                                  const std::vector<std::string>& kernels);

}  // namespace gaspipe
