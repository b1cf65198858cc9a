// SPDX-License-Identifier: Apache-2.0
// Predictions, the configurations that can be predicted, and boards as dicts (python/gaspipe/_predict/board.py reads files).
#include "bindings.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace bindings {
namespace {

template <class T, class F>
py::array step_column(const Prediction& prediction, const F& f) {
  Writable<T> values(prediction.steps.size());
  for (std::size_t i = 0; i < prediction.steps.size(); ++i) values[i] = f(prediction.steps[i]);
  return to_numpy(values.freeze());
}

py::dict board_to_python(const Board& board) {
  py::dict memory, clocks, all;
  memory["kind"] = board.memory.kind == MemoryKind::kDdr ? "ddr" : "hbm";
  memory["num_banks"] = board.memory.num_banks;
  memory["bytes_per_bank"] = board.memory.bytes_per_bank;
  memory["peak_bytes_per_second"] = board.memory.peak_bytes_per_second;
  memory["efficiency"] = board.memory.efficiency;
  memory["latency_ns"] = board.memory.latency_ns;
  memory["burst_gap_ns"] = board.memory.burst_gap_ns;
  memory["switch_ns"] = board.memory.switch_ns;
  py::list slrs;
  for (int i = 0; i < board.num_slrs; ++i) {
    py::dict slr;
    slr["uram"] = board.slr[i].num_uram;
    slr["bram"] = board.slr[i].num_bram;
    slrs.append(slr);
  }
  for (const PublishedClock& clock : board.published) {
    if (clock.algorithm != nullptr) clocks[clock.algorithm] = clock.clock_mhz;
  }
  all["name"] = board.name;
  all["platform"] = board.platform;
  all["memory"] = memory;
  all["slrs"] = slrs;
  all["clock_mhz"] = board.clock_mhz;
  all["launch_us"] = board.launch_us;
  all["step_us"] = board.step_us;
  all["clocks"] = clocks;
  return all;
}

// A value of a board, of a type that Python has checked or, where it has not, is told about.
template <class T>
T entry(const py::dict& from, const char* key, const std::string& where) {
  if (!from.contains(key)) throw InputError(message("a board has no ", where, key));
  try {
    return from[key].cast<T>();
  } catch (const py::cast_error&) {
    throw InputError(message("a board's ", where, key, " is ", std::string(py::repr(from[key]))));
  }
}

std::shared_ptr<const Board> board_from_python(const py::dict& from) {
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
    own.board.slr[i] = {entry<int>(slr, "uram", "slrs."), entry<int>(slr, "bram", "slrs.")};
  }
  own.board.clock_mhz = entry<int>(from, "clock_mhz", "");
  own.board.launch_us = entry<double>(from, "launch_us", "");
  own.board.step_us = entry<double>(from, "step_us", "");
  for (const auto& [algorithm, clock] : entry<py::dict>(from, "clocks", "")) {
    own.clocks.emplace_back(algorithm.cast<std::string>(), clock.cast<int>());
  }
  return make_board(std::move(own));
}

}  // namespace

std::optional<PredictionOptions> read_prediction(const py::object& asked) {
  if (asked.is_none()) return std::nullopt;
  const auto options = asked.cast<py::dict>();
  PredictionOptions read;
  read.config = options["config"].cast<std::string>();
  if (!options["board"].is_none()) read.board = board_from_python(options["board"].cast<py::dict>());
  read.clock_mhz = options["clock_mhz"].cast<double>();
  read.sample_edges = options["sample_edges"].cast<EdgeCount>();
  for (const auto& [stream, depth] : options["fifo_depths"].cast<py::dict>()) {
    read.fifo_depths.emplace_back(stream.cast<std::string>(), depth.cast<std::uint32_t>());
  }
  return read;
}

py::object prediction_to_python(const std::optional<Prediction>& predicted) {
  if (!predicted) return py::none();
  const Prediction& p = *predicted;
  using Step = StepPrediction;
  py::dict all;
  all["board"] = p.board;
  all["config"] = p.config;
  all["clock_mhz"] = p.clock_mhz;
  all["num_units"] = p.num_units;
  all["launch_seconds"] = p.launch_seconds;
  all["step_overhead_seconds"] = p.step_overhead_seconds;
  all["graph_edges"] = p.graph_edges;
  all["peak_bytes_per_second"] = p.peak_bytes_per_second;
  all["seconds"] = step_column<double>(p, [](const Step& s) { return s.seconds; });
  all["cycles"] = step_column<std::uint64_t>(
      p, [&](const Step& s) { return static_cast<std::uint64_t>(s.seconds * p.clock_mhz * 1e6 + 0.5); });
  all["edges"] = step_column<std::uint64_t>(p, [](const Step& s) { return s.edges; });
  all["timed_edges"] = step_column<std::uint64_t>(p, [](const Step& s) { return s.timed_edges; });
  all["scatter_gather_seconds"] = step_column<double>(p, [](const Step& s) { return s.scatter_gather_seconds; });
  all["apply_seconds"] = step_column<double>(p, [](const Step& s) { return s.apply_seconds; });
  all["bytes"] = step_column<std::uint64_t>(p, [](const Step& s) { return s.bytes; });
  py::list units, channels, streams, tasks;
  for (const UnitUse& use : p.units) {
    units.append(py::dict(py::arg("unit") = use.unit, py::arg("busy_seconds") = use.busy_seconds,
                          py::arg("edges") = use.edges, py::arg("bytes") = use.bytes));
  }
  for (const ChannelUse& use : p.channels) {
    channels.append(py::dict(py::arg("bytes") = use.bytes, py::arg("busy_seconds") = use.busy_seconds));
  }
  for (const StreamUse& use : p.streams) {
    streams.append(py::dict(py::arg("name") = use.name, py::arg("depth") = use.depth, py::arg("most") = use.most,
                            py::arg("tokens") = use.tokens, py::arg("reader_waited") = use.reader_waited,
                            py::arg("writer_waited") = use.writer_waited, py::arg("token_bytes") = use.token_bytes));
  }
  for (const TaskUse& use : p.tasks) {
    tasks.append(py::dict(py::arg("name") = use.name, py::arg("busy") = use.busy, py::arg("waited_in") = use.waited_in,
                          py::arg("waited_out") = use.waited_out, py::arg("waited_memory") = use.waited_memory));
  }
  all["units"] = units;
  all["channels"] = channels;
  all["streams"] = streams;
  all["tasks"] = tasks;
  all["pe_updates"] = p.pe_updates;
  all["source_edges"] = p.source_edges;
  all["source_lines"] = p.source_lines;
  all["resources"] = py::dict(py::arg("uram") = p.resources.uram, py::arg("bram") = p.resources.bram,
                              py::arg("uram_available") = p.resources.uram_available,
                              py::arg("bram_available") = p.resources.bram_available);
  return all;
}

void bind_prediction(py::module_& module) {
  module.def(
      "board", [](const std::string& name) { return board_to_python(find_board(name)); }, py::arg("name"));
  module.def(
      "check_board", [](const py::dict& board) { board_from_python(board); }, py::arg("board"));
  module.def("configs", [] {
    py::list all;
    for (const KernelConfigDescription& config : kernel_configs()) {
      all.append(py::dict(py::arg("name") = config.name, py::arg("summary") = config.summary,
                          py::arg("lanes") = config.lanes, py::arg("pes") = config.pes,
                          py::arg("capacity") = config.most_capacity, py::arg("edge_bytes") = config.edge_bytes));
    }
    return all;
  });
}

}  // namespace bindings
}  // namespace gaspipe
