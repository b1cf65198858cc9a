// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/boards.h"

#include <cmath>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

void check_value(const std::string& board, const char* what, double found, double low, double high, const char* unit,
                 bool may_be_unknown = true) {
  if (may_be_unknown && found == 0) return;
  if (std::isfinite(found) && found >= low && found <= high) return;
  throw InputError(message("board ", board, ": ", what, " is ", found, unit, "; allowed are ", low, " to ", high,
                           may_be_unknown ? ", or 0 where it is unknown" : ""));
}

}  // namespace

const Board& find_board(const std::string& name) {
  std::string known;
  for (const Board* board : boards()) {
    if (name == board->name) return *board;
    known += (known.empty() ? "" : ", ") + std::string(board->name);
  }
  throw InputError(message("there is no board \"", name, "\"; known are ", known));
}

std::shared_ptr<const OwnBoard> make_board(OwnBoard described) {
  const auto own = std::make_shared<OwnBoard>(std::move(described));
  Board& board = own->board;
  const Memory& memory = board.memory;
  if (own->name.empty()) throw InputError("a board needs a name");
  check_value(own->name, "memory.num_banks", memory.num_banks, 1, 64, "", false);
  check_value(own->name, "memory.bytes_per_bank", static_cast<double>(memory.bytes_per_bank), 1 << 20, 1e13, "");
  check_value(own->name, "memory.peak_bytes_per_second", memory.peak_bytes_per_second, 1e8, 1e13, "");
  check_value(own->name, "memory.efficiency", memory.efficiency, 0.01, 1, "");
  check_value(own->name, "memory.latency_ns", memory.latency_ns, 1, 1e5, " ns");
  check_value(own->name, "memory.burst_gap_ns", memory.burst_gap_ns, 0, 1e4, " ns");
  check_value(own->name, "memory.switch_ns", memory.switch_ns, 0, 1e4, " ns");
  check_value(own->name, "the number of slrs", board.num_slrs, 1, kMostSlrs, "");
  for (int i = 0; i < board.num_slrs; ++i) {
    check_value(own->name, "the URAM of an SLR", board.slr[i].num_uram, 1, 1e6, "", false);
    check_value(own->name, "the BRAM of an SLR", board.slr[i].num_bram, 1, 1e6, "", false);
    check_value(own->name, "the number of LUTs of an SLR", board.slr[i].num_luts, 1, 1e8, "");
  }
  check_value(own->name, "clock_mhz", board.clock_mhz, 1, 2000, " MHz");
  check_value(own->name, "launch_us", board.launch_us, 1e-3, 1e6, " us");
  check_value(own->name, "step_us", board.step_us, 1e-3, 1e6, " us");
  for (const auto& [algorithm, mhz] : own->clocks) {
    check_value(own->name, "a clock of an algorithm", mhz, 1, 2000, " MHz", false);
  }
  board.name = own->name.c_str();
  board.platform = own->platform.c_str();
  return own;
}

}  // namespace gaspipe
