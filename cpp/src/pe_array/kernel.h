// SPDX-License-Identifier: Apache-2.0
// A launch of the kernel hls/kernel/local_store_bfs.h: by the emulator's fibers, with clocks, or without streams.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace pe_array {

// What a PE's ports lead to.
struct Ports {
  const Line* lists;
  Line* queue;
};

// One level, on the emulator of this thread. `ports`: 2, 4 or 8 PEs.
void run_level(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t turn);
// The same bits, without streams, fibers or clocks.
void run_level_fast(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t turn);

}  // namespace pe_array
}  // namespace gaspipe
