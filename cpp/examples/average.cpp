// SPDX-License-Identifier: Apache-2.0
// The accelerator of weighted_average.h on a random graph: what it would take on a U250.
#include <cstdlib>
#include <iostream>
#include <string>

#include "cpp/examples/accelerator.h"
#include "gaspipe/generate.h"

int main(int num_words, char** words) {
  using namespace gaspipe;
  const std::string scale = num_words == 2 ? words[1] : num_words == 1 ? "12" : "";
  if (scale.empty() || scale.size() > 2 || scale.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(scale) > 20) {
    std::cerr << "usage: average [SCALE]\nA graph of 2^SCALE vertices, SCALE 0 to 20 (12).\n";
    return 2;
  }
  Workers workers;
  const EdgeList edges = kronecker_edges(std::stoi(scale), 8, 1, workers);
  const Csr rows = build_csr(edges, edges.num_vertices, workers);
  std::vector<float> values(rows.num_rows);
  for (VertexId v = 0; v < rows.num_rows; ++v) values[v] = static_cast<float>(v % 100);
  const example::AverageRun run = example::run_weighted_average(rows, values, find_board("u250"));
  std::cout << rows.num_rows << " vertices, " << rows.num_edges() << " edges: " << run.cycles << " cycles and "
            << run.num_bytes << " bytes, " << static_cast<double>(rows.num_edges()) / run.seconds / 1e6
            << " million edges per second predicted on u250\n";
}
