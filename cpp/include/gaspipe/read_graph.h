// SPDX-License-Identifier: Apache-2.0
// Rows from a text file on disk. Python reads more formats, and compressed files.
#pragma once

#include <string>

#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

enum class GraphFile { kEdgeList, kDimacs10 };  // as EdgeListParser and MetisParser read them

// InputError where the file cannot be read, GraphFormatError for its first bad line.
Csr read_graph(const std::string& path, GraphFile format, Workers& workers);

}  // namespace gaspipe
