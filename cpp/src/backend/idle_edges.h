// SPDX-License-Identifier: Apache-2.0
// What the kernels of a super-step stream and what they pass over, partition by partition, from apply's words of
// activity. A host does what is said here; the emulator's and a card's do the same.
//
// A sub-partition whose sources do not send is launched once without edges, so that what is gathered there is identity,
// and not at all after that. In programs that declare kIdempotent, applying identity keeps every property and counts
// nothing: once that was done for a partition, its properties are the same in both buffers, old and new, and apply is
// not launched either until an edge is streamed again.
#pragma once

#include <memory>
#include <vector>

#include "cpp/src/backend/kernel_ports.h"
#include "gaspipe/active_sources.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// Whether vertices may be idle in a super-step, so that kernels can pass over edges along which nothing new is sent.
inline bool may_be_idle(const abi::Instance& instance) {
  return instance.idempotent != 0 || instance.kernels.sent != nullptr;
}

// Of every partition and compute unit.
std::shared_ptr<const std::vector<EdgeSlices>> find_edge_slices(const DeviceEdges& edges, const KernelPorts& ports,
                                                                Workers& workers);

class IdleEdges {
 public:
  // `slices` by find_edge_slices. All outlive this.
  IdleEdges(const abi::Instance& instance, const DeviceEdges& edges, const KernelPorts& ports,
            std::shared_ptr<const std::vector<EdgeSlices>> slices, Skips skips);

  // Properties were written from outside, of vertices that send as find_senders says.
  void restart(const std::vector<std::uint64_t>& senders);
  // Decides about the next super-step: what active sources need, or all.
  void plan();
  void plan_all();
  // After plan_all, once it is known who sends: what plan() would have passed over.
  void look_back();
  // After either: whether to plan all for the super-step that follows.
  bool pays(const Haste& haste) const { return streams_all_ || haste.pays(num_idle_, num_edges_); }
  const StepLaunches& launches() const { return launches_; }
  GatherLaunch launch(std::size_t partition, std::size_t unit) const {
    return launches_.gathers[partition * num_units_ + unit];
  }
  const EdgeWindow& window(std::size_t partition, std::size_t unit) const {
    return launches_.windows[partition * num_units_ + unit];
  }
  bool applies(std::size_t partition) const { return launches_.applies[partition] != 0; }
  EdgeCount num_edges() const;

  // What apply wrote, behind the sums, for a partition that it was launched for in the last super-step.
  void applied(std::size_t partition, const ActivityWord& word);

  // What a launch is started with. Plain kernels begin with the first word, whatever the window is.
  std::uint32_t num_words(std::size_t partition, std::size_t unit) const {
    return window(partition, unit).first_word + window(partition, unit).num_words;
  }
  Word<std::uint32_t> descriptor(std::size_t partition, std::size_t unit) const;

 private:
  void choose(Skips skips);
  EdgeWindow window_of(std::size_t i, Skips skips) const;

  const KernelPorts& ports_;
  std::shared_ptr<const std::vector<EdgeSlices>> slices_;  // per partition and unit
  Skips skips_;
  bool is_idempotent_, streams_all_;
  std::size_t num_partitions_, num_units_;
  ActiveSources active_;
  StepLaunches launches_;
  EdgeCount num_edges_ = 0, num_idle_ = 0;  // of all; passed over, or what could have been
  std::vector<char> is_clear_;              // per partition and unit: what was gathered is identity
  std::vector<char> is_settled_;            // per partition: old and new properties are the same
};

}  // namespace gaspipe
