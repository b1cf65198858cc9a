// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <utility>

#include "gaspipe/error.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {
namespace {

constexpr std::size_t kReportBytes = 1 << 14;
const KernelConfig* const kConfigs[] = {&kPlain, &kThunderGp, &kPacked, &kReGraphConfig, &kHbmConfig};
// Between these, for an ablation: found by name, but not listed.
const KernelConfig* const kSteps[] = {&kWide, &kPackedSingle, &kPackedAll};

}  // namespace
}  // namespace predict

const std::vector<KernelConfigDescription>& kernel_configs() {
  static const auto all = [] {
    std::vector<KernelConfigDescription> all;
    for (const predict::KernelConfig* config : predict::kConfigs) all.push_back(config->description);
    return all;
  }();
  return all;
}

namespace predict {

const KernelConfig& find_config(const std::string& name) {
  std::string known;
  for (const KernelConfig* config : kConfigs) {
    if (name == config->description.name) return *config;
    known += message(known.empty() ? "" : ", ", "\"", config->description.name, "\"");
  }
  for (const KernelConfig* config : kSteps) {
    if (name == config->description.name) return *config;
  }
  throw InputError(message("config is \"", name, "\"; allowed are ", known));
}

TimedShape shape_of(const KernelConfig& config, const TimedNumbers& numbers, bool is_weighted, int num_aux) {
  const bool is_floating = numbers.is_floating && !config.is_published;
  return {config.kernel,        numbers.word_bytes,
          std::min(num_aux, 2), is_floating,
          is_weighted,          is_floating && numbers.is_idempotent,
          config.is_published,  numbers.has_floating_sums && !config.is_published};
}

KernelTiming time_kernel(timing::Kernel kernel, timing::Launch launch, const Surroundings& around) {
  std::vector<timing::FifoDepth> depths;
  if (around.fifo_depths != nullptr) {
    for (const auto& [stream, depth] : *around.fifo_depths) depths.push_back({stream.c_str(), depth});
  }
  launch.fifo_depths = depths.data();
  launch.num_fifo_depths = depths.size();
  struct Asked {
    const Surroundings& around;
    KernelTiming timing;
  } asked{around, {}};
  asked.timing.sub_partition_ends.resize(launch.num_sub_partitions);
  launch.sub_partition_ends = asked.timing.sub_partition_ends.data();
  std::string report(kReportBytes, '\0');
  abi::Emulation emulation{};
  emulation.execution = abi::kExact;
  emulation.banks_per_unit = static_cast<std::int32_t>(num_channels(around.is_hbm));
  emulation.bytes_per_cycle = around.channel.bytes_per_cycle;
  emulation.latency = around.channel.latency;
  emulation.burst_gap = around.channel.burst_gap;
  emulation.switch_penalty = around.channel.switch_penalty;
  emulation.self = &asked;
  emulation.stopped = [](void* self) -> std::int32_t {
    const Surroundings& around = static_cast<const Asked*>(self)->around;
    return around.stopped != nullptr && around.stopped(around.stopped_self);
  };
  emulation.used = [](void* self, const abi::KernelUse* use) {
    KernelTiming& timing = static_cast<Asked*>(self)->timing;
    std::vector<std::uint64_t> ends = std::move(timing.sub_partition_ends);
    timing = timing_from(*use);
    timing.sub_partition_ends = std::move(ends);
  };
  emulation.report = report.data();
  emulation.report_size = report.size();
  const std::int32_t status = kernel(&launch, &emulation);
  if (status == abi::kBadDesign) throw emulator::DesignError(report.c_str());
  if (status == abi::kCancelled) throw emulator::Stopped();
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  asked.timing.cycles = emulation.cycles;
  return std::move(asked.timing);
}

KernelTiming timing_from(const abi::KernelUse& use) {
  KernelTiming timing;
  for (std::uint64_t i = 0; i < use.num_streams; ++i) {
    const abi::StreamUse& s = use.streams[i];
    timing.stats.streams.push_back(
        {s.name, s.depth, s.most, s.token_bytes, s.num_tokens, s.reader_waited, s.writer_waited});
  }
  for (std::uint64_t i = 0; i < use.num_tasks; ++i) {
    const abi::TaskUse& t = use.tasks[i];
    timing.stats.tasks.push_back({t.name, t.call, t.finish, t.waited_in, t.waited_out, t.waited_memory});
  }
  for (std::uint64_t i = 0; i < use.num_memories; ++i) {
    const abi::MemoryUse& m = use.memories[i];
    timing.stats.memories.push_back(
        {m.name, m.task, m.num_words, m.word_bytes, static_cast<emulator::MemoryKind>(m.kind)});
  }
  timing.bytes.assign(use.channel_bytes, use.channel_bytes + use.num_channels);
  timing.channel_cycles = use.channel_cycles;
  return timing;
}

}  // namespace predict
}  // namespace gaspipe
