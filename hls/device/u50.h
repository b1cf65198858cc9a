// SPDX-License-Identifier: Apache-2.0
// Alveo U50: 32 pseudo-channels of HBM2.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace u50 {

constexpr Board kBoard = {
    "u50",
    "xilinx_u50_gen3x16_xdma_5_202210_1",  // UG1393 2022.1, "Platforms"
    // 8 GB in channels of 256 MB: UG1393 2023.1, "HBM Configuration and Use". How fast: unknown.
    {MemoryKind::kHbm, 32, 256 * kMegabyte, 0, 0},
    // 640 blocks of URAM, 1,344 of BRAM, in regions alike: as published designs for this board count them. LUTs:
    // unknown.
    2,
    {{320, 672}, {320, 672}, {0, 0}, {0, 0}},
    // What ReGraph (X. Chen et al., MICRO 2022) estimates with; its kernels reached about 200 to 225.
    200,
};

}  // namespace u50
}  // namespace device
}  // namespace gaspipe
