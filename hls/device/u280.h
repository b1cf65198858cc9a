// SPDX-License-Identifier: Apache-2.0
// Alveo U280: 32 pseudo-channels of HBM2. Its DDR4 is left out: no source was found for it.
#pragma once

#include "hls/device/board.h"

namespace gaspipe {
namespace device {
namespace u280 {

constexpr Board kBoard = {
    "u280",
    "xilinx_u280_gen3x16_xdma_1_202211_1",  // UG1393 2022.1, "Platforms"
    // 8 GB in channels of 256 MB: UG1393 2023.1, "HBM Configuration and Use". 460 GB/s in all; of these 425 measured:
    // Shuhai (Z. Wang et al., arXiv 2005.04324).
    {MemoryKind::kHbm, 32, 256 * kMegabyte, 14.375e9, 425.0 / 460},
    // 960 blocks of URAM, 2,016 of BRAM, in regions alike: as published designs for this board count them. LUTs:
    // unknown.
    3,
    {{320, 672}, {320, 672}, {320, 672}, {0, 0}},
    // What ReGraph (X. Chen et al., MICRO 2022) estimates with; its kernels reached about 200 to 225.
    200,
};

}  // namespace u280
}  // namespace device
}  // namespace gaspipe
