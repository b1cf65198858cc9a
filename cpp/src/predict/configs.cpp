// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/error.h"
#include "pipeline_shape.h"
#include "timed_kernels.h"

namespace gaspipe {

namespace predict {
namespace {

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
  for (const KernelConfig* config : assumed_configs()) {
    if (name == config->description.name) return *config;
  }
  throw InputError(message("config is \"", name, "\"; allowed are ", known));
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
