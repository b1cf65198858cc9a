// SPDX-License-Identifier: Apache-2.0
// Boards: those of hls/device as records, and those that a user describes, from a dict.
// python/gaspipe/_predict/board.py reads files.
#include <type_traits>

#include "bindings.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace bindings {
namespace {

// A value of a board, of a type that Python has checked or, where it has not, is told about.
template <class T>
T entry(const py::dict& from, const char* key, const std::string& where) {
  if (!from.contains(key)) throw InputError(message("a board has no ", where, key));
  try {
    return from[key].cast<T>();
  } catch (const py::cast_error&) {
    const char* const allowed = std::is_same_v<T, int> ? "; allowed are whole numbers below 2147483648" : "";
    throw InputError(message("a board's ", where, key, " is ", std::string(py::repr(from[key])), allowed));
  }
}

std::shared_ptr<OwnBoard> board_from_python(const py::dict& from) {
  OwnBoard own;
  own.name = entry<std::string>(from, "name", "");
  own.platform = entry<std::string>(from, "platform", "");
  const auto memory = entry<py::dict>(from, "memory", "");
  const auto kind = entry<std::string>(memory, "kind", "memory.");
  if (kind != "ddr" && kind != "hbm") {
    throw InputError(message("board ", own.name, ": memory.kind is \"", kind, "\"; allowed are \"ddr\" and \"hbm\""));
  }
  Memory& own_memory = own.board.memory;
  own_memory.kind = kind == "ddr" ? MemoryKind::kDdr : MemoryKind::kHbm;
  own_memory.num_banks = entry<int>(memory, "num_banks", "memory.");
  own_memory.bytes_per_bank = entry<std::uint64_t>(memory, "bytes_per_bank", "memory.");
  own_memory.peak_bytes_per_second = entry<double>(memory, "peak_bytes_per_second", "memory.");
  own_memory.efficiency = entry<double>(memory, "efficiency", "memory.");
  own_memory.latency_ns = entry<double>(memory, "latency_ns", "memory.");
  own_memory.burst_gap_ns = entry<double>(memory, "burst_gap_ns", "memory.");
  own_memory.switch_ns = entry<double>(memory, "switch_ns", "memory.");
  const auto slrs = entry<py::list>(from, "slrs", "");
  own.board.num_slrs = static_cast<int>(slrs.size());
  for (std::size_t i = 0; i < slrs.size() && i < static_cast<std::size_t>(kMostSlrs); ++i) {
    const auto slr = slrs[i].cast<py::dict>();
    own.board.slr[i] = {entry<int>(slr, "uram", "slrs."), entry<int>(slr, "bram", "slrs."),
                        entry<int>(slr, "luts", "slrs.")};
  }
  own.board.clock_mhz = entry<int>(from, "clock_mhz", "");
  own.board.launch_us = entry<double>(from, "launch_us", "");
  own.board.step_us = entry<double>(from, "step_us", "");
  const auto clocks = entry<py::dict>(from, "clocks", "");
  for (const auto& each : clocks) {
    const auto algorithm = each.first.cast<std::string>();
    own.clocks.emplace_back(algorithm, entry<int>(clocks, algorithm.c_str(), "clocks."));
  }
  return std::const_pointer_cast<OwnBoard>(make_board(std::move(own)));  // pybind11 holds no pointer to const
}

}  // namespace

void bind_boards(py::module_& module) {
  py::class_<Memory>(module, "Memory")
      .def_property_readonly("kind", [](const Memory& m) { return m.kind == MemoryKind::kDdr ? "ddr" : "hbm"; })
      .def_readonly("num_banks", &Memory::num_banks)
      .def_readonly("bytes_per_bank", &Memory::bytes_per_bank)
      .def_readonly("peak_bytes_per_second", &Memory::peak_bytes_per_second)
      .def_readonly("efficiency", &Memory::efficiency)
      .def_readonly("latency_ns", &Memory::latency_ns)
      .def_readonly("burst_gap_ns", &Memory::burst_gap_ns)
      .def_readonly("switch_ns", &Memory::switch_ns)
      .def_property_readonly("modeled_bytes_per_second", [](const Memory& m) { return bytes_per_second(m); })
      .def_property_readonly("modeled_latency_ns", [](const Memory& m) { return latency_ns(m); });
  py::class_<Slr>(module, "Slr")
      .def_readonly("uram", &Slr::num_uram)
      .def_readonly("bram", &Slr::num_bram)
      .def_readonly("luts", &Slr::num_luts);
  py::class_<Board>(module, "Board")
      .def_readonly("name", &Board::name)
      .def_readonly("platform", &Board::platform)
      .def_readonly("memory", &Board::memory)
      .def_property_readonly("slrs", [](const Board& b) { return std::vector<Slr>(b.slr, b.slr + b.num_slrs); })
      .def_readonly("clock_mhz", &Board::clock_mhz)
      .def_property_readonly("modeled_clock_mhz", [](const Board& b) { return clock_mhz(b); })
      .def_readonly("launch_us", &Board::launch_us)
      .def_readonly("step_us", &Board::step_us);
  module.def("boards", [] {
    std::vector<std::string> names;
    for (const Board* board : boards()) names.emplace_back(board->name);
    return names;
  });
  module.def("find_board", &find_board, py::arg("name"), py::return_value_policy::reference);
  module.def(
      "published_clocks", [](const std::string& board) { return py::dict(py::cast(published_clocks(board))); },
      py::arg("board"));
  py::class_<OwnBoard, std::shared_ptr<OwnBoard>>(module, "OwnBoard")
      .def(py::init(&board_from_python), py::arg("described"))
      .def_property_readonly(
          "board", [](const OwnBoard& own) -> const Board& { return own.board; },
          py::return_value_policy::reference_internal);
}

}  // namespace bindings
}  // namespace gaspipe
