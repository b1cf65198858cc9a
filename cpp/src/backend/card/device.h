// SPDX-License-Identifier: Apache-2.0
// The host side of a card: what lies where, what runs when. Knows compute units, banks and runs (gaspipe/card.h), and
// of programs what a device is told (abi::Device); neither XRT nor an algorithm.
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
// A graph's edges are uploaded once, each sub-partition's right before its first run, while others run already.
#pragma once

#include <array>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/run.h"
#include "gaspipe/schedule.h"
#include "gaspipe/workers.h"
#include "hls/kernel/units.h"

namespace gaspipe {

// A run of a kernel for a partition: by one compute unit, or apply.
struct Launch {
  std::unique_ptr<CardRun> run;
  std::uint32_t partition = 0;
  std::int32_t unit = 0;     // kApplyUnit: apply
  std::uint64_t cycles = 0;  // estimated, roughly
  bool in_flight = false;
  double started_seconds = 0, ended_seconds = 0;  // since the super-step began, as the host saw it
  // Of apply: what `arg` was set to last.
  bool arg_is_set = false;
  std::array<std::uint32_t, kArgWords> arg = {};
};

// A graph that stays on a card: its edges, and room for a run on it.
struct CardGraph {
  using Buffer = std::unique_ptr<CardBuffer>;
  // What a compute unit holds of a partition.
  struct Share {
    Buffer sources, destinations, weights, gathered;
    bool uploaded = false;
  };

  std::weak_ptr<const DeviceEdges> edges;
  std::vector<std::vector<std::uint32_t>> units;  // Schedule::units
  std::size_t num_units = 0;

  std::map<int, std::uint64_t> taken;             // bytes by bank
  std::vector<Share> shares;                      // per partition and unit
  std::array<std::vector<Buffer>, 2> properties;  // per unit, of either parity
  std::vector<Buffer> aux;
  std::vector<Buffer> sums;  // per partition
  // By the parity of the properties that are read; gather-scatter per partition and unit, apply per partition.
  std::array<std::vector<Launch>, 2> gathers, applies;

  template <class F>
  void each_launch(const F& f) {
    for (auto* launches : {&gathers[0], &gathers[1], &applies[0], &applies[1]}) {
      for (Launch& launch : *launches) f(launch);
    }
  }
};

constexpr std::uint32_t kNoPartition = ~0u;

// A buffer to be made: in which of these banks, for what.
struct BufferRequest {
  CardGraph::Buffer* buffer;
  const std::vector<MemoryBank>* banks;
  std::uint64_t num_bytes;
  const char* what;
  bool of_edges;
  std::uint32_t partition;  // kNoPartition: of none
  int unit;
};

struct LoadedCard::Parts {
  Parts(CardDriver& card_driver, int card_index, const CardDesign& card_design)
      : driver(card_driver), index(card_index), design(card_design) {}

  CardDriver& driver;
  int index;
  const CardDesign& design;
  std::chrono::milliseconds patience{60000};  // with a run, besides 1000 times what it should take

  std::unique_ptr<Card> card;  // none: not open
  std::vector<std::unique_ptr<CardUnit>> units;
  std::unique_ptr<CardUnit> apply;
  std::map<int, std::uint64_t> taken;            // bytes by bank
  std::list<std::unique_ptr<CardGraph>> graphs;  // used last first
  CardCounts closed;                             // of cards that were open before
  bool suspect = false;                          // something failed: to be opened again

  // Opens the card unless it is open and well. DeviceError where a run of an earlier failure is still under way.
  void open();
  void close();
  CardCounts counts() const;
  bool anything_in_flight();
  void drop(std::list<std::unique_ptr<CardGraph>>::iterator graph);
  void drop_all();
  // The graph, if it is here; what belongs to graphs that are gone is freed.
  CardGraph* find(const std::shared_ptr<const DeviceEdges>& edges, const Schedule& schedule);
  // Makes the buffers, all or none. Graphs used longest ago make room. CapacityError where even an empty card has none.
  void allocate(const std::vector<BufferRequest>& requests, CardGraph& graph, std::uint64_t num_edges);
};

class CardDevice {
 public:
  // For who has a lease of the card. A graph that is not there yet gets its place on the card, its edges come later.
  CardDevice(LoadedCard& card, const abi::Instance& instance, std::shared_ptr<const DeviceEdges> edges,
             Schedule schedule, Workers& workers);

  // What a program's host side drives. Exceptions wait in `failure`; the call then returns kCancelled, as does every
  // later one.
  abi::Device table();
  const std::exception_ptr& failure() const { return failure_; }
  const Schedule& schedule() const { return schedule_; }
  std::uint64_t edge_bytes_uploaded() const { return edge_bytes_uploaded_; }
  // Of the last super-step, in the order of the schedule. A run that waited in its unit's queue counts from the end of
  // the one before.
  std::vector<KernelTime> kernel_times() const;

 private:
  std::unique_ptr<CardGraph> make_graph();
  void make_launches(CardGraph& graph);
  void write(CardBuffer& buffer, const void* data, std::uint64_t num_bytes);
  void upload(std::size_t partition, std::size_t unit);
  void superstep(const void* arg, void* sums, abi::Superstep* stats);
  void start_gather(std::size_t partition, std::size_t unit);
  void start_apply(std::size_t partition, const void* arg);
  void start(Launch& launch);
  void wait(Launch& launch, bool may_stop);
  void add_sums(std::size_t partition, void* sums);
  // Waits for all that is under way, after a failure not for ever.
  void settle(bool failed) noexcept;
  std::string name_of(const Launch& launch) const;
  template <class F>
  std::int32_t guarded(const F& f);

  LoadedCard& card_;
  LoadedCard::Parts& parts_;
  const abi::Instance& instance_;
  std::shared_ptr<const DeviceEdges> edges_;
  Schedule schedule_;
  Workers& workers_;
  std::size_t num_partitions_, num_units_;
  std::vector<std::uint32_t> slices_;  // of a partition and unit: which sub-partition
  CardGraph* graph_ = nullptr;
  std::size_t parity_ = 0;
  std::chrono::steady_clock::time_point superstep_start_;
  std::uint64_t edge_bytes_uploaded_ = 0;
  std::exception_ptr failure_;
};

}  // namespace gaspipe
