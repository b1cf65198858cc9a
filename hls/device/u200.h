// SPDX-License-Identifier: Apache-2.0
// Alveo U200: four channels of DDR4, three regions, the shell in the middle one.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace u200 {

constexpr Board kBoard = {
    "u200",
    "xilinx_u200_gen3x16_xdma_2_202110_1",  // UG1393 2022.1, "Platforms"
    // 4 channels of DDR4, 77 GB/s in all: ThunderGP (X. Chen et al., FPGA 2021). How large, and how efficient: unknown.
    {MemoryKind::kDdr, 4, 0, 19.2e9, 0},
    // ThunderGP's repository, automation/devices: as VCU1525.
    3,
    {{320, 638, 355000}, {160, 326, 160000}, {320, 638, 355000}, {0, 0}},
    // ThunderGP's target (config.mk).
    250,
};

}  // namespace u200
}  // namespace device
}  // namespace gaspipe
