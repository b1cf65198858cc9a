// SPDX-License-Identifier: Apache-2.0
// The clock up to which a gather-scatter kernel, with the apply kernel beside it, can start an iteration of every loop
// each cycle: the slowest recurrence of its tasks, as tests/rtl/run measures it (LUTs of UltraScale+ and a model of
// their delays). No pipelining gets past it; what place and route reach is another matter, and lower or higher.
// tests/python/test_rtl.py holds this table to the measure, tests/rtl/leaves.csv.
#pragma once

namespace gaspipe {

struct KernelClock {
  const char* kernel;  // hls/kernel/<kernel>.h
  int lanes;
  int mhz;
  const char* leaf;  // the task, as tests/rtl/leaves.csv names it
};

constexpr KernelClock kKernelClocks[] = {
    {"gather_scatter", 8, 294, "rawSolver_sssp64"},
    {"gather_scatter", 16, 294, "rawSolver_sssp64"},
    {"packed_gather_scatter", 16, 315, "fetchSourcesParts_bfs_16"},
};

}  // namespace gaspipe
