// SPDX-License-Identifier: Apache-2.0
// What there is to know of a board: its memory, its regions (SLRs), what they hold, its clock. One header per board, a
// `kBoard` in a namespace of the header's name. A figure of 0 is unknown: no source was found for it; each other has
// its source beside it. Partition capacity, banks and clock of a run come from here, so one kernel serves all boards.
#pragma once

#include <cstdint>

namespace gaspipe {

enum class MemoryKind { kDdr, kHbm };

// Banks of one kind. A kernel's port sees one bank: a DDR channel or a pseudo-channel of HBM.
struct Memory {
  MemoryKind kind;
  int num_banks;
  std::uint64_t bytes_per_bank;
  double peak_bytes_per_second;  // of a bank
  double efficiency;             // share of the peak that was measured with bursts of 4 KB
  double latency_ns = 0;         // from a kernel's request to its first byte, all that lies between included
  double burst_gap_ns = 0;       // lost between two bursts
  double switch_ns = 0;          // lost when the next burst is another port's
};

constexpr int kMostSlrs = 4;

struct Slr {
  int num_uram;  // blocks of 4096 words of 72 bits
  int num_bram;  // blocks of 36 kbit
  int num_luts = 0;
};

struct Board {
  const char* name;
  const char* platform;  // that v++ builds for
  Memory memory;
  int num_slrs;
  Slr slr[kMostSlrs];
  int clock_mhz;         // that kernels are built for unless told otherwise
  double launch_us = 0;  // from a kernel's place at the head of its queue to its first cycle
  double step_us = 0;    // of the host, between the end of a super-step and the next

  constexpr int num_uram() const { return slr[0].num_uram + slr[1].num_uram + slr[2].num_uram + slr[3].num_uram; }
  constexpr int num_bram() const { return slr[0].num_bram + slr[1].num_bram + slr[2].num_bram + slr[3].num_bram; }
  // 0 where a region's are unknown.
  constexpr int num_luts() const {
    const bool are_known = knows_luts(0) && knows_luts(1) && knows_luts(2) && knows_luts(3);
    return are_known ? slr[0].num_luts + slr[1].num_luts + slr[2].num_luts + slr[3].num_luts : 0;
  }
  constexpr bool knows_luts(int region) const { return region >= num_slrs || slr[region].num_luts > 0; }
  constexpr std::uint64_t memory_bytes() const {
    return static_cast<std::uint64_t>(memory.num_banks) * memory.bytes_per_bank;
  }
};

constexpr std::uint64_t kMegabyte = std::uint64_t(1) << 20, kGigabyte = std::uint64_t(1) << 30;

}  // namespace gaspipe
