// SPDX-License-Identifier: Apache-2.0
// Alveo U250: four channels of DDR4, four equal regions.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace u250 {

constexpr Board kBoard = {
    "u250",
    "xilinx_u250_gen3x16_xdma_3_1_202020_1",  // UG1393 2022.1, "Platforms"
    // 4 x 16 GB and 4 SLRs: ThunderGP (X. Chen et al., FPGA 2021), platforms. 19.2 GB/s: nominal, DDR4-2400.
    // Efficiency: SpMV there, 17.4 GB/s per channel by our model of its published times.
    {MemoryKind::kDdr, 4, 16 * kGigabyte, 19.2e9, 0.91},
    // ThunderGP's repository, automation/devices.
    4,
    {{320, 500}, {320, 500}, {320, 500}, {320, 500}},
    // ThunderGP's target (config.mk); its seven kernels reached 240 to 251.
    250,
    50,
    300,
    // ThunderGP, table of frequencies.
    {{"pagerank", 243},
     {"spmv", 250},
     {"bfs", 250},
     {"sssp", 251},
     {"closeness", 242},
     {"article_rank", 240},
     {"wcc", 250}},
};

}  // namespace u250
}  // namespace device
}  // namespace gaspipe
