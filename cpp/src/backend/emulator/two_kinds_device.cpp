// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/two_kinds_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpp/src/backend/idle_edges.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/backend/placed_layout.h"
#include "cpp/src/clock.h"
#include "cpp/src/predict/pipeline_fit.h"
#include "cpp/src/predict/senders.h"
#include "cpp/src/predict/statistics.h"
#include "gaspipe/error.h"
#include "gaspipe/kernel_runs.h"
#include "hls/kernel/apply_parts.ports.h"
#include "hls/module/apply.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {
namespace {

constexpr std::int32_t kBanksPerUnit = 2;  // edges; properties and what is gathered

}  // namespace

TwoKindsDevice::TwoKindsDevice(const abi::Instance& instance, PipelineLayout& layout, const Setting& setting,
                               bool is_weighted, VertexId num_vertices, VertexId num_own, Workers& workers)
    : instance_(instance),
      layout_(layout),
      setting_(setting),
      workers_(workers),
      shape_{is_weighted, static_cast<int>(layout.pipelines().size()), instance.num_aux},
      num_vertices_(num_vertices),
      num_own_(num_own),
      properties_(lines_for(num_vertices, instance.property_bytes)),
      updated_(properties_),
      aux_(static_cast<std::size_t>(instance.num_aux), Lines(lines_for(num_vertices, instance.aux_bytes))),
      // Sums, then a word that says which vertices are active.
      sums_(lines_for(static_cast<std::uint64_t>(std::max(1, instance.num_extras)), 8) + 1),
      // Apply's word is of all vertices that it takes, in the design's order. Ghosts of a domain may always send.
      active_(std::vector<VertexId>(1), num_own),
      streamed_(layout.pipelines().size()),
      reports_(static_cast<std::size_t>(workers.size()), std::string(kReportBytes, '\0')) {
  for (const PipelineLayout::Pipeline& pipeline : layout.pipelines()) gathered_.emplace_back(pipeline.gathered_words);
  const std::size_t num = layout.pipelines().size();
  prediction_.board = setting.board.name;
  prediction_.config = setting.config.description.name;
  prediction_.clock_mhz = setting.clock_mhz;
  prediction_.num_units = static_cast<int>(num);
  prediction_.launch_seconds = launch_seconds(setting.board);
  prediction_.step_overhead_seconds = step_seconds(setting.board);
  prediction_.channels.resize(kBanksPerUnit * num + kMemoriesOfApply);
  prediction_.peak_bytes_per_second =
      peak_bytes_per_second(setting.board.memory) * static_cast<double>(prediction_.channels.size());
  prediction_.resources = predict::pipeline_resources(setting.shape, setting.board);
  for (std::size_t unit = 0; unit <= num; ++unit) {
    UnitUse use;
    use.unit = unit < num ? static_cast<std::int32_t>(unit) : kApplyUnit;
    prediction_.units.push_back(use);
    if (unit < num) prediction_.graph_edges += layout.pipelines()[unit].num_edges;
  }
}

void TwoKindsDevice::write_properties(const void* data, std::uint64_t /*num_bytes*/) {
  has_begun_ = false;
  layout_.order(data, properties_.data(), static_cast<std::uint64_t>(instance_.property_bytes), workers_);
  if (setting_.execution != abi::kFast && !properties_.empty()) {
    for (PipelineLayout::Pipeline& pipeline : layout_.pipelines()) {
      std::memcpy(pipeline.memory.data(), properties_.data(), properties_.size() * sizeof properties_[0]);
    }
  }
  active_.restart(find_senders(instance_, shape_.weighted, properties_.data(), num_vertices_, workers_));
}
void TwoKindsDevice::write_aux(std::size_t k, const void* data, std::uint64_t /*num_bytes*/) {
  layout_.order(data, aux_[k].data(), static_cast<std::uint64_t>(instance_.aux_bytes), workers_);
}
void TwoKindsDevice::read_properties(void* data, std::uint64_t num_bytes) {
  std::memset(data, 0, num_bytes);
  layout_.restore(properties_.data(), data, static_cast<std::uint64_t>(instance_.property_bytes), workers_);
}

abi::Buffer TwoKindsDevice::buffer(const std::string& port, std::int32_t unit, int i) {
  const auto whole = [](const auto& words) {
    return abi::Buffer{const_cast<void*>(static_cast<const void*>(words.data())), words.size() * 64};
  };
  const auto of = static_cast<std::size_t>(unit == kApplyUnit ? i : unit);  // of the ports of all pipelines
  if (port == "edges") return whole(layout_.pipelines()[of].edges);
  if (port == "memory") return whole(layout_.pipelines()[of].memory);
  if (port == "gathered" || port == "parts") return whole(gathered_[of]);
  if (port == "updated")
    return setting_.execution == abi::kFast ? whole(properties_) : whole(layout_.pipelines()[of].memory);
  if (port == "properties") return whole(properties_);
  if (port == "own") return whole(updated_);
  if (port == "aux") return whole(aux_[static_cast<std::size_t>(i)]);
  if (port == "sums") return whole(sums_);
  throw Error(message("nothing is known for port ", port, " of a pipeline"));
}

std::uint32_t TwoKindsDevice::scalar(const std::string& port, std::int32_t unit, int i,
                                     const std::uint32_t* arg) const {
  if (port == "num_sub_partitions") {
    return static_cast<std::uint32_t>(
        streamed_[static_cast<std::size_t>(unit == kApplyUnit ? i : unit)].descriptors.size());
  }
  if (port == "num_cleared" || port == "num_vertices" || port == "first") return 0;
  if (port == "last") return num_own_;
  if (port == "arg") return arg[i];
  throw Error(message("nothing is known for port ", port, " of a pipeline"));
}

predict::KernelTiming TwoKindsDevice::run(const std::string& name, std::int32_t unit, const std::uint32_t* arg,
                                          int worker) {
  std::vector<abi::Buffer> buffers;
  std::vector<std::uint32_t> scalars;
  const auto add = [&](const Port& port) {
    for (int i = 0; i < num_of(port.each, shape_); ++i) {
      if (port.kind == PortKind::kScalar) scalars.push_back(scalar(port.name, unit, i, arg));
      if (is_memory(port.kind)) buffers.push_back(buffer(port.name, unit, i));
    }
  };
  if (unit == kApplyUnit) {
    for (const Port& port : kernel::apply_parts::kWithPipelines) add(port);
  } else {
    const KernelTable& kernel = find_kernel_table(name);
    std::for_each(kernel.ports, kernel.ports + kernel.num_ports, add);
  }
  const abi::KernelCall call = {buffers.data(), scalars.data(), shape_.units, shape_.weighted};
  Asking asking{&workers_, worker, {}};
  abi::Emulation emulation{};
  emulation.execution = setting_.execution;
  emulation.bytes_per_cycle = setting_.around.channel.bytes_per_cycle;
  emulation.latency = setting_.around.channel.latency;
  emulation.burst_gap = setting_.around.channel.burst_gap;
  emulation.switch_penalty = setting_.around.channel.switch_penalty;
  emulation.banks_per_unit = kBanksPerUnit;
  emulation.used = [](void* self, const abi::KernelUse* use) {
    static_cast<Asking*>(self)->timing = predict::timing_from(*use);
  };
  emulation.self = &asking;
  emulation.stopped = [](void* self) -> std::int32_t {
    const auto& asked = *static_cast<Asking*>(self);
    return asked.workers->poll(asked.worker);
  };
  std::string& report = reports_[static_cast<std::size_t>(worker)];
  emulation.report = &report[0];
  emulation.report_size = report.size();
  const std::int32_t status = find_kernel(instance_, name).run(&call, &emulation);
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  if (status == abi::kBadDesign) {
    const std::string where = unit == kApplyUnit ? "" : message(", pipeline ", unit);
    throw DeviceError(message("emulator, ", name, where, ": ", emulation.report));
  }
  if (status != abi::kOk) workers_.cancel();
  asking.timing.cycles = emulation.cycles;
  return std::move(asking.timing);
}

// Before it is known who sends. Without clocks nothing is gained.
bool TwoKindsDevice::begins_another() const {
  if (setting_.execution == abi::kFast) return false;
  if (!setting_.skips_idle || !may_be_idle(instance_)) return true;
  const double lanes = static_cast<double>(setting_.pipeline.lanes) * static_cast<double>(layout_.pipelines().size());
  const Haste haste = {lanes * setting_.clock_mhz * 1e6, prediction_.step_overhead_seconds};
  return haste.pays(layout_.num_idle(active_), layout_.num_edges());
}

void TwoKindsDevice::plan(bool all) {
  for (std::size_t unit = 0; unit < streamed_.size(); ++unit) {
    layout_.select(unit, setting_.skips_idle && !all ? &active_ : nullptr, streamed_[unit]);
    const PipelineLayout::Words& descriptors = streamed_[unit].descriptors;
    std::copy(descriptors.begin(), descriptors.end(), layout_.pipelines()[unit].edges.begin());
  }
}

void TwoKindsDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  const auto start = Clock::now();
  const std::size_t num = layout_.pipelines().size();
  const auto num_dense = static_cast<std::size_t>(setting_.shape.dense.num_pipelines);
  std::vector<predict::KernelTiming> timings(num);
  const bool had_begun = has_begun_;
  plan(/*all=*/had_begun);
  has_begun_ = expects_another() && begins_another();
  workers_.each(num, 1, [&](std::uint64_t unit, std::uint64_t, int worker) {
    if (streamed_[unit].descriptors.empty()) return;
    timings[unit] = run(unit < num_dense ? setting_.pipeline.dense : setting_.pipeline.gather_scatter,
                        static_cast<std::int32_t>(unit), nullptr, worker);
  });
  workers_.check();
  stats->seconds[abi::kScatterGather] = seconds_since(start);
  const auto applying = Clock::now();
  predict::KernelTiming applied = run(setting_.pipeline.apply, kApplyUnit, static_cast<const std::uint32_t*>(arg), 0);
  workers_.check();
  std::swap(properties_, updated_);
  const int num_sums = std::max(1, instance_.num_extras);
  std::memcpy(sums, sums_.data(), static_cast<std::size_t>(num_sums) * 8);
  active_.set(0, sums_.back());
  stats->edges = 0;
  for (const PipelineLayout::Streamed& streamed : streamed_) stats->edges += streamed.num_edges;
  if (setting_.execution != abi::kFast) add_step(timings, applied, had_begun);
  stats->seconds[abi::kApply] = seconds_since(applying);
}

void TwoKindsDevice::add_step(std::vector<predict::KernelTiming>& pipelines, predict::KernelTiming& apply,
                              bool had_begun) {
  const auto seconds_of = [&](std::uint64_t cycles) {
    return static_cast<double>(cycles) / (setting_.clock_mhz * 1e6);
  };
  const double rate = bytes_per_second(setting_.board.memory);
  StepPrediction step;
  // Channel c of a kernel is the design's number `first` + c.
  const auto add = [&](const predict::KernelTiming& timing, std::size_t unit, std::size_t first) {
    prediction_.units[unit].busy_seconds += seconds_of(timing.cycles);
    for (std::size_t c = 0; c < timing.bytes.size(); ++c) {
      const auto bytes = static_cast<std::uint64_t>(timing.bytes[c] + 0.5);
      prediction_.channels[first + c].bytes += bytes;
      prediction_.channels[first + c].busy_seconds += static_cast<double>(bytes) / rate;
      prediction_.units[unit].bytes += bytes;
      step.bytes += bytes;
    }
  };
  std::uint64_t longest = 0;
  for (std::size_t unit = 0; unit < pipelines.size(); ++unit) {
    if (streamed_[unit].descriptors.empty()) continue;
    predict::KernelTiming& timing = pipelines[unit];
    timing.edges = streamed_[unit].num_edges;
    longest = std::max(longest, timing.cycles);
    prediction_.units[unit].edges += timing.edges;
    step.edges += timing.edges;
    add(timing, unit, kBanksPerUnit * unit);
    predict::add_statistics(prediction_, setting_.config, timing);
  }
  add(apply, pipelines.size(), 0);
  predict::add_apply_statistics(prediction_, apply);
  step.timed_edges = step.edges;
  step.scatter_gather_seconds = seconds_of(longest) + prediction_.launch_seconds;
  step.apply_seconds = seconds_of(apply.cycles) + prediction_.launch_seconds;
  const double host = prediction_.step_overhead_seconds;
  const double gathered = had_begun ? std::max(step.scatter_gather_seconds, host) : step.scatter_gather_seconds + host;
  step.seconds = gathered + step.apply_seconds;
  prediction_.add_step(step);
}

}  // namespace gaspipe
