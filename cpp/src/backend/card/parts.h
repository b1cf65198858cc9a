// SPDX-License-Identifier: Apache-2.0
// What lies on a card: graphs with the runs over them, and the buffers of both in the card's banks.
#pragma once

#include <array>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpp/src/backend/kernel_ports.h"
#include "cpp/src/backend/pipeline_layout.h"
#include "gaspipe/abi.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/loaded_card.h"
#include "hls/kernel/units.h"

namespace gaspipe {

// A run of a kernel for a partition: by one compute unit, or apply.
struct Launch {
  std::unique_ptr<CardRun> run;
  LaunchId id = {};
  std::uint64_t cycles = 0;  // estimated, roughly
  bool in_flight = false;
  double started_seconds = 0, ended_seconds = 0;  // since the super-step began, as the host saw it
  // Of apply: what `arg` was set to last.
  bool arg_is_set = false;
  std::array<std::uint32_t, kArgWords> arg = {};
  // Of gather-scatter: told to clear its buffers; the words of edges that it was told of, where it was.
  bool clears = false, words_are_set = false;
  std::uint32_t num_words = 0;
};

// A graph that stays on a card: its edges, and room for a run on it.
struct CardGraph {
  using Buffer = std::unique_ptr<CardBuffer>;
  // What a compute unit holds of a partition.
  struct SubPartition {
    std::vector<std::pair<const char*, Buffer>> edges;  // by the names of their ports
    Buffer gathered;
    bool uploaded = false;
    std::uint32_t first_word = 0, num_words = 0;  // that its descriptor on the card, if it has one, tells of
    PipelineLayout::Words descriptors;            // on the card, where there are several
  };

  std::weak_ptr<const void> key;                  // what it was made from: DeviceEdges, of two kinds of pipelines Csr
  std::vector<std::vector<std::uint32_t>> units;  // Schedule::units
  std::shared_ptr<const PipelineLayout> layout;   // of two kinds of pipelines
  std::size_t num_units = 0;

  std::shared_ptr<const std::vector<EdgeSlices>> slices;  // once a run has asked for them
  std::map<int, std::uint64_t> taken;                     // bytes by bank
  std::vector<SubPartition> sub_partitions;               // per partition and unit; of two kinds per unit
  std::array<std::vector<Buffer>, 2> properties;          // per unit, of either parity; of two kinds apply's own
  std::vector<Buffer> aux;
  std::vector<Buffer> sums;  // per partition
  // By the parity of the properties that are read; gather-scatter per partition and unit, apply per partition. Of two
  // kinds of pipelines those that gather, then those that exchange, and apply once.
  std::array<std::vector<Launch>, 2> gathers, applies;

  // Where gather-scatter reads the properties of `parity`, and apply writes the others.
  CardBuffer& buffer(const ArrayId& array, std::size_t parity);

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
  std::string what;
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
  std::vector<bool> cleared;                     // per unit: its buffers, which the card's configuration does not clear
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
  CardGraph* find(const std::shared_ptr<const void>& key, const std::vector<std::vector<std::uint32_t>>& of_units = {});
  // Makes the buffers, all or none. Graphs used longest ago make room. CapacityError where even an empty card has none.
  void allocate(const std::vector<BufferRequest>& requests, CardGraph& graph, std::uint64_t num_edges);
};

// Makes room for a graph on the card, and its runs; edges come later. `ports` are of `edges` and `schedule`.
std::unique_ptr<CardGraph> place_graph(LoadedCard::Parts& parts, const abi::Instance& instance,
                                       const std::shared_ptr<const DeviceEdges>& edges, const Schedule& schedule,
                                       const KernelPorts& ports);

}  // namespace gaspipe
