// SPDX-License-Identifier: Apache-2.0
// How a run went.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gaspipe/card.h"
#include "gaspipe/domain_stats.h"
#include "gaspipe/partition.h"
#include "gaspipe/pe_array_profile.h"
#include "gaspipe/phases.h"
#include "gaspipe/prediction.h"
#include "gaspipe/superstep_log.h"

namespace gaspipe {

// What a run asked of a card.
struct CardStats {
  std::string library;                    // of the driver, with its version
  CardCounts calls;                       // into it
  std::uint64_t edge_bytes_uploaded = 0;  // 0 for a graph that was there already
};

// Of a run over edges that stay in a file.
struct StreamStats {
  std::uint64_t memory = 0;              // what the process may take
  std::uint64_t bytes_read = 0;          // of edges, in all super-steps
  std::uint64_t bytes_from_disk = 0;     // of these: the system's cache did not have them
  std::uint64_t blocks_passed_over = 0;  // without active sources
  double seconds_waited = 0;             // for reads, of all threads
  std::string reader;                    // "io_uring", "pread" or, where nothing came from the disk, "cache"
};

// Of a run by blocks: a port's beats of 64 bytes, and the bank that it leads to.
struct PortUse {
  std::string name;
  std::size_t bank = 0;
  std::uint64_t beats = 0;
};
struct BlockStats {
  std::string kernel;
  std::vector<PortUse> ports;
  EdgeCount edges = 0;         // of the sets that were read, in all super-steps
  std::uint64_t cycles = 0;    // of the kernel, in all super-steps
  double bytes_per_cycle = 0;  // that a bank delivers
  double host_seconds = 0;     // in which the host applied, and copied properties along the edges
};

struct Stats {
  std::string device, method, number;
  int scale_bits = 0;  // of fixed point, else 0
  int attempts = 1;    // runs until the number format was wide enough
  int num_threads = 1;
  bool converged = true;
  double seconds = 0;                    // of all phases
  PhaseSeconds phases{};                 // where they went
  double prepare_seconds = 0;            // views, partitions, conversions made for this run (0 when cached)
  bool prepared = false;                 // it walked the relabeled form of the graph (gaspipe/prepared.h)
  std::string execution, board;          // of the emulator
  int clock_mhz = 0;                     // of the board
  std::optional<Prediction> prediction;  // where the run had clocks
  CardStats card;                        // of runs on one
  std::optional<StreamStats> stream;
  std::optional<BlockStats> blocks;
  std::shared_ptr<const pe_array::Profile> pe_array;  // of a search by an array of PEs
  PartitionConfig partition;
  EdgeCount num_edges = 0;
  SuperstepLog supersteps;
  std::uint64_t resumed_at = 0;      // super-steps of the run that this one goes on from
  std::vector<DomainStats> domains;  // of a run over several
};

}  // namespace gaspipe
