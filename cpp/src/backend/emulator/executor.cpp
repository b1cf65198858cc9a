// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/executor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "cpp/src/backend/emulator/device.h"
#include "cpp/src/predict/resources.h"
#include "gaspipe/error.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace {

constexpr std::size_t kReportBytes = 1 << 14;

std::size_t blocks_for(std::uint64_t num_values, std::int32_t value_bytes) {
  return static_cast<std::size_t>((num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

EmulatedDevice::EmulatedDevice(const abi::Instance& instance, std::shared_ptr<const DeviceEdges> edges,
                               Schedule schedule, abi::Execution execution, predict::Predictor* predictor,
                               bool predictor_times, Workers& workers)
    : instance_(instance),
      edges_(std::move(edges)),
      schedule_(std::move(schedule)),
      execution_(execution),
      predictor_(predictor),
      predictor_times_(predictor_times),
      workers_(workers),
      num_vertices_(edges_->partitioning().csr().num_columns),
      num_partitions_(edges_->partitioning().size()),
      num_units_(edges_->partitioning().config().compute_units),
      aux_(static_cast<std::size_t>(std::max(1, instance.num_aux))),
      sums_(num_partitions_),
      kernel_times_(num_partitions_ * (num_units_ + 1)),
      reports_(static_cast<std::size_t>(workers.size()), std::string(kReportBytes, '\0')) {
  // Without clocks there are no banks to tell apart, and one copy serves all.
  const std::size_t copies = execution == abi::kFast ? 1 : num_units_;
  const std::size_t property_blocks = blocks_for(num_vertices_, instance.property_bytes);
  properties_.assign(copies, Buffer(property_blocks));
  updated_ = properties_;
  gathered_.resize(num_partitions_ * num_units_);
  for (std::size_t i = 0; i < gathered_.size(); ++i) {
    const Partition part = edges_->partitioning().get_partition(static_cast<std::int64_t>(i / num_units_));
    gathered_[i].resize(blocks_for(part.last_vertex() - part.first_vertex(), instance.update_bytes));
  }
  for (int worker = 0; worker < workers.size(); ++worker) asking_.push_back({&workers, worker, {}});
}

template <class F>
std::int32_t EmulatedDevice::guarded(const F& f) {
  try {
    f();
    return abi::kOk;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    return abi::kCancelled;
  }
}

abi::Device EmulatedDevice::table() {
  abi::Device device{};
  device.self = this;
  device.write_properties = [](void* self, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<EmulatedDevice*>(self);
    return me.guarded([&] {
      for (Buffer& copy : me.properties_) std::memcpy(copy.data(), data, num_bytes);
    });
  };
  device.write_aux = [](void* self, std::int32_t k, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<EmulatedDevice*>(self);
    return me.guarded([&] {
      Buffer& buffer = me.aux_[static_cast<std::size_t>(k)];
      buffer.resize(num_bytes / sizeof(Block));
      std::memcpy(buffer.data(), data, num_bytes);
    });
  };
  device.superstep = [](void* self, const void* arg, void* sums, abi::Superstep* stats) -> std::int32_t {
    auto& me = *static_cast<EmulatedDevice*>(self);
    return me.guarded([&] { me.superstep(arg, sums, stats); });
  };
  device.read_properties = [](void* self, void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<EmulatedDevice*>(self);
    return me.guarded([&] { std::memcpy(data, me.properties_[0].data(), num_bytes); });
  };
  return device;
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

template <class Call>
void EmulatedDevice::start(std::int32_t (*kernel)(const Call*, abi::Emulation*), const Call& arguments,
                           KernelTime& time, const char* name, int worker) {
  abi::Emulation surroundings = emulation(worker);
  time.start_seconds = seconds_since(superstep_start_);
  const std::int32_t status = kernel(&arguments, &surroundings);
  time.seconds = seconds_since(superstep_start_) - time.start_seconds;
  time.cycles = surroundings.cycles;
  if (status == abi::kOk) {
    asking_[static_cast<std::size_t>(worker)].timing.cycles = surroundings.cycles;
    return;
  }
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  if (status == abi::kBadDesign) {
    const std::string where = time.unit == kApplyUnit ? "" : message(", compute unit ", time.unit);
    throw DeviceError(message("emulator, ", name, ", partition ", time.partition, where, ": ", surroundings.report));
  }
  workers_.cancel();
}

void EmulatedDevice::gather_scatter(std::size_t partition, std::size_t slice, int worker) {
  const Partition part = edges_->partitioning().get_partition(static_cast<std::int64_t>(partition));
  const std::size_t unit = schedule_.units[partition][slice];
  const DeviceEdges::Share& share = edges_->share(partition, slice);
  const std::size_t i = partition * num_units_ + unit;
  abi::GatherScatterCall arguments{};
  arguments.sources = share.sources.data();
  arguments.destinations = share.destinations.data();
  arguments.weights = share.weights.data();
  arguments.properties = properties_[properties_.size() == 1 ? 0 : unit].data();
  arguments.gathered = gathered_[i].data();
  arguments.num_words = share.num_words;
  arguments.first_vertex = part.first_vertex();
  arguments.last_vertex = part.last_vertex();
  arguments.num_vertices = num_vertices_;
  KernelTime& time = kernel_times_[partition * (num_units_ + 1) + unit];
  time.unit = static_cast<std::int32_t>(unit);
  time.partition = static_cast<std::uint32_t>(partition);
  start(instance_.kernels.gather_scatter, arguments, time, "gather_scatter", worker);
  if (predictor_ != nullptr && !predictor_times_) {
    predictor_->take(partition, slice, std::move(asking_[static_cast<std::size_t>(worker)].timing));
  }
}

void EmulatedDevice::apply(std::size_t partition, const void* arg, int worker) {
  const Partition part = edges_->partitioning().get_partition(static_cast<std::int64_t>(partition));
  std::vector<const void*> gathered, aux;
  std::vector<void*> updated;
  for (std::size_t unit = 0; unit < num_units_; ++unit) {
    gathered.push_back(gathered_[partition * num_units_ + unit].data());
    updated.push_back(updated_[updated_.size() == 1 ? 0 : unit].data());
  }
  for (const Buffer& buffer : aux_) aux.push_back(buffer.data());
  sums_[partition].assign(static_cast<std::size_t>(std::max(1, instance_.num_extras)), 0);  // 0.0 in doubles too
  abi::ApplyCall arguments{};
  arguments.gathered = gathered.data();
  arguments.num_units = static_cast<std::int32_t>(num_units_);
  arguments.properties = properties_[0].data();
  arguments.aux = aux.data();
  arguments.updated = updated.data();
  arguments.first_vertex = part.first_vertex();
  arguments.last_vertex = part.last_vertex();
  arguments.num_vertices = num_vertices_;
  arguments.arg = arg;
  arguments.sums = sums_[partition].data();
  KernelTime& time = kernel_times_[partition * (num_units_ + 1) + num_units_];
  time.unit = kApplyUnit;
  time.partition = static_cast<std::uint32_t>(partition);
  start(instance_.kernels.apply, arguments, time, "apply", worker);
  if (predictor_ != nullptr && !predictor_times_) {
    predictor_->take_apply(partition, std::move(asking_[static_cast<std::size_t>(worker)].timing));
  }
}

void EmulatedDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  superstep_start_ = Clock::now();
  if (predictor_times_) predictor_->time_step(properties_[0].data());
  workers_.each(num_partitions_ * num_units_, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
    gather_scatter(schedule_.partitions[i / num_units_], i % num_units_, worker);
  });
  stats->scatter_gather_seconds = seconds_since(superstep_start_);
  const auto applying = Clock::now();
  workers_.each(num_partitions_, 1,
                [&](std::uint64_t i, std::uint64_t, int worker) { apply(schedule_.partitions[i], arg, worker); });
  workers_.check();
  std::swap(properties_, updated_);
  // In the order of the partitions, so that sums of doubles are the same in every run.
  const int num_sums = std::max(1, instance_.num_extras);
  std::memset(sums, 0, static_cast<std::size_t>(num_sums) * 8);
  for (const std::vector<std::uint64_t>& part : sums_) {
    for (int k = 0; k < num_sums; ++k) {
      if (instance_.sum_type == abi::kFloat64) {
        double term;
        std::memcpy(&term, &part[static_cast<std::size_t>(k)], 8);
        static_cast<double*>(sums)[k] += term;
      } else {
        static_cast<std::uint64_t*>(sums)[k] += part[static_cast<std::size_t>(k)];
      }
    }
  }
  if (predictor_ != nullptr && !predictor_times_) predictor_->finish_step();
  stats->apply_seconds = seconds_since(applying);
}

namespace {

constexpr std::uint32_t kMostUnitsOnHbm = 8;  // as in the published designs with an apply kernel

std::uint32_t units_of(const Board& board) {
  const auto banks = static_cast<std::uint32_t>(board.memory.num_banks);
  return board.memory.kind == MemoryKind::kDdr ? banks : std::min(banks / 2, kMostUnitsOnHbm);
}

class Emulator : public Executor {
 public:
  Emulator(const Placement& placement, Workers& workers)
      : instance_(placement.instance),
        workers_(workers),
        options_(placement.options.prediction ? *placement.options.prediction : PredictionOptions()),
        is_timed_(placement.options.prediction),
        is_weighted_(placement.edge_type != abi::kNone),
        board_(options_.board != nullptr ? options_.board->board : find_board(board_name(placement.options))),
        kernels_(predict::find_config(options_.config)),
        clock_mhz_(clock(placement.algorithm)) {
    choose_execution(placement.options);
    const auto csr = placement.graph.view(placement.view, workers);
    const int word_bytes = instance_.property_bytes;
    PartitionConfig config;
    config.compute_units = units_of(board_);
    config.capacity = !is_timed_ || options_.config == "plain"
                          ? kDeviceCapacity
                          : predict::capacity_on(kernels_, board_, static_cast<int>(config.compute_units), word_bytes,
                                                 kDeviceCapacity);
    if (placement.options.partition) config = *placement.options.partition;
    check_capacity(config, *csr, kernels_.description.most_capacity, "the emulator");
    if (is_timed_) {
      predict::check_resources(kernels_, board_, static_cast<int>(config.compute_units), word_bytes, config.capacity);
    }
    check_memory(*csr, config, placement.edge_type);
    edges_ = placement.graph.device_edges(placement.view, config, placement.edge_type, workers);
    schedule_ = schedule_for(placement.options, edges_->partitioning());
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    predictor_.reset();
    if (is_timed_ || execution_ != abi::kFast) {
      predictor_ = std::make_unique<predict::Predictor>(predict::Subject{
          kernels_, board_, clock_mhz_, options_, instance_, *edges_, schedule_, workers_, is_weighted_, is_timed_});
    }
    emulated_ = std::make_unique<EmulatedDevice>(instance_, edges_, schedule_, execution_, predictor_.get(), is_timed_,
                                                 workers_);
    device_ = emulated_->table();
    const abi::DeviceRun run{&attempt.host,      &attempt.csr, attempt.arguments,
                             attempt.scale_bits, &device_,     attempt.values};
    return checked(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked(session_->read_properties(session_->self, data)); }
  void describe(Stats& stats) const override {
    stats.device = "emulator";
    stats.method = "gas";  // kernels know no other
    stats.execution = name_;
    stats.board = board_.name;
    stats.clock_mhz = static_cast<int>(std::lround(clock_mhz_));
    if (predictor_ != nullptr) stats.prediction = predictor_->prediction();
    stats.partition = edges_->partitioning().config();
  }
  const Partitioning& partitioning() const override { return edges_->partitioning(); }
  const DeviceEdges* device_edges() const override { return edges_.get(); }
  const Schedule* schedule() const override { return &schedule_; }
  std::vector<KernelDescription> kernels() const override {
    std::vector<KernelDescription> kernels;
    for (std::uint32_t unit = 0; unit < edges_->partitioning().config().compute_units; ++unit) {
      kernels.push_back({"gather_scatter", message("gs_", unit + 1), static_cast<std::int32_t>(unit)});
    }
    kernels.push_back({"apply", "apply_1", kApplyUnit});
    return kernels;
  }
  std::vector<KernelTime> kernel_times() const override { return emulated_->kernel_times(); }

 private:
  abi::Status checked(std::int32_t status) const {
    if (emulated_->failure()) std::rethrow_exception(emulated_->failure());
    return static_cast<abi::Status>(status);
  }
  static std::string board_name(const RunOptions& options) {
    const auto colon = options.device.find(':');
    return colon == std::string::npos ? kDefaultBoard : options.device.substr(colon + 1);
  }
  // As asked; else, of the published configuration, what its kernels reached; else the board's.
  double clock(const std::string& algorithm) const {
    if (options_.clock_mhz > 0) return options_.clock_mhz;
    if (kernels_.is_published) {
      for (const auto& [name, mhz] :
           options_.board != nullptr ? options_.board->clocks : published_clocks(board_.name)) {
        if (name == algorithm) return mhz;
      }
    }
    return clock_mhz(board_);
  }
  void choose_execution(const RunOptions& options) {
    name_ = options.execution;
    if (options.prediction) {
      if (name_ != "auto" && name_ != "timed") {
        throw InputError(message("execution is \"", name_, "\"; a prediction of a configuration is \"timed\""));
      }
      name_ = "timed";
      execution_ = abi::kFast;
      return;
    }
    if (name_ == "auto") name_ = options.device.find(':') == std::string::npos ? "fast" : "exact";
    if (name_ != "fast" && name_ != "exact" && name_ != "shallow") {
      throw InputError(
          message("execution is \"", name_, "\"; allowed are \"auto\", \"fast\", \"exact\" and \"shallow\""));
    }
    execution_ = name_ == "fast" ? abi::kFast : name_ == "exact" ? abi::kExact : abi::kExactShallow;
  }
  // Edges are cut evenly, give or take; every unit has its own copies of the properties, old and new.
  void check_memory(const Csr& csr, const PartitionConfig& config, abi::Scalar edge_type) const {
    if (board_.memory.bytes_per_bank == 0) return;  // unknown
    const std::uint64_t units = config.compute_units, n = csr.num_columns;
    const std::uint64_t weight_bytes =
        edge_type == abi::kNone ? 0 : static_cast<std::uint64_t>(instance_.property_bytes);
    const auto id_bytes = static_cast<std::uint64_t>(kernels_.description.edge_bytes);
    const std::uint64_t edge_bytes = id_bytes + weight_bytes;
    const std::uint64_t vertex_bytes = static_cast<std::uint64_t>(
        2 * instance_.property_bytes + instance_.update_bytes + instance_.num_aux * instance_.aux_bytes);
    const std::uint64_t needed = (csr.num_edges() + units - 1) / units * edge_bytes + n * vertex_bytes;
    const std::uint64_t available = board_.memory_bytes() / units;
    if (needed <= available) return;
    const std::uint64_t fit = available > n * vertex_bytes ? (available - n * vertex_bytes) / edge_bytes * units : 0;
    throw CapacityError(message("a compute unit of ", board_.name, " would hold ", needed, " bytes of this graph (",
                                csr.num_edges(), " edges); its memory has ", available, ", enough for ", fit,
                                " edges with as many vertices"));
  }

  const abi::Instance& instance_;
  Workers& workers_;
  PredictionOptions options_;
  bool is_timed_, is_weighted_;
  const Board& board_;
  const predict::KernelConfig& kernels_;
  double clock_mhz_;
  std::string name_;
  abi::Execution execution_;
  std::shared_ptr<const DeviceEdges> edges_;
  Schedule schedule_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::unique_ptr<EmulatedDevice> emulated_;
  abi::Device device_{};
  OpenSession session_;
};

}  // namespace

void check_capacity(const PartitionConfig& config, const Csr& csr, std::uint32_t most, const std::string& who) {
  if (config.capacity % PlainEdgeCodec::kEdgesPerWord != 0 && config.capacity < csr.num_columns) {
    throw InputError(message("partitions have a capacity of ", config.capacity, "; ", who, " needs a multiple of ",
                             PlainEdgeCodec::kEdgesPerWord, ", for a partition starts a 64-byte word"));
  }
  if (std::min(config.capacity, csr.num_columns) > most) {
    throw CapacityError(message("partitions have a capacity of ", config.capacity, "; the kernels of ", who,
                                " have room for ", most, " vertices; use a smaller capacity"));
  }
}

std::unique_ptr<Executor> make_emulator(const Placement& placement, Workers& workers) {
  return std::make_unique<Emulator>(placement, workers);
}

}  // namespace gaspipe
