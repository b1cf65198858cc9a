// SPDX-License-Identifier: Apache-2.0
// What every program is asked where devices are compared; the answers of the plain pipeline on the CPU are right
// (tests/python).
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "gaspipe/run.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

inline Arguments question(const abi::Program& program, VertexId num_vertices) {
  if (std::string(program.name) == "spmv") {
    std::vector<float> x(num_vertices);
    for (VertexId v = 0; v < num_vertices; ++v) x[v] = static_cast<float>(v % 7) - 3;
    return {{"x", array(x)}};
  }
  if (std::string(program.name) == "closeness") {
    std::vector<std::int64_t> vertices(70);  // two passes, or three
    std::iota(vertices.begin(), vertices.end(), 200);
    return {{"vertices", array(vertices)}};
  }
  if (std::string(program.name).find("rank") != std::string::npos) return {{"max_iter", std::int64_t(4)}, {"tol", 0.0}};
  return {};
}

}  // namespace testing
}  // namespace gaspipe
