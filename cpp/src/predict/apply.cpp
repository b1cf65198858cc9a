// SPDX-License-Identifier: Apache-2.0
// The apply kernel (hls/kernel/apply.h), timed: ours, and as the published design reads and writes memory.
#include "hls/kernel/apply.h"

#include "hls/thundergp/memory.h"
#include "timed_hooks.h"

namespace gaspipe {
namespace predict {
namespace {

template <class Value, int num_aux, class Memory, class Count>
KernelTiming time_kernel(const ApplyLaunch& launch, const Surroundings& around) {
  using Hooks = TimedHooks<Value, false, false, num_aux, Count>;
  using Words = std::vector<Word<Value>>;
  const auto units = static_cast<std::size_t>(launch.num_units);
  const std::size_t stride = num_channels(around.is_hbm), vertices = stride - 1;
  emulator::MemoryMap memory = memory_of(around, units * stride);
  std::vector<Words> gathered(units, Words(words_of<Value>(launch.num_vertices))), updated = gathered;
  const Words properties = gathered[0];
  const std::vector<Words> inputs(std::max(1, num_aux), properties);
  std::vector<ResultWord> sums(ApplyShape<Hooks>::kResultWords);
  std::vector<const Word<Value>*> gathered_at, inputs_at;
  std::vector<Word<Value>*> updated_at;
  const auto add = [&](const char* name, const Words& words, std::size_t unit, bool writable) {
    memory.add(name, words.data(), words.size() * sizeof words[0], unit * stride + vertices, writable);
  };
  for (std::size_t unit = 0; unit < units; ++unit) {
    add("gathered", gathered[unit], unit, false);
    add("updated", updated[unit], unit, true);
    gathered_at.push_back(gathered[unit].data());
    updated_at.push_back(updated[unit].data());
  }
  add("properties", properties, 0, false);
  for (int k = 0; k < num_aux; ++k) add("inputs", inputs[static_cast<std::size_t>(k)], 0, false);
  for (const Words& words : inputs) inputs_at.push_back(words.data());
  memory.add("sums", sums.data(), sums.size() * sizeof sums[0], vertices, true);
  return timed(around, memory, [&] {
    const std::uint32_t arg[kArgWords] = {};
    apply<Hooks, Memory>(launch.num_units, gathered_at.data(), properties.data(), inputs_at.data(), updated_at.data(),
                         sums.data(), 0, launch.num_vertices, arg);
  });
}

// Programs with more inputs are timed as with two.
template <class Memory, class Count>
KernelTiming time_any(const ApplyLaunch& launch, const Surroundings& around, int word_bytes) {
  const auto choose = [&](auto value) {
    using Value = decltype(value);
    return launch.num_aux == 0   ? time_kernel<Value, 0, Memory, Count>(launch, around)
           : launch.num_aux == 1 ? time_kernel<Value, 1, Memory, Count>(launch, around)
                                 : time_kernel<Value, 2, Memory, Count>(launch, around);
  };
  return word_bytes == 8 ? choose(std::uint64_t()) : choose(std::uint32_t());
}

}  // namespace

KernelTiming time_apply(const ApplyLaunch& launch, bool published, const Surroundings& around,
                        const TimedNumbers& numbers) {
  // As published, whatever is summed.
  if (published) return time_any<thundergp::BufferedMemory, unsigned>(launch, around, numbers.word_bytes);
  return numbers.has_floating_sums ? time_any<StreamingMemory, float>(launch, around, numbers.word_bytes)
                                   : time_any<StreamingMemory, unsigned>(launch, around, numbers.word_bytes);
}

}  // namespace predict
}  // namespace gaspipe
