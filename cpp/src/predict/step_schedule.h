// SPDX-License-Identifier: Apache-2.0
// The time of a super-step from those of its kernels. Every compute unit works through its launches in order; apply of
// a partition starts once all units have gathered for it, in a queue of its own, beside what the units do next. Kernels
// that run at the same time share the memory channels: where they ask for more than one delivers, all kernels that
// use it slow down alike.
#pragma once

#include <cstddef>
#include <vector>

namespace gaspipe {
namespace predict {

// A kernel once started: how long it takes alone, and what it moves over each channel meanwhile.
struct KernelRun {
  double seconds = 0;
  std::vector<double> bytes;  // per channel
};

struct StepPlan {
  std::vector<std::vector<KernelRun>> launches;  // [group][unit]; without seconds: not launched
  std::vector<std::vector<KernelRun>> applies;   // [group]: of its partitions, in their order
  double launch_seconds = 0;                     // from a kernel's turn to its start
  double channel_bytes_per_second = 0;
  double host_seconds = 0;  // from the start; no apply is launched before
};

struct StepTime {
  double scatter_gather_seconds = 0;  // until the last unit is done
  double seconds = 0;                 // until the last apply is done
  std::vector<double> unit_seconds;   // in which each unit's kernels ran
  double apply_seconds = 0;           // in which apply ran
};

StepTime schedule_step(const StepPlan& plan);

}  // namespace predict
}  // namespace gaspipe
