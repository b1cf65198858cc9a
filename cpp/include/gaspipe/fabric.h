// SPDX-License-Identifier: Apache-2.0
// LUTs and BRAM of the kernels, counted from their regions (hls/kernel) without a run. LUTs are an estimate: what yosys
// makes of every task (tests/rtl/leaves.csv), times how often the region has it, and of the FIFOs that are shift
// registers a LUT per bit, or per two bits up to a depth of 16. yosys finds more LUTs than Vivado would. The hooks are
// BFS's or SSSP's: an algorithm's products and quotients, which a vendor's tool makes of DSPs, are not counted. Nor are
// the adapters of AXI ports and a board's shell, for which no source was found.
#pragma once

#include <string>

namespace gaspipe {

struct Fabric {
  int luts = 0;  // 0: not estimated
  int bram = 0;  // blocks of 36 kbit
};

// A gather-scatter kernel: its name in hls/kernel, or "thundergp".
struct FabricQuestion {
  std::string kernel;
  int lanes = 8, pes = 8, word_bytes = 4;
  bool is_weighted = false, is_floating = false;
};
// LUTs are estimated for integers of 4 and 8 bytes where every task was measured in that width.
Fabric fabric_of(const FabricQuestion& question);
// Of the kernel "apply", "apply_parts" or "thundergp", with `num_units` units and `num_aux` more inputs.
Fabric fabric_of_apply(const std::string& kernel, int num_units, int word_bytes, bool is_floating, int num_aux);

}  // namespace gaspipe
