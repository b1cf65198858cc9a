// SPDX-License-Identifier: Apache-2.0
#include "predictor.h"

#include <algorithm>
#include <cmath>

#include "fabric_fit.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "gaspipe/kernel_runs.h"
#include "hls/emulator/engine.h"
#include "statistics.h"

namespace gaspipe {
namespace predict {
namespace {

constexpr std::size_t kLaunchesPerStep = 2;  // of configurations that take several partitions in one
constexpr int kRow = 16;                     // destinations whose cost is given together

// Lines of properties that a sub-partition's sources lie in. Sources ascend.
std::uint64_t count_lines(const DeviceEdges::SubPartition& stored, std::uint32_t values_per_line) {
  const VertexId* sources = stored.num_words == 0 ? nullptr : stored.sources[0].lane;
  const std::uint64_t num = std::uint64_t(stored.num_words) * Word<VertexId>::kSize;
  std::uint64_t lines = 0;
  VertexId last = kNoVertex;
  for (std::uint64_t i = 0; i < num; ++i) {
    const VertexId line = sources[i] / values_per_line;
    lines += line != last;
    last = line;
  }
  return lines;
}

struct Asking {
  Workers* workers;
  int worker;
};

}  // namespace

TimedNumbers numbers_of(const abi::Instance& instance) {
  TimedNumbers numbers;
  numbers.word_bytes = instance.property_bytes;
  numbers.is_floating = instance.property_type == abi::kFloat32 || instance.property_type == abi::kFloat64;
  numbers.is_idempotent = instance.idempotent != 0;
  numbers.has_floating_sums = instance.num_extras > 0 && instance.sum_type == abi::kFloat64;
  return numbers;
}

TimedKernels kernels_for(const KernelConfig& config, const abi::Instance& instance, bool weighted) {
  return find_kernels(shape_of(config, numbers_of(instance), weighted, instance.num_aux));
}

Surroundings surroundings_of(const Board& board, double clock_mhz, const PredictionOptions& options) {
  const Memory& memory = board.memory;
  Surroundings around;
  around.is_hbm = memory.kind == MemoryKind::kHbm;
  around.channel.bytes_per_cycle = bytes_per_second(memory) / (clock_mhz * 1e6);
  const auto cycles = [&](double ns) { return static_cast<std::uint32_t>(std::lround(ns * clock_mhz / 1e3)); };
  around.channel.latency = cycles(latency_ns(memory));
  around.channel.burst_gap = cycles(memory.burst_gap_ns);
  around.channel.switch_penalty = cycles(memory.switch_ns);
  around.fifo_depths = &options.fifo_depths;
  return around;
}

Predictor::Predictor(const Subject& subject)
    : subject_(subject),
      clock_mhz_(subject.clock_mhz),
      num_partitions_(subject.edges.partitioning().size()),
      num_units_(subject.edges.partitioning().config().compute_units),
      num_channels_(num_channels(subject.board.memory.kind == MemoryKind::kHbm)),
      group_size_(subject.config.one_launch
                      ? std::max<std::size_t>(1, (num_partitions_ + kLaunchesPerStep - 1) / kLaunchesPerStep)
                      : 1),
      numbers_(numbers_of(subject.instance)),
      around_(surroundings_of(subject.board, subject.clock_mhz, subject.options)),
      sub_partitions_(num_partitions_ * num_units_),
      senders_(subject.instance, subject.weighted, subject.edges.partitioning().csr().num_rows, subject.workers),
      own_applies_(num_partitions_),
      timings_(sub_partitions_.size()) {
  if (subject.is_timed_here && subject.instance.update_bytes != subject.instance.property_bytes) {
    throw InputError(message("updates have ", subject.instance.update_bytes, " bytes and properties ",
                             subject.instance.property_bytes,
                             "; only kernels with words of one size are timed without their values; use "
                             "execution=\"exact\""));
  }
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    sub_partition_of_unit_.emplace_back(num_units_);
    for (std::size_t sub_partition = 0; sub_partition < num_units_; ++sub_partition) {
      sub_partition_of_unit_[p][subject.schedule.units[p][sub_partition]] = sub_partition;
    }
  }
  if (subject.pipelines == nullptr) {
    describe_sub_partitions();
    const int num_units = static_cast<int>(num_units_);
    const ConfigFabric fabric =
        fabric_of(subject.config, numbers_, subject.weighted, num_units, subject.instance.num_aux);
    if (fabric.unit.luts > 0 && fabric.apply.luts > 0) {
      prediction_.resources.luts = num_units * fabric.unit.luts + fabric.apply.luts;
    }
  }
  prediction_.board = subject.board.name;
  prediction_.config = subject.config.description.name;
  prediction_.clock_mhz = clock_mhz_;
  prediction_.num_units = static_cast<int>(num_units_);
  prediction_.launch_seconds = launch_seconds(subject.board);
  prediction_.step_overhead_seconds = step_seconds(subject.board);
  prediction_.graph_edges = subject.edges.partitioning().csr().num_edges();
  prediction_.peak_bytes_per_second =
      peak_bytes_per_second(subject.board.memory) * static_cast<double>(num_units_ * num_channels_);
  prediction_.channels.resize(num_units_ * num_channels_);
  prediction_.units.resize(num_units_ + 1);
  for (std::size_t unit = 0; unit < num_units_; ++unit) {
    prediction_.units[unit].unit = static_cast<std::int32_t>(unit);
  }
  prediction_.units.back().unit = kApplyUnit;
  prediction_.resources.uram_available = subject.board.num_uram();
  prediction_.resources.bram_available = subject.board.num_bram();
  prediction_.resources.luts_available = subject.board.num_luts();
  if (subject.pipelines != nullptr) {
    PipelineShape shape = *subject.pipelines;
    if (subject.options.uram_latency > 0) shape.uram_latency = subject.options.uram_latency;
    if (subject.options.decoder_interval > 0) shape.decoder_interval = subject.options.decoder_interval;
    if (subject.options.uram_latency > 0 || subject.options.decoder_interval > 0) {
      prediction_.config += message("-uram-", shape.uram_latency, "-decoder-", shape.decoder_interval);
    }
    pipelines_skip_ = subject.skips_idle && (numbers_.is_idempotent || subject.instance.kernels.sent != nullptr);
    const PipelineQuestion question = {subject.config.description.name,
                                       shape,
                                       subject.board,
                                       clock_mhz_,
                                       subject.edges.partitioning().csr(),
                                       numbers_,
                                       subject.weighted ? numbers_.word_bytes : 0,
                                       pipelines_skip_};
    pipelines_ = std::make_unique<PipelineTimer>(question, subject.workers);
    pipelines_->describe(prediction_);
  }
}

// Destinations that a kernel flushes: the range, or all that there is room for.
VertexId Predictor::flushed(std::size_t partition) const {
  const Partitioning& partitioning = subject_.edges.partitioning();
  const Partition part = partitioning.get_partition(static_cast<std::int64_t>(partition));
  return subject_.config.is_published ? partitioning.config().capacity : part.last_vertex() - part.first_vertex();
}

void Predictor::describe_sub_partitions() {
  const SubPartitionCost& cost = subject_.config.cost;
  subject_.workers.each(sub_partitions_.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const std::size_t partition = i / num_units_;
    const DeviceEdges::SubPartition& stored = subject_.edges.sub_partition(partition, i % num_units_);
    SubPartitionTime& sub_partition = sub_partitions_[i];
    sub_partition.bytes.assign(num_channels_, 0);
    if (subject_.options.sample_edges == 0) return;
    const std::uint64_t lines = count_lines(stored, 64u / static_cast<unsigned>(numbers_.word_bytes));
    sub_partition.flush_cost = cost.per_row * flushed(partition) / kRow;
    sub_partition.all_cost =
        cost.per_word * stored.num_words + cost.per_line * static_cast<double>(lines) + sub_partition.flush_cost;
  });
  subject_.workers.check();
}

std::uint64_t Predictor::mask(std::size_t partition, std::size_t sub_partition, const void* properties,
                              Word<VertexId>* masked) const {
  const DeviceEdges::SubPartition& stored = subject_.edges.sub_partition(partition, sub_partition);
  const auto ids = [](const Array<Word<VertexId>>& words) { return reinterpret_cast<const VertexId*>(words.data()); };
  const abi::PlainEdges edges = {ids(stored.sources), ids(stored.destinations),
                                 subject_.weighted ? stored.weights.data() : nullptr, properties,
                                 std::uint64_t(stored.num_words) * Word<VertexId>::kSize};
  return subject_.instance.kernels.sent(&edges, masked->lane);
}

Haste Predictor::haste() const {
  if (subject_.config.is_published) return {0, 0};
  const double edges_per_cycle = static_cast<double>(prediction_.num_units) * subject_.config.description.lanes;
  return {edges_per_cycle * clock_mhz_ * 1e6, prediction_.step_overhead_seconds};
}

void Predictor::plan(const StepLaunches& launches, bool has_begun) {
  launches_ = &launches;
  has_begun_ = has_begun && !subject_.config.is_published;
  for (std::size_t i = 0; i < sub_partitions_.size(); ++i) {
    const std::size_t partition = i / num_units_, number = i % num_units_;
    SubPartitionTime& sub_partition = sub_partitions_[i];
    const std::uint32_t num_words = subject_.edges.sub_partition(partition, number).num_words;
    const EdgeWindow& streamed = window(partition, number);
    sub_partition.is_idle = launch(partition, number) == GatherLaunch::kNone;
    sub_partition.edges = streamed.num_edges;
    if (sub_partition.is_idle) {
      sub_partition.is_timed = false;
      sub_partition.cycles = 0;
      std::fill(sub_partition.bytes.begin(), sub_partition.bytes.end(), 0);
    }
    const double share = num_words == 0 ? 0 : static_cast<double>(streamed.num_words) / num_words;
    sub_partition.cost = sub_partition.flush_cost + share * (sub_partition.all_cost - sub_partition.flush_cost);
  }
}

void Predictor::time_group(std::size_t group, std::size_t unit, const void* properties, int worker) {
  const Partitioning& partitioning = subject_.edges.partitioning();
  timing::Launch launch{};
  launch.num_vertices = partitioning.csr().num_columns;
  launch.capacity = partitioning.config().capacity;
  std::vector<timing::SubPartition> sub_partitions;
  std::vector<std::size_t> timed;
  std::vector<std::vector<Word<VertexId>>> masked;
  for (std::size_t at = group * group_size_; at < std::min(num_partitions_, (group + 1) * group_size_); ++at) {
    const std::size_t partition = subject_.schedule.partitions[at];
    const std::size_t sub_partition = sub_partition_of_unit_[partition][unit];
    if (!sub_partitions_[index(partition, sub_partition)].is_timed) continue;
    const DeviceEdges::SubPartition& stored = subject_.edges.sub_partition(partition, sub_partition);
    const Partition part = partitioning.get_partition(static_cast<std::int64_t>(partition));
    timing::SubPartition one;
    const EdgeWindow& streamed = window(partition, sub_partition);
    one.sources = stored.sources.data() + streamed.first_word;
    one.destinations = stored.destinations.data() + streamed.first_word;
    one.num_words = streamed.num_words;
    one.first = part.first_vertex();
    one.last = part.last_vertex();
    if (subject_.instance.kernels.sent != nullptr && stored.num_words > 0) {
      masked.emplace_back(stored.num_words);
      mask(partition, sub_partition, properties, masked.back().data());
      one.destinations = masked.back().data() + streamed.first_word;
    }
    sub_partitions.push_back(one);
    timed.push_back(index(partition, sub_partition));
  }
  if (timed.empty()) return;
  launch.sub_partitions = sub_partitions.data();
  launch.num_sub_partitions = sub_partitions.size();
  Surroundings around = around_;
  Asking asking{&subject_.workers, worker};
  around.stopped_self = &asking;
  around.stopped = [](void* self) {
    const auto& asked = *static_cast<const Asking*>(self);
    return asked.workers->poll(asked.worker) != 0;
  };
  KernelTiming timing;
  try {
    timing = time_kernel(subject_.kernels.gather_scatter, launch, around);
  } catch (const emulator::Stopped&) {
    return subject_.workers.cancel();
  } catch (const emulator::DesignError& error) {
    throw DeviceError(message("emulator, ", subject_.config.description.name, " gather_scatter, compute unit ", unit,
                              ": ", error.what()));
  }
  for (const std::size_t i : timed) timing.edges += sub_partitions_[i].edges;
  // The bytes of a launch go to its sub-partitions as their cycles do.
  std::uint64_t started = 0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    SubPartitionTime& sub_partition = sub_partitions_[timed[i]];
    const std::uint64_t ended = timed.size() == 1 ? timing.cycles : timing.sub_partition_ends[i];
    sub_partition.cycles = static_cast<double>(ended - started);
    for (std::size_t c = 0; c < num_channels_; ++c) {
      sub_partition.bytes[c] = timing.bytes[c] * sub_partition.cycles / static_cast<double>(timing.cycles);
    }
    started = ended;
  }
  timings_[group * num_units_ + unit] = std::move(timing);
}

void Predictor::time_step(const void* properties) {
  if (pipelines_ && pipelines_skip_) return pipelines_->add_step(prediction_, senders_.next(properties), has_begun_);
  if (pipelines_) return pipelines_->add_step(prediction_, has_begun_);
  // Where every update is sent along every edge, every super-step takes the same time.
  const bool is_alike = subject_.instance.kernels.sent == nullptr && launches_->streams_all;
  if (is_alike && was_alike_) return finish_step();
  was_alike_ = is_alike;
  choose_sample(sub_partitions_, subject_.options.sample_edges);
  const std::size_t num_groups = (num_partitions_ + group_size_ - 1) / group_size_;
  subject_.workers.each(num_groups * num_units_, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
    time_group(i / num_units_, i % num_units_, properties, worker);
  });
  subject_.workers.check();
  scale_others(sub_partitions_);
  finish_step();
}

void Predictor::take(std::size_t partition, std::size_t sub_partition, KernelTiming timing) {
  SubPartitionTime& to = sub_partitions_[index(partition, sub_partition)];
  to.is_timed = true;
  to.cycles = static_cast<double>(timing.cycles);
  to.bytes = timing.bytes;
  timing.edges = to.edges;
  timings_[index(partition, sub_partition)] = std::move(timing);  // a place of its own, for workers come side by side
}

void Predictor::take_apply(std::size_t partition, KernelTiming timing) { own_applies_[partition] = std::move(timing); }

// The range decides alone.
const KernelTiming& Predictor::apply_timing(std::size_t partition) {
  if (own_applies_[partition]) {
    count_resources(*own_applies_[partition], 1, apply_blocks_);
    return *own_applies_[partition];
  }
  const Partition part = subject_.edges.partitioning().get_partition(static_cast<std::int64_t>(partition));
  const VertexId width = part.last_vertex() - part.first_vertex();
  const auto found = applies_.find(width);
  if (found != applies_.end()) return found->second;
  Surroundings around = around_;
  Asking asking{&subject_.workers, 0};
  around.stopped_self = &asking;
  around.stopped = [](void* self) { return static_cast<const Asking*>(self)->workers->poll(0) != 0; };
  KernelTiming timing;
  try {
    timing::Launch launch{};
    launch.num_vertices = width;
    launch.num_units = static_cast<std::int32_t>(num_units_);
    launch.num_aux = subject_.instance.num_aux;
    timing = time_kernel(subject_.kernels.apply, launch, around);
  } catch (const emulator::Stopped&) {
    subject_.workers.cancel();
    subject_.workers.check();
  } catch (const emulator::DesignError& error) {
    throw DeviceError(message("emulator, ", subject_.config.description.name, " apply: ", error.what()));
  }
  count_resources(timing, 1, apply_blocks_);
  return applies_.emplace(width, std::move(timing)).first->second;
}

void Predictor::count_resources(const KernelTiming& timing, int copies, Blocks& counted) {
  const double share =
      static_cast<double>(subject_.edges.partitioning().config().capacity) / subject_.config.description.most_capacity;
  const Blocks blocks = blocks_of(timing.stats, share);
  prediction_.resources.uram += copies * std::max(0, blocks.uram - counted.uram);
  prediction_.resources.bram += copies * std::max(0, blocks.bram - counted.bram);
  counted = {std::max(blocks.uram, counted.uram), std::max(blocks.bram, counted.bram)};
}

void Predictor::finish_step() {
  for (std::optional<KernelTiming>& timing : timings_) {
    if (timing) {
      count_resources(*timing, static_cast<int>(num_units_), gather_blocks_);
      add_statistics(prediction_, subject_.config, *timing);
    }
    timing.reset();
  }
  // A domain without vertices has one, of nothing.
  const std::size_t num_groups = std::max<std::size_t>(1, (num_partitions_ + group_size_ - 1) / group_size_);
  StepPlan plan;
  plan.launch_seconds = prediction_.launch_seconds;
  plan.channel_bytes_per_second = bytes_per_second(subject_.board.memory);
  plan.host_seconds = has_begun_ ? prediction_.step_overhead_seconds : 0;
  StepPrediction step;
  for (std::size_t group = 0; group < num_groups; ++group) {
    plan.launches.emplace_back(num_units_);
    plan.applies.emplace_back();
    for (std::size_t at = group * group_size_; at < std::min(num_partitions_, (group + 1) * group_size_); ++at) {
      const std::size_t partition = subject_.schedule.partitions[at];
      for (std::size_t unit = 0; unit < num_units_; ++unit) {
        const SubPartitionTime& sub_partition =
            sub_partitions_[index(partition, sub_partition_of_unit_[partition][unit])];
        KernelRun& run = plan.launches[group][unit];
        run.seconds += seconds_of(sub_partition.cycles);
        run.bytes.resize(num_units_ * num_channels_);
        for (std::size_t c = 0; c < num_channels_; ++c) run.bytes[unit * num_channels_ + c] += sub_partition.bytes[c];
        step.edges += sub_partition.edges;
        step.timed_edges += sub_partition.is_timed ? sub_partition.edges : 0;
        prediction_.units[unit].edges += sub_partition.edges;
      }
      if (launches_->applies[partition] == 0) continue;
      const KernelTiming& applied = apply_timing(partition);
      add_apply_statistics(prediction_, applied);
      plan.applies[group].push_back({seconds_of(static_cast<double>(applied.cycles)), applied.bytes});
    }
  }
  const StepTime time = schedule_step(plan);
  step.scatter_gather_seconds = time.scatter_gather_seconds;
  step.apply_seconds = time.seconds - std::max(time.scatter_gather_seconds, plan.host_seconds);
  step.seconds = has_begun_ ? time.seconds : time.seconds + prediction_.step_overhead_seconds;
  std::vector<double> moved(num_units_ * num_channels_, 0);
  const auto move = [&](const KernelRun& run, UnitUse& use) {
    double all = 0;
    for (std::size_t c = 0; c < run.bytes.size(); ++c) {
      moved[c] += run.bytes[c];
      all += run.bytes[c];
    }
    use.bytes += static_cast<std::uint64_t>(all + 0.5);
  };
  for (std::size_t group = 0; group < num_groups; ++group) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) move(plan.launches[group][unit], prediction_.units[unit]);
    for (const KernelRun& run : plan.applies[group]) move(run, prediction_.units.back());
  }
  for (std::size_t unit = 0; unit < num_units_; ++unit) prediction_.units[unit].busy_seconds += time.unit_seconds[unit];
  prediction_.units.back().busy_seconds += time.apply_seconds;
  for (std::size_t c = 0; c < moved.size(); ++c) {
    const auto bytes = static_cast<std::uint64_t>(moved[c] + 0.5);
    prediction_.channels[c].bytes += bytes;
    prediction_.channels[c].busy_seconds += moved[c] / bytes_per_second(subject_.board.memory);
    step.bytes += bytes;
  }
  prediction_.add_step(step);
}

}  // namespace predict
}  // namespace gaspipe
