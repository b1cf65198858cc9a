// SPDX-License-Identifier: Apache-2.0
// A design with two kinds of pipelines as a device that a program's host side drives. A super-step is a launch of every
// pipeline with all its sub-partitions, then one of apply, with which all of them exchange what they gathered for new
// properties. Vertices are in the design's order here.
#pragma once

#include <string>
#include <vector>

#include "cpp/src/backend/host_device.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/backend/pipeline_layout.h"
#include "cpp/src/predict/predictor.h"
#include "gaspipe/abi.h"
#include "gaspipe/active_sources.h"

namespace gaspipe {

class TwoKindsDevice : public HostDevice {
 public:
  // What surrounds the kernels. All outlives the device.
  struct Setting {
    const Pipeline& pipeline;
    const predict::KernelConfig& config;
    const predict::PipelineShape& shape;
    const Board& board;
    double clock_mhz;
    abi::Execution execution;
    const predict::Surroundings& around;
    bool skips_idle;
  };
  // A super-step's descriptors are written into the layout. Of `num_vertices` vertices `num_own` are applied, the first
  // ones in either order.
  TwoKindsDevice(const abi::Instance& instance, PipelineLayout& layout, const Setting& setting, bool is_weighted,
                 VertexId num_vertices, VertexId num_own, Workers& workers);

  const Prediction& prediction() const { return prediction_; }

 private:
  using Lines = std::vector<Word<std::uint64_t>>;
  struct Asking {
    Workers* workers;
    int worker;
    predict::KernelTiming timing;
  };

  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  bool begins_another() const;
  void plan(bool all);
  predict::KernelTiming run(const std::string& kernel, std::int32_t unit, const std::uint32_t* arg, int worker);
  abi::Buffer buffer(const std::string& port, std::int32_t unit, int i);
  std::uint32_t scalar(const std::string& port, std::int32_t unit, int i, const std::uint32_t* arg) const;
  void add_step(std::vector<predict::KernelTiming>& pipelines, predict::KernelTiming& apply, bool had_begun);

  const abi::Instance& instance_;
  PipelineLayout& layout_;
  const Setting setting_;
  Workers& workers_;
  KernelShape shape_;
  VertexId num_vertices_, num_own_;
  Lines properties_, updated_;  // apply's own; pipelines have copies in their memory, without clocks none
  std::vector<Lines> aux_, gathered_;
  Lines sums_;
  ActiveSources active_;
  bool has_begun_ = false;  // a card would have begun the next super-step by itself (card/pipelines_device.h)
  std::vector<PipelineLayout::Streamed> streamed_;  // of every pipeline
  std::vector<std::string> reports_;                // per worker
  Prediction prediction_;
};

}  // namespace gaspipe
