// SPDX-License-Identifier: Apache-2.0
// The host side of a card with two kinds of pipelines (docs/hbm.md). A super-step: every pipeline that has anything to
// stream gathers, in one launch; when all have, every pipeline exchanges what it gathered for new properties, in
// another launch beside apply's. Old properties are replaced in the pipelines' memory; apply's own copies change places
// from step to step. Where all edges are streamed, pipelines gather for a super-step that is expected before the sums
// of the one before are read, as card/device.h has it. With U pipelines a super-step has at most 2 U + 1 starts and
// waits, a sync of a pipeline's descriptors where it streams other edges than the time before, and one of the sums from
// the card.
//
// A graph stays on the card, with its layout, as long as the program holds it.
#pragma once

#include <memory>
#include <vector>

#include "cpp/src/backend/card/launches.h"
#include "cpp/src/backend/card/parts.h"
#include "cpp/src/backend/host_device.h"
#include "cpp/src/backend/pipeline_layout.h"
#include "gaspipe/abi.h"
#include "gaspipe/active_sources.h"
#include "gaspipe/kernel_runs.h"

namespace gaspipe {

class PipelinesDevice : public HostDevice {
 public:
  // For the holder of a lease; `graph` is on the card (place_pipelines).
  PipelinesDevice(LoadedCard& card, const abi::Instance& instance, CardGraph& graph, VertexId num_vertices,
                  VertexId num_own, bool skips_idle, Workers& workers);
  ~PipelinesDevice() override;

  std::uint64_t edge_bytes_uploaded() const { return edge_bytes_uploaded_; }
  const std::vector<KernelTime>& kernel_times() const { return kernel_times_; }  // of the last super-step

 private:
  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  void settle(bool failed) noexcept override;
  void begin_step(bool all);
  void upload();
  void plan(bool all);
  void set(Launch& launch, const char* port, std::uint32_t value, std::uint32_t& is);
  int index(std::int32_t unit, const char* port) const;  // of the argument

  LoadedCard::Parts& parts_;
  const abi::Instance& instance_;
  CardGraph& graph_;
  const PipelineLayout& layout_;
  const bool skips_idle_;   // where there may be any
  bool has_begun_ = false;  // the next super-step
  Workers& workers_;
  Launches launches_;
  const Haste haste_;
  KernelShape shape_;
  VertexId num_vertices_;
  ActiveSources active_;
  std::vector<PipelineLayout::Streamed> streamed_;  // of every pipeline
  std::vector<KernelTime> kernel_times_;
  std::size_t parity_ = 0;
  std::uint64_t edge_bytes_uploaded_ = 0;
};

// Makes room on the card for a graph in that layout, and its runs; edges come later.
std::unique_ptr<CardGraph> place_pipelines(LoadedCard::Parts& parts, const abi::Instance& instance,
                                           const std::shared_ptr<const Csr>& csr,
                                           std::shared_ptr<const PipelineLayout> layout);

}  // namespace gaspipe
