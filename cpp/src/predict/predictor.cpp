// SPDX-License-Identifier: Apache-2.0
#include "predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "gaspipe/run.h"
#include "hls/emulator/engine.h"
#include "resources.h"

namespace gaspipe {
namespace predict {
namespace {

constexpr std::size_t kLaunchesPerStep = 2;  // of configurations that take several partitions in one
constexpr int kRow = 16;                     // destinations whose cost is given together
constexpr const char* kLineStream = "lines";  // of every configuration: words of properties, fetched for sources

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

// Lines of properties that a sub-partition's sources lie in. Sources ascend.
std::uint64_t count_lines(const DeviceEdges::Share& share, std::uint32_t values_per_line) {
  const VertexId* sources = share.num_words == 0 ? nullptr : share.sources[0].lane;
  const std::uint64_t num = std::uint64_t(share.num_words) * Word<VertexId>::kSize;
  std::uint64_t lines = 0;
  VertexId last = kNoVertex;
  for (std::uint64_t i = 0; i < num; ++i) {
    const VertexId line = sources[i] / values_per_line;
    lines += line != last;
    last = line;
  }
  return lines;
}

// The arguments in the text of a call: names, numbers and what has no comma of its own.
std::vector<std::string> arguments_of(const std::string& call) {
  std::vector<std::string> arguments;
  const std::string separators = ",)";
  for (std::size_t at = call.find('('); at < call.size() && call[at] != ')'; at = call.find_first_of(separators, at)) {
    at = call.find_first_not_of(' ', at + 1);
    if (at == std::string::npos) break;
    arguments.push_back(call.substr(at, call.find_first_of(separators, at) - at));
  }
  return arguments;
}

// Tasks by names that tell them apart: "burstRead(destinations)" where several tasks are of one function, by the first
// argument that is another in each.
std::vector<std::string> labels(const std::vector<emulator::TaskStats>& tasks) {
  std::vector<std::string> labels;
  for (const emulator::TaskStats& task : tasks) {
    std::vector<std::vector<std::string>> others;
    for (const emulator::TaskStats& other : tasks) {
      if (&other != &task && other.name == task.name) others.push_back(arguments_of(other.call));
    }
    const std::vector<std::string> own = arguments_of(task.call);
    std::size_t at = 0;
    const auto is_same = [&](const auto& other) { return other.size() > at && other[at] == own[at]; };
    while (at < own.size() && std::any_of(others.begin(), others.end(), is_same)) ++at;
    labels.push_back(others.empty() || at == own.size() ? task.name : task.name + "(" + own[at] + ")");
  }
  return labels;
}

struct Asking {
  Workers* workers;
  int worker;
};

}  // namespace

Predictor::Predictor(const Subject& subject)
    : subject_(subject),
      clock_mhz_(subject.clock_mhz),
      num_partitions_(subject.edges.partitioning().size()),
      num_units_(subject.edges.partitioning().config().compute_units),
      num_channels_(num_channels(subject.board.memory.kind == MemoryKind::kHbm)),
      group_size_(subject.config.one_launch
                      ? std::max<std::size_t>(1, (num_partitions_ + kLaunchesPerStep - 1) / kLaunchesPerStep)
                      : 1),
      word_bytes_(subject.instance.property_bytes),
      around_(surroundings_of(subject.board, subject.clock_mhz, subject.options)),
      slices_(num_partitions_ * num_units_),
      own_applies_(num_partitions_),
      timings_(slices_.size()) {
  if (subject.is_timed_here && subject.instance.update_bytes != subject.instance.property_bytes) {
    throw InputError(message("updates have ", subject.instance.update_bytes, " bytes and properties ",
                             subject.instance.property_bytes,
                             "; only kernels with words of one size are timed without their values; use "
                             "execution=\"exact\""));
  }
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    slice_of_unit_.emplace_back(num_units_);
    for (std::size_t slice = 0; slice < num_units_; ++slice) {
      slice_of_unit_[p][subject.schedule.units[p][slice]] = slice;
    }
  }
  describe_slices();
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
}

// Destinations that a kernel flushes: the range, or all that there is room for.
VertexId Predictor::flushed(std::size_t partition) const {
  const Partitioning& partitioning = subject_.edges.partitioning();
  const Partition part = partitioning.get_partition(static_cast<std::int64_t>(partition));
  return subject_.config.is_published ? partitioning.config().capacity : part.last_vertex() - part.first_vertex();
}

void Predictor::describe_slices() {
  const SliceCost& cost = subject_.config.cost;
  subject_.workers.each(slices_.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const std::size_t partition = i / num_units_;
    const Partition part = subject_.edges.partitioning().get_partition(static_cast<std::int64_t>(partition));
    const DeviceEdges::Share& share = subject_.edges.share(partition, i % num_units_);
    Slice& slice = slices_[i];
    slice.edges = part.get_sub_partition(static_cast<std::int64_t>(i % num_units_)).num_edges();
    slice.bytes.assign(num_channels_, 0);
    if (subject_.options.sample_edges == 0) return;
    const std::uint64_t lines = count_lines(share, 64u / static_cast<unsigned>(word_bytes_));
    slice.cost = cost.per_word * share.num_words + cost.per_line * static_cast<double>(lines) +
                 cost.per_row * flushed(partition) / kRow;
  });
  subject_.workers.check();
}

std::uint64_t Predictor::mask(std::size_t partition, std::size_t slice, const void* properties,
                              Word<VertexId>* masked) const {
  const Partition part = subject_.edges.partitioning().get_partition(static_cast<std::int64_t>(partition));
  const DeviceEdges::Share& share = subject_.edges.share(partition, slice);
  abi::GatherScatterCall call{};
  call.sources = share.sources.data();
  call.destinations = share.destinations.data();
  call.weights = subject_.weighted ? share.weights.data() : nullptr;
  call.properties = properties;
  call.num_words = share.num_words;
  call.first_vertex = part.first_vertex();
  call.last_vertex = part.last_vertex();
  return subject_.instance.kernels.sent(&call, masked->lane);
}

// Slices that no source sends along. What tells a card's host is a bit per slice from apply, which costs no time here.
void Predictor::find_idle(const void* properties) {
  if (!subject_.config.skips_idle) return;
  for (Slice& slice : slices_) slice.is_idle = slice.edges == 0;
  if (subject_.instance.kernels.sent == nullptr) return;
  std::vector<std::vector<Word<VertexId>>> masked(static_cast<std::size_t>(subject_.workers.size()));
  subject_.workers.each(slices_.size(), 1, [&](std::uint64_t i, std::uint64_t, int worker) {
    std::vector<Word<VertexId>>& room = masked[static_cast<std::size_t>(worker)];
    room.resize(std::max<std::size_t>(room.size(), subject_.edges.share(i / num_units_, i % num_units_).num_words));
    if (!room.empty()) slices_[i].is_idle = mask(i / num_units_, i % num_units_, properties, room.data()) == 0;
  });
  subject_.workers.check();
}

// The sub-partitions to time: all, or as many as make up the edges asked for, at even distances in the order of their
// cost; at least two.
void Predictor::choose_sample() {
  std::vector<std::size_t> busy;
  EdgeCount edges = 0;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    slices_[i].is_timed = false;
    if (slices_[i].is_idle) continue;
    busy.push_back(i);
    edges += slices_[i].edges;
  }
  if (busy.empty()) return;
  const double mean = static_cast<double>(edges) / static_cast<double>(busy.size());
  std::size_t wanted = busy.size();
  if (subject_.options.sample_edges > 0 && subject_.options.sample_edges < edges) {
    wanted = static_cast<std::size_t>(static_cast<double>(subject_.options.sample_edges) / mean);
    wanted = std::min(busy.size(), std::max<std::size_t>(2, wanted));
  }
  std::stable_sort(busy.begin(), busy.end(),
                   [&](std::size_t a, std::size_t b) { return slices_[a].cost > slices_[b].cost; });
  for (std::size_t i = 0; i < wanted; ++i) slices_[busy[(2 * i + 1) * busy.size() / (2 * wanted)]].is_timed = true;
}

void Predictor::time_group(std::size_t group, std::size_t unit, const void* properties, int worker) {
  const Partitioning& partitioning = subject_.edges.partitioning();
  GatherScatterLaunch launch;
  launch.num_vertices = partitioning.csr().num_columns;
  launch.weighted = subject_.weighted;
  launch.capacity = partitioning.config().capacity;
  std::vector<std::size_t> timed;
  std::vector<std::vector<Word<VertexId>>> masked;
  for (std::size_t at = group * group_size_; at < std::min(num_partitions_, (group + 1) * group_size_); ++at) {
    const std::size_t partition = subject_.schedule.partitions[at];
    const std::size_t slice = slice_of_unit_[partition][unit];
    if (!slices_[index(partition, slice)].is_timed) continue;
    const DeviceEdges::Share& share = subject_.edges.share(partition, slice);
    const Partition part = partitioning.get_partition(static_cast<std::int64_t>(partition));
    TimedSlice one;
    one.sources = share.sources.data();
    one.destinations = share.destinations.data();
    one.num_words = share.num_words;
    one.first = part.first_vertex();
    one.last = part.last_vertex();
    if (subject_.instance.kernels.sent != nullptr && share.num_words > 0) {
      masked.emplace_back(share.num_words);
      mask(partition, slice, properties, masked.back().data());
      one.destinations = masked.back().data();
    }
    launch.slices.push_back(one);
    timed.push_back(index(partition, slice));
  }
  if (timed.empty()) return;
  Surroundings around = around_;
  Asking asking{&subject_.workers, worker};
  around.stopped_self = &asking;
  around.stopped = [](void* self) {
    const auto& asked = *static_cast<const Asking*>(self);
    return asked.workers->poll(asked.worker) != 0;
  };
  KernelTiming timing;
  try {
    timing = subject_.config.gather_scatter(launch, around, word_bytes_);
  } catch (const emulator::Stopped&) {
    return subject_.workers.cancel();
  } catch (const emulator::DesignError& error) {
    throw DeviceError(message("emulator, ", subject_.config.description.name, " gather_scatter, compute unit ", unit,
                              ": ", error.what()));
  }
  for (const std::size_t i : timed) timing.edges += slices_[i].edges;
  // The bytes of a launch go to its slices as their cycles do.
  std::uint64_t started = 0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    Slice& slice = slices_[timed[i]];
    const std::uint64_t ended = timed.size() == 1 ? timing.cycles : timing.slice_ends[i];
    slice.cycles = static_cast<double>(ended - started);
    for (std::size_t c = 0; c < num_channels_; ++c) {
      slice.bytes[c] = timing.bytes[c] * slice.cycles / static_cast<double>(timing.cycles);
    }
    started = ended;
  }
  timings_[group * num_units_ + unit] = std::move(timing);
}

// What was not timed takes as many times its cost as the timed sub-partitions of this super-step took together.
void Predictor::scale_others() {
  double cost = 0, cycles = 0;
  std::vector<double> bytes(num_channels_, 0);
  for (const Slice& slice : slices_) {
    if (!slice.is_timed) continue;
    cost += slice.cost;
    cycles += slice.cycles;
    for (std::size_t c = 0; c < num_channels_; ++c) bytes[c] += slice.bytes[c];
  }
  for (Slice& slice : slices_) {
    if (slice.is_timed) continue;
    if (slice.is_idle) {  // only the range is sent, to the channel of the vertices, which is the last
      const VertexId num_sent = flushed(static_cast<std::size_t>(&slice - slices_.data()) / num_units_);
      slice.cycles = subject_.config.cost.per_row * num_sent / kRow;
      std::fill(slice.bytes.begin(), slice.bytes.end(), 0);
      slice.bytes.back() = static_cast<double>(num_sent) * word_bytes_;
      continue;
    }
    slice.cycles = slice.cost / cost * cycles;
    for (std::size_t c = 0; c < num_channels_; ++c) slice.bytes[c] = slice.cost / cost * bytes[c];
  }
}

void Predictor::time_step(const void* properties) {
  // Where every update is sent, every super-step takes the same time.
  if (subject_.instance.kernels.sent == nullptr && !prediction_.steps.empty()) return finish_step();
  find_idle(properties);
  choose_sample();
  const std::size_t num_groups = (num_partitions_ + group_size_ - 1) / group_size_;
  subject_.workers.each(num_groups * num_units_, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
    time_group(i / num_units_, i % num_units_, properties, worker);
  });
  subject_.workers.check();
  scale_others();
  finish_step();
}

void Predictor::take(std::size_t partition, std::size_t slice, KernelTiming timing) {
  Slice& to = slices_[index(partition, slice)];
  to.is_timed = true;
  to.cycles = static_cast<double>(timing.cycles);
  to.bytes = timing.bytes;
  timing.edges = to.edges;
  timings_[index(partition, slice)] = std::move(timing);  // a place of its own, for workers come side by side
}

void Predictor::take_apply(std::size_t partition, KernelTiming timing) { own_applies_[partition] = std::move(timing); }

// The range decides alone.
const KernelTiming& Predictor::apply_timing(std::size_t partition) {
  if (own_applies_[partition]) {
    if (!has_apply_resources_) count_resources(*own_applies_[partition], 1);
    has_apply_resources_ = true;
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
    timing = time_apply({width, static_cast<int>(num_units_), subject_.instance.num_aux}, subject_.config.is_published,
                        around, word_bytes_);
  } catch (const emulator::Stopped&) {
    subject_.workers.cancel();
    subject_.workers.check();
  } catch (const emulator::DesignError& error) {
    throw DeviceError(message("emulator, ", subject_.config.description.name, " apply: ", error.what()));
  }
  if (applies_.empty()) count_resources(timing, 1);
  return applies_.emplace(width, std::move(timing)).first->second;
}

void Predictor::count(const KernelTiming& timing) {
  std::unordered_map<std::string, StreamUse*> streams;
  std::unordered_map<std::string, TaskUse*> tasks;
  const std::vector<std::string> names = labels(timing.stats.tasks);
  if (prediction_.streams.empty()) {
    count_resources(timing, static_cast<int>(num_units_));
    for (const emulator::StreamStats& s : timing.stats.streams) {
      prediction_.streams.push_back({s.name, s.depth, 0, s.token_bytes, 0, 0, 0});
    }
    for (const std::string& name : names) prediction_.tasks.push_back({name, 0, 0, 0, 0});
  }
  for (StreamUse& stream : prediction_.streams) streams[stream.name] = &stream;
  for (TaskUse& task : prediction_.tasks) tasks[task.name] = &task;
  const std::string prefix = subject_.config.pe_stream;
  prediction_.source_edges += timing.edges;
  for (const emulator::StreamStats& s : timing.stats.streams) {
    const auto found = streams.find(s.name);
    if (found == streams.end()) continue;
    StreamUse& use = *found->second;
    use.most = std::max(use.most, s.most);
    use.tokens += s.num_tokens;
    use.reader_waited += s.reader_waited;
    use.writer_waited += s.writer_waited;
    if (s.name == kLineStream) {
      prediction_.source_lines += s.num_tokens - (subject_.config.is_published ? 1 : 0);  // there with an end token
    }
    if (s.name.compare(0, prefix.size(), prefix) != 0 || s.name[prefix.size()] != '[') continue;
    const auto pe = static_cast<std::size_t>(std::stoi(s.name.substr(prefix.size() + 1)));
    if (prediction_.pe_updates.size() <= pe) prediction_.pe_updates.resize(pe + 1);
    const std::uint64_t ends = std::max<std::size_t>(1, timing.slice_ends.size());
    prediction_.pe_updates[pe] += s.num_tokens - std::min<std::uint64_t>(ends, s.num_tokens);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const emulator::TaskStats& t = timing.stats.tasks[i];
    const auto found = tasks.find(names[i]);
    if (found == tasks.end()) continue;
    TaskUse& use = *found->second;
    const std::uint64_t waited = t.waited_in + t.waited_out + t.waited_memory;
    use.busy += t.finish - std::min<std::uint64_t>(waited, t.finish);
    use.waited_in += t.waited_in;
    use.waited_out += t.waited_out;
    use.waited_memory += t.waited_memory;
  }
}

void Predictor::count_resources(const KernelTiming& timing, int copies) {
  const double share =
      static_cast<double>(subject_.edges.partitioning().config().capacity) / subject_.config.description.most_capacity;
  const Blocks blocks = blocks_of(timing.stats, share);
  prediction_.resources.uram += copies * blocks.uram;
  prediction_.resources.bram += copies * blocks.bram;
}

void Predictor::finish_step() {
  for (std::optional<KernelTiming>& timing : timings_) {
    if (timing) count(*timing);
    timing.reset();
  }
  const std::size_t num_groups = (num_partitions_ + group_size_ - 1) / group_size_;
  StepPlan plan;
  plan.launch_seconds = prediction_.launch_seconds;
  plan.channel_bytes_per_second = bytes_per_second(subject_.board.memory);
  StepPrediction step;
  for (std::size_t group = 0; group < num_groups; ++group) {
    plan.launches.emplace_back(num_units_);
    plan.applies.emplace_back();
    for (std::size_t at = group * group_size_; at < std::min(num_partitions_, (group + 1) * group_size_); ++at) {
      const std::size_t partition = subject_.schedule.partitions[at];
      for (std::size_t unit = 0; unit < num_units_; ++unit) {
        const Slice& slice = slices_[index(partition, slice_of_unit_[partition][unit])];
        KernelRun& run = plan.launches[group][unit];
        run.seconds += seconds_of(slice.cycles);
        run.bytes.resize(num_units_ * num_channels_);
        for (std::size_t c = 0; c < num_channels_; ++c) run.bytes[unit * num_channels_ + c] += slice.bytes[c];
        if (slice.is_idle) continue;
        step.edges += slice.edges;
        step.timed_edges += slice.is_timed ? slice.edges : 0;
        prediction_.units[unit].edges += slice.edges;
      }
      const KernelTiming& applied = apply_timing(partition);
      plan.applies[group].push_back({seconds_of(static_cast<double>(applied.cycles)), applied.bytes});
    }
  }
  const StepTime time = schedule_step(plan);
  step.scatter_gather_seconds = time.scatter_gather_seconds;
  step.apply_seconds = time.seconds - time.scatter_gather_seconds;
  step.seconds = time.seconds + prediction_.step_overhead_seconds;
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
  prediction_.steps.push_back(step);
}

Prediction Predictor::prediction() const { return prediction_; }

}  // namespace predict
}  // namespace gaspipe
