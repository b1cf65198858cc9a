// SPDX-License-Identifier: Apache-2.0
// A kernel that is no part of a pipeline, on a card: what its ports lead to, and its launches. A graph stays on the
// card, as pipelines' graphs do, for as long as what it was made from is there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpp/src/backend/card/launches.h"
#include "cpp/src/backend/card/parts.h"
#include "gaspipe/csr.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// An array of a PE, or of all of a kernel without PEs, in a bank of the first of its ports.
struct CardArray {
  std::string name;  // in messages
  std::vector<const char*> ports;
  const void* data;
  std::uint64_t num_bytes;
  bool changes = false;  // by launches, or between them: without data
};

class KernelAlone {
 public:
  // Has the card of the options to itself until the end. DeviceError where its xclbin has no `kernel`, which the
  // option `asked` is for.
  KernelAlone(const RunOptions& options, const char* kernel, const std::string& asked);

  const CardDesign& design() const { return card_->design(); }
  int num_pes() const { return static_cast<int>(design().pes); }  // 0: it has none
  // Vertices that a PE has room for. CapacityError where each of `pes` owns up to `share`, and that is too many.
  VertexId checked_capacity(int pes, VertexId share) const;
  // Makes room for the arrays of all PEs, and sends those that stay. Those of a graph that is there already, by its
  // `key` (null: of this run alone), stay where they are. CapacityError where there is no room.
  void place(const std::shared_ptr<const void>& key, const std::vector<std::vector<CardArray>>& of_pes,
             EdgeCount num_edges);
  // What changes: the host's side of a PE's array, and its way to the card and back.
  void* changed(int pe, std::size_t array = 0) { return buffer(pe, array).data(); }
  void send(int pe, std::uint64_t offset, std::uint64_t num_bytes, std::size_t array = 0);
  void fetch(int pe, std::uint64_t offset, std::uint64_t num_bytes, std::size_t array = 0);
  // The next launches'. A kernel keeps what it was told.
  void set(const char* port, std::uint32_t value);
  // Starts the kernel and waits for it. It takes `cycles`, roughly, and `most` where there are as many levels as
  // vertices; in much more than both it hangs. DeviceError where it fails, Cancelled when interrupted: it has ended in
  // both cases, or the card is not used again. Returns seconds.
  double launch(std::uint64_t cycles, std::uint64_t most = 0);

  // Where a run was.
  void describe(Stats& stats) const;

 private:
  CardBuffer& buffer(int pe, std::size_t array) {
    return *graph_->sub_partitions[static_cast<std::size_t>(pe)].edges[array].second;
  }
  template <class F>
  void guarded(const F& f);

  std::shared_ptr<LoadedCard> card_;
  const char* kernel_;
  LoadedCard::Lease lease_;
  LoadedCard::Parts& parts_;
  Workers workers_;
  Launches launches_;
  CardCounts counts_before_;
  CardGraph* graph_ = nullptr;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace gaspipe
