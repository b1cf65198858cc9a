// SPDX-License-Identifier: Apache-2.0
// Clocks that the published kernels reached, by board and algorithm. Source: X. Chen et al., "ThunderGP", FPGA 2021,
// doi:10.1145/3431920.3439290, table of frequencies.
#pragma once

namespace gaspipe {
namespace thundergp {

struct PublishedClock {
  const char *board, *algorithm;
  int mhz;
};

constexpr PublishedClock kClocks[] = {
    {"u250", "pagerank", 243},
    {"u250", "spmv", 250},
    {"u250", "bfs", 250},
    {"u250", "sssp", 251},
    {"u250", "closeness", 242},
    {"u250", "article_rank", 240},
    {"u250", "wcc", 250},
    {"vcu1525", "pagerank", 256},
    {"vcu1525", "spmv", 243},
    {"vcu1525", "bfs", 241},
    {"vcu1525", "sssp", 237},
    {"vcu1525", "closeness", 247},
    {"vcu1525", "article_rank", 263},
    {"vcu1525", "wcc", 245},
};

}  // namespace thundergp
}  // namespace gaspipe
