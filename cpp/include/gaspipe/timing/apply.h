// SPDX-License-Identifier: Apache-2.0
// The apply kernel (hls/kernel/apply.h), timed: ours (StreamingMemory), and as the published design reads and writes
// memory (thundergp::BufferedMemory).
#pragma once

#include <algorithm>
#include <type_traits>

#include "gaspipe/timing/hooks.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/port.h"
#include "hls/thundergp/memory.h"

namespace gaspipe {
namespace timing {

template <class Value, int num_aux, class Memory, class Count>
std::int32_t apply(const Launch* launch, abi::Emulation* emulation) {
  using Hooks = timing::Hooks<Value, false, false, num_aux, Count>;
  using Words = std::vector<Word<Value>>;
  const auto units = static_cast<std::size_t>(launch->num_units);
  const std::size_t stride = static_cast<std::size_t>(emulation->banks_per_unit), vertices = stride - 1;
  emulator::MemoryMap memory = memory_of(*emulation, units);
  std::vector<Words> gathered(units, Words(words_of<Value>(launch->num_vertices))), updated = gathered;
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
  // The published design has them all in the first unit's memory.
  const auto unit_of = [&](Each each, int i) {
    constexpr bool kIsPublished = std::is_same<Memory, thundergp::BufferedMemory>::value;
    return kIsPublished ? 0 : static_cast<std::size_t>(unit_of_memory(each, i, launch->num_units));
  };
  add("properties", properties, unit_of(Each::kOne, 0), false);
  for (int k = 0; k < num_aux; ++k) add("inputs", inputs[static_cast<std::size_t>(k)], unit_of(Each::kAux, k), false);
  for (const Words& words : inputs) inputs_at.push_back(words.data());
  memory.add("sums", sums.data(), sums.size() * sizeof sums[0], unit_of(Each::kOne, 0) * stride + vertices, true);
  return timed(*launch, emulation, memory, [&] {
    const std::uint32_t arg[kArgWords] = {};
    gaspipe::apply<Hooks, Memory>(launch->num_units, gathered_at.data(), properties.data(), inputs_at.data(),
                                  updated_at.data(), sums.data(), 0, launch->num_vertices, arg);
  });
}

}  // namespace timing
}  // namespace gaspipe
