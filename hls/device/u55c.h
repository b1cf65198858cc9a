// SPDX-License-Identifier: Apache-2.0
// Alveo U55C: 32 pseudo-channels of HBM2.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace u55c {

constexpr Board kBoard = {
    "u55c",
    "xilinx_u55c_gen3x16_xdma_3_202210_1",  // UG1393 2022.1, "Platforms"
    // 16 GB in channels of 512 MB: UG1393 2023.1, "HBM Configuration and Use". 14.375 GB/s:
    // assumed to be as in U280. Efficiency: unknown.
    {MemoryKind::kHbm, 32, 512 * kMegabyte, 14.375e9, 0},
    // 960 blocks of URAM, 2,016 of BRAM, in regions alike: as published designs for this board count them. LUTs:
    // unknown.
    3,
    {{320, 672}, {320, 672}, {320, 672}, {0, 0}},
    // Unknown.
    0,
};

}  // namespace u55c
}  // namespace device
}  // namespace gaspipe
