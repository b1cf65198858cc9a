// SPDX-License-Identifier: Apache-2.0
// The host side of a card: what lies where, what runs when. It works with compute units, banks and runs
// (gaspipe/card.h), and with what a device receives of a program (abi::Device); it uses neither XRT nor an algorithm.
//
// A super-step. Every compute unit has a queue of two runs, of the partition at hand and of the next, so that it never
// waits for the host. When all units are done with a partition, its apply starts, beside the gather-scatters that
// follow; at the end of the super-step the host waits for the applies, and reads their sums. Gather-scatter reads the
// old properties and apply writes the new ones; the two sets of buffers are swapped from step to step, and every run
// exists once for either, with its arguments set. With P partitions and U units that makes, a super-step:
//
//   P (U + 1) starts, P (U + 1) waits (one more for every 100 ms that a run lasts), P syncs of sums from the card,
//   one argument per run of apply and 32-bit word of the program's Arg that changed since the last but one step;
//   no allocation, and nothing else.
//
// Where edges are passed over (idle_edges.h) there are fewer starts, waits and syncs, and for a sub-partition of which
// others are streamed than the time before, an argument (plain kernels) or a sync of its descriptor (packed ones).
//
// Where every edge is streamed, nothing that gather-scatter needs comes from the host: the first runs of a super-step
// that is expected start before the sums of the one before are read, so that the host's time lies beside them. If it
// does not come, they have run in vain. So it is in every super-step of programs without idle edges, and of others
// where that takes less time than passing over them (Haste, gaspipe/edge_slices.h).
//
// A graph's edges are uploaded once, each sub-partition's right before its first run, while others run already.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpp/src/backend/card/launches.h"
#include "cpp/src/backend/card/parts.h"
#include "cpp/src/backend/host_device.h"
#include "cpp/src/backend/idle_edges.h"
#include "gaspipe/abi.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/kernel_runs.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/schedule.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class CardDevice : public HostDevice {
 public:
  // For the holder of a lease of the card. A new graph is given its place on the card here; its edges are uploaded
  // later.
  CardDevice(LoadedCard& card, const abi::Instance& instance, std::shared_ptr<const DeviceEdges> edges,
             Schedule schedule, Skips skips, Workers& workers);
  ~CardDevice() override;

  const KernelPorts& ports() const { return ports_; }
  std::uint64_t edge_bytes_uploaded() const { return edge_bytes_uploaded_; }
  // Of the last super-step, in the order of the schedule. A run that waited in its unit's queue counts from the end of
  // the one before.
  std::vector<KernelTime> kernel_times() const;

 private:
  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  void settle(bool failed) noexcept override;
  void begin_step(bool all);
  void upload(std::size_t partition, std::size_t unit);
  void start_gather(std::size_t partition, std::size_t unit);
  void start_apply(std::size_t partition, const void* arg);
  void set_clearing(Launch& launch);
  void set_window(Launch& launch);
  void add_sums(std::size_t partition, void* sums);

  LoadedCard& card_;
  LoadedCard::Parts& parts_;
  const abi::Instance& instance_;
  std::shared_ptr<const DeviceEdges> edges_;
  Schedule schedule_;
  Workers& workers_;
  KernelPorts ports_;
  std::size_t num_partitions_, num_units_;
  Launches launches_;
  std::optional<IdleEdges> idle_;
  const Haste haste_;
  std::vector<char> applied_;  // per partition: whether apply was launched in the last super-step
  bool has_begun_ = false;     // the next super-step
  CardGraph* graph_ = nullptr;
  std::size_t parity_ = 0;
  std::uint64_t edge_bytes_uploaded_ = 0;
};

}  // namespace gaspipe
