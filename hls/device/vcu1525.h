// SPDX-License-Identifier: Apache-2.0
// VCU1525, the developer board before the Alveo U200: four channels of DDR4, three regions, the shell in the middle
// one.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace vcu1525 {

constexpr Board kBoard = {
    "vcu1525",
    "xilinx_vcu1525_xdma_201830_1",  // ThunderGP, platforms
    // 4 x 16 GB and 3 SLRs: ThunderGP (X. Chen et al., FPGA 2021), platforms. 19.2 GB/s: nominal, DDR4-2400.
    // Efficiency: SpMV and SSSP there, 13 to 14 GB/s per channel by our model of its published times.
    // Latency: the scheduler of its repository measured 309.6 us for a sub-partition without edges; a flush of 512
    // bursts is 96 cycles each and the wait for an answer, which leaves 59 cycles at 256 MHz.
    {MemoryKind::kDdr, 4, 16 * kGigabyte, 19.2e9, 0.72, 230},
    // ThunderGP's repository, automation/devices; LUTs likewise, in thousands.
    3,
    {{320, 638, 355000}, {160, 326, 160000}, {320, 638, 355000}, {0, 0}},
    // ThunderGP's target (config.mk); its seven kernels reached 241 to 263.
    250,
    // By our model of its published times of PageRank here, without which small graphs come out too fast.
    50,
    300,
};

}  // namespace vcu1525
}  // namespace device
}  // namespace gaspipe
