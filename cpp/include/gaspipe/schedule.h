// SPDX-License-Identifier: Apache-2.0
// In which order the partitions are run, and which compute unit takes which of a partition's sub-partitions. Changes
// when things happen, never what comes out: integers and fixed point to the bit, floating point up to the order in
// which compute units are merged.
//
// One scheduler per file of cpp/src/schedule; another may be handed in (RunOptions::scheduler, registerScheduler).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/partition.h"

namespace gaspipe {

struct Schedule {
  std::vector<std::uint32_t> partitions;          // in the order of their runs
  std::vector<std::vector<std::uint32_t>> units;  // units[p][i]: of sub-partition i of partition p
};

// The three parts of a scheduler, called in this order. All are required.
struct Scheduler {
  std::function<void(const Partitioning&)> init;
  // The unit of every sub-partition: each unit once. Called for the partitions in ascending order.
  std::function<std::vector<std::uint32_t>(const Partition&)> arrange_sub_partitions;
  // Every partition once.
  std::function<std::vector<std::uint32_t>(const Partitioning&)> arrange_partitions;
};

// The files of cpp/src/schedule; InputError lists the known ones.
struct NamedScheduler {
  const char* name;
  Scheduler (*make)();
};
const std::vector<NamedScheduler>& schedulers();
Scheduler make_scheduler(const std::string& name);

// Runs a scheduler. InputError for one that lacks a part, or returns what is no permutation.
Schedule make_schedule(const Scheduler& scheduler, const Partitioning& partitioning);

}  // namespace gaspipe
