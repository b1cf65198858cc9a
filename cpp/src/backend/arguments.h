// SPDX-License-Identifier: Apache-2.0
// Checks what a caller gives a program against what the program declares.
#pragma once

#include <vector>

#include "gaspipe/run.h"

namespace gaspipe {

// In the program's order, defaults filled in. Arrays stay owned by `arguments`.
std::vector<abi::Argument> check_arguments(const abi::Program& program, const Arguments& arguments,
                                           VertexId num_vertices);

}  // namespace gaspipe
