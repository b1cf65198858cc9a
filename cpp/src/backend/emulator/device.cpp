// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/device.h"

#include <algorithm>
#include <cstring>

#include "cpp/src/backend/emulator/host_kernels.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/predict/senders.h"
#include "gaspipe/error.h"

namespace gaspipe {

EmulatedDevice::EmulatedDevice(const abi::Instance& instance, const DeviceEdges& edges, const Schedule& schedule,
                               const KernelPorts& ports, abi::Execution execution, predict::Predictor* predictor,
                               bool predictor_times, Skips skips, Workers& workers)
    : instance_(instance),
      schedule_(schedule),
      ports_(ports),
      lines_(edges.lines()),
      execution_(execution),
      predictor_(predictor),
      predictor_times_(predictor_times),
      workers_(workers),
      num_vertices_(edges.partitioning().csr().num_rows),
      num_partitions_(edges.partitioning().size()),
      num_units_(edges.partitioning().config().compute_units),
      idle_(instance, edges, ports, find_edge_slices(edges, ports, workers), skips),
      kernel_times_(num_partitions_ * (num_units_ + 1)),
      reports_(static_cast<std::size_t>(workers.size()), std::string(kReportBytes, '\0')) {
  const auto make = [&](std::vector<Buffer>& buffers, ArrayKind kind, std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
      buffers.emplace_back(static_cast<std::size_t>(ports.num_bytes({kind, i, ""}) / sizeof(Block)));
    }
  };
  // Without clocks there are no banks to tell apart, and one copy serves all.
  make(properties_, ArrayKind::kProperties, execution == abi::kFast ? 1 : num_units_);
  updated_ = properties_;
  make(aux_, ArrayKind::kAux, static_cast<std::size_t>(instance.num_aux));
  make(gathered_, ArrayKind::kGathered, num_partitions_ * num_units_);
  make(sums_, ArrayKind::kSums, num_partitions_);
  for (int worker = 0; worker < workers.size(); ++worker) asking_.push_back({&workers, worker, {}});
}

void EmulatedDevice::write_properties(const void* data, std::uint64_t num_bytes) {
  has_begun_ = false;
  if (predictor_ != nullptr) predictor_->restart();
  void* const properties = properties_[0].data();
  lines_.order(data, properties, instance_.property_bytes, num_bytes, workers_);
  for (std::size_t copy = 1; copy < properties_.size(); ++copy) {
    std::memcpy(properties_[copy].data(), properties, num_bytes);
  }
  idle_.restart(find_senders(instance_, ports_.shape().weighted, properties, num_vertices_, workers_));
}
void EmulatedDevice::write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) {
  lines_.order(data, aux_[k].data(), instance_.aux_bytes, num_bytes, workers_);
}
void EmulatedDevice::read_properties(void* data, std::uint64_t num_bytes) {
  lines_.restore(properties_[0].data(), data, instance_.property_bytes, num_bytes, workers_);
}

abi::Emulation EmulatedDevice::emulation(int worker) {
  abi::Emulation emulation{};
  emulation.execution = execution_;
  if (predictor_ != nullptr) {
    const predict::Surroundings& around = predictor_->surroundings();
    emulation.bytes_per_cycle = around.channel.bytes_per_cycle;
    emulation.latency = around.channel.latency;
    emulation.burst_gap = around.channel.burst_gap;
    emulation.switch_penalty = around.channel.switch_penalty;
    emulation.banks_per_unit = static_cast<std::int32_t>(predict::num_channels(around.is_hbm));
    emulation.used = [](void* self, const abi::KernelUse* use) {
      static_cast<Asking*>(self)->timing = predict::timing_from(*use);
    };
  }
  emulation.self = &asking_[static_cast<std::size_t>(worker)];
  emulation.stopped = [](void* self) -> std::int32_t {
    const auto& asking = *static_cast<Asking*>(self);
    return asking.workers->poll(asking.worker);
  };
  std::string& report = reports_[static_cast<std::size_t>(worker)];
  emulation.report = &report[0];
  emulation.report_size = report.size();
  return emulation;
}

abi::Buffer EmulatedDevice::buffer(const ArrayId& array) {
  const auto whole = [](Buffer& buffer) { return abi::Buffer{buffer.data(), buffer.size() * sizeof(Block)}; };
  const std::size_t copy = properties_.size() == 1 ? 0 : array.number;
  switch (array.kind) {
    case ArrayKind::kEdges:
      return ports_.sub_partition(array.number / num_units_, array.number % num_units_).array(array.name);
    case ArrayKind::kGathered:
      return whole(gathered_[array.number]);
    case ArrayKind::kProperties:
      return whole(properties_[copy]);
    case ArrayKind::kUpdated:
      return whole(updated_[copy]);
    case ArrayKind::kAux:
      return whole(aux_[array.number]);
    default:
      return whole(sums_[array.number]);
  }
}

// Runs a kernel, and fills its time.
void EmulatedDevice::run(const LaunchId& launch, const void* arg, int worker) {
  std::uint32_t words[kArgWords] = {};
  if (arg != nullptr) std::memcpy(words, arg, sizeof words);
  const KernelTable& kernel = ports_.kernel(launch.unit);
  std::vector<abi::Buffer> buffers;
  std::vector<std::uint32_t> scalars;
  const bool gathers = launch.unit != kApplyUnit;
  const auto gathering = static_cast<std::size_t>(gathers ? launch.unit : 0);
  Word<std::uint32_t> descriptor;
  ports_.each(kernel, [&](const Port& port, int i) {
    if (gathers && std::strcmp(port.name, "num_words") == 0) {
      scalars.push_back(idle_.num_words(launch.partition, gathering));
    } else if (gathers && std::strcmp(port.name, "sub_partitions") == 0) {
      descriptor = idle_.descriptor(launch.partition, gathering);
      buffers.push_back({&descriptor, sizeof descriptor});
    } else if (port.kind == PortKind::kScalar) {
      scalars.push_back(ports_.scalar(launch, port, i, words));
    } else {
      buffers.push_back(buffer(ports_.array(launch, port, i)));
    }
  });
  const abi::KernelCall call = {buffers.data(), scalars.data(), ports_.shape().units, ports_.shape().weighted};
  const std::size_t unit = launch.unit == kApplyUnit ? num_units_ : static_cast<std::size_t>(launch.unit);
  KernelTime& time = kernel_times_[launch.partition * (num_units_ + 1) + unit];
  time.unit = launch.unit;
  time.partition = launch.partition;
  abi::Emulation surroundings = emulation(worker);
  time.start_seconds = seconds_since(superstep_start_);
  const std::int32_t status = find_kernel(instance_, kernel.name).run(&call, &surroundings);
  time.seconds = seconds_since(superstep_start_) - time.start_seconds;
  time.cycles = surroundings.cycles;
  if (status == abi::kOk) {
    asking_[static_cast<std::size_t>(worker)].timing.cycles = surroundings.cycles;
    return;
  }
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  if (status == abi::kBadDesign) {
    const std::string where = launch.unit == kApplyUnit ? "" : message(", compute unit ", launch.unit);
    throw DeviceError(
        message("emulator, ", kernel.name, ", partition ", launch.partition, where, ": ", surroundings.report));
  }
  workers_.cancel();
}

void EmulatedDevice::gather_scatter(std::size_t partition, std::size_t sub_partition, int worker) {
  const std::uint32_t unit = schedule_.units[partition][sub_partition];
  if (idle_.launch(partition, unit) == GatherLaunch::kNone) return pass_over(partition, unit);
  run({static_cast<std::uint32_t>(partition), static_cast<std::int32_t>(unit)}, nullptr, worker);
  if (predictor_ != nullptr && !predictor_times_) {
    predictor_->take(partition, sub_partition, std::move(asking_[static_cast<std::size_t>(worker)].timing));
  }
}

// A kernel that is not launched takes no time.
void EmulatedDevice::pass_over(std::size_t partition, std::size_t unit) {
  KernelTime& time = kernel_times_[partition * (num_units_ + 1) + unit];
  time = {};
  time.unit = unit == num_units_ ? kApplyUnit : static_cast<std::int32_t>(unit);
  time.partition = static_cast<std::uint32_t>(partition);
  time.start_seconds = seconds_since(superstep_start_);
}

void EmulatedDevice::apply(std::size_t partition, const void* arg, int worker) {
  if (!idle_.applies(partition)) return pass_over(partition, num_units_);
  run({static_cast<std::uint32_t>(partition), kApplyUnit}, arg, worker);
  if (predictor_ != nullptr && !predictor_times_) {
    predictor_->take_apply(partition, std::move(asking_[static_cast<std::size_t>(worker)].timing));
  }
}

void EmulatedDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  superstep_start_ = Clock::now();
  if (has_begun_) {
    idle_.plan_all();
    idle_.look_back();
  } else {
    idle_.plan();
  }
  if (predictor_ != nullptr) predictor_->plan(idle_.launches(), has_begun_);
  // Without clocks nothing is gained.
  has_begun_ = expects_another() && predictor_ != nullptr && idle_.pays(predictor_->haste());
  if (predictor_times_) predictor_->time_step(properties_[0].data());
  workers_.each(num_partitions_ * num_units_, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
    gather_scatter(schedule_.partitions[i / num_units_], i % num_units_, worker);
  });
  stats->seconds[abi::kScatterGather] = seconds_since(superstep_start_);
  const auto applying = Clock::now();
  workers_.each(num_partitions_, 1,
                [&](std::uint64_t i, std::uint64_t, int worker) { apply(schedule_.partitions[i], arg, worker); });
  workers_.check();
  std::swap(properties_, updated_);
  // In the order of the partitions, so that sums of doubles are the same in every run.
  const int num_sums = std::max(1, instance_.num_extras);
  std::memset(sums, 0, static_cast<std::size_t>(num_sums) * 8);
  const std::size_t activity = (static_cast<std::size_t>(num_sums) + 7) / 8;  // word behind the sums
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    if (!idle_.applies(p)) continue;
    const Buffer& part = sums_[p];
    idle_.applied(p, part[activity]);
    HostKernels(instance_).add_counts(part, sums);
  }
  stats->edges = idle_.num_edges();
  if (predictor_ != nullptr && !predictor_times_) predictor_->finish_step();
  stats->seconds[abi::kApply] = seconds_since(applying);
}

}  // namespace gaspipe
