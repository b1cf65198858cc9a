// SPDX-License-Identifier: Apache-2.0
// Whether a design gives the same answer in any order: it runs undisturbed, and then under many seeds with tasks in
// random order, tasks that stall, replies of memory that are late, and streams as shallow as declared legal.
#pragma once

#include <string>

#include "hls/emulator/engine.h"

namespace gaspipe {
namespace testing {

// "" if every run of `run`, which returns its answer, gives the same; else the first seed that does not, and how.
template <class Run>
std::string difference_in_any_order(const Run& run, std::uint64_t num_seeds = 30) {
  struct Options {
    emulator::Options before = emulator::Engine::current_options();
    ~Options() { emulator::Engine::current_options() = before; }
  } const options;
  const auto answer = run();
  constexpr std::uint32_t kStalls[] = {0, 1, 7, 100}, kDelays[] = {0, 20, 1000};
  for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
    emulator::Engine::current_options().shallow = seed % 2 == 0;
    emulator::Engine::current_options().disorder = {seed, kStalls[seed % 4], kDelays[seed % 3]};
    try {
      if (run() != answer) return "seed " + std::to_string(seed) + ": another answer";
    } catch (const emulator::DesignError& error) {
      return "seed " + std::to_string(seed) + ": " + error.what();
    }
  }
  return "";
}

}  // namespace testing
}  // namespace gaspipe
