// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/launches.h"

#include <array>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint32_t kWaitMilliseconds = 100;
constexpr std::chrono::microseconds kPatiencePerCycle{10};  // 1000 times a cycle of 100 MHz

}  // namespace

Haste haste_of(const CardDesign& design) {
  const Board* known = nullptr;
  for (const Board* board : boards()) {
    if (design.board == board->name) known = board;
  }
  const Board assumed{};
  const double clock_mhz = design.clock_mhz > 0 ? design.clock_mhz : kAssumedClockMhz;
  const auto lanes = static_cast<double>(find_pipeline(design.config).lanes) * static_cast<double>(design.units.size());
  return {lanes * clock_mhz * 1e6, step_seconds(known != nullptr ? *known : assumed)};
}

void Launches::start(Launch& launch) {
  launch.started_seconds = seconds();
  launch.run->start();
  launch.in_flight = true;
}

void Launches::set_arg(Launch& launch, int first, const void* arg) {
  std::array<std::uint32_t, kArgWords> words;
  std::memcpy(words.data(), arg, sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!launch.arg_is_set || launch.arg[i] != words[i]) launch.run->set(first + static_cast<int>(i), words[i]);
  }
  launch.arg = words;
  launch.arg_is_set = true;
}

std::string Launches::name_of(const Launch& launch) const {
  const CardDesign& design = parts_.design;
  const std::string partition = launch.id.partition == kNoPartition ? "" : message(", partition ", launch.id.partition);
  if (launch.id.unit == kApplyUnit) return message("apply (", design.apply_unit, ")", partition);
  return message("compute unit ", launch.id.unit, " (", design.units[static_cast<std::size_t>(launch.id.unit)], ")",
                 partition);
}

void Launches::wait(Launch& launch, bool may_stop) {
  if (!launch.in_flight) {  // passed over
    launch.started_seconds = launch.ended_seconds = seconds();
    return;
  }
  const auto start = Clock::now();
  const auto limit = parts_.patience + kPatiencePerCycle * launch.cycles;
  for (;;) {
    bool done = false;
    try {
      done = launch.run->wait(kWaitMilliseconds);
    } catch (const std::exception& error) {
      launch.in_flight = false;  // over, though not well
      throw DeviceError(message(name_of(launch), ": ", error.what()));
    }
    if (done) break;
    if (may_stop) workers_.check();
    if (Clock::now() - start > limit) {
      throw DeviceError(message(name_of(launch), " has not ended within ", std::chrono::duration<double>(limit).count(),
                                " s; reset the card (xbutil reset), then load it again"));
    }
  }
  launch.in_flight = false;
  launch.ended_seconds = seconds();
  if (may_stop) workers_.check();
}

void Launches::finish(CardGraph& graph) {
  graph.each_launch([&](Launch& launch) {
    if (launch.in_flight) wait(launch, true);
  });
}

void Launches::settle(CardGraph& graph, bool failed) noexcept {
  auto deadline = Clock::now() + parts_.patience;
  graph.each_launch([&](Launch& launch) {
    if (!launch.in_flight) return;
    try {
      if (!failed) {
        wait(launch, false);
        return;
      }
      while (!launch.run->wait(kWaitMilliseconds)) {
        if (Clock::now() > deadline) return;
      }
      launch.in_flight = false;
    } catch (...) {
      if (!failed) deadline = Clock::now() + parts_.patience;
      if (failed) launch.in_flight = false;
      failed = true;
    }
  });
  parts_.suspect = parts_.suspect || failed;
}

}  // namespace gaspipe
