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
    // Efficiency: UG1399, "Using Manual Burst": 17 to 19 GB/s with bursts of 512 bits at 300 MHz; their mean. Latency:
    // as VCU1525. Nothing here was settled on times measured on this board, so that they can judge predictions.
    {MemoryKind::kDdr, 4, 16 * kGigabyte, 19.2e9, 18 / 19.2, 230},
    // ThunderGP's repository, automation/devices; LUTs likewise, in thousands.
    4,
    {{320, 500, 345000}, {320, 500, 345000}, {320, 500, 345000}, {320, 500, 345000}},
    // ThunderGP's target (config.mk); its seven kernels reached 240 to 251.
    250,
    // As VCU1525.
    50,
    300,
};

}  // namespace u250
}  // namespace device
}  // namespace gaspipe
