// SPDX-License-Identifier: Apache-2.0
// A fake card with an xclbin of one algorithm, graphs to ask it about, and the answers of the CPU.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/backend/card/fake_rig.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

// A card of one bank per compute unit, with an xclbin of one algorithm in one number format.
struct Rig : FakeRig {
  Rig(const std::string& algorithm, const std::string& number, int num_units, bool weighted = false,
      std::uint64_t bank_bytes = 256 * kMegabyte) {
    driver.instance = &instance_of(find_program(algorithm), number);
    driver.weighted = weighted;
    driver.num_units = num_units;
    for (int i = 0; i < num_units; ++i) driver.banks.push_back({i, message("DDR[", i, "]"), bank_bytes});
    design.algorithm = algorithm;
    design.number = number;
    design.board = "u250";
    design.weighted = weighted;
    design.capacity = 1 << 16;
    design.gather_scatter = "fake_gather_scatter";
    design.apply = "fake_apply";
    for (int i = 0; i < num_units; ++i) design.units.push_back(message("unit_", i));
    design.apply_unit = "apply_1";
    design.clock_mhz = 250;
  }
  RunOptions options(std::uint32_t capacity = 64) {
    if (!card) load();
    RunOptions options = gas(capacity, static_cast<std::uint32_t>(driver.num_units));
    options.device = "fpga";
    options.card = card;
    return options;
  }
  Result run(const Graph& graph, const Arguments& arguments = {}, std::uint32_t capacity = 64) {
    return gaspipe::run(find_program(design.algorithm), graph, arguments, options(capacity));
  }
};

inline Graph weighted_graph(VertexId num_vertices, std::size_t num_edges, unsigned seed) {
  Csr csr = csr_of(num_vertices, random_edges(num_vertices, num_edges, seed));
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights(num_edges);
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 100);
  csr.weights = array(weights);
  return Graph(csr);
}

inline Result on_cpu(const Rig& rig, const Graph& graph, const Arguments& arguments = {}) {
  RunOptions options = gas(64, 1);
  options.number = rig.design.number;
  return run(find_program(rig.design.algorithm), graph, arguments, options);
}

}  // namespace testing
}  // namespace gaspipe
