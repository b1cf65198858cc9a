// SPDX-License-Identifier: Apache-2.0
// Predictions, the configurations that can be predicted, and what their kernels take of a chip.
#include "bindings.h"
#include "gaspipe/boards.h"
#include "gaspipe/fabric.h"
#include "gaspipe/pipeline_configs.h"

namespace gaspipe {
namespace bindings {
namespace {

template <class T, class F>
py::array step_column(const Prediction& prediction, const F& f) {
  Writable<T> values(prediction.steps.size());
  for (std::size_t i = 0; i < prediction.steps.size(); ++i) values[i] = f(prediction.steps[i]);
  return to_numpy(values.freeze());
}

py::list streams_to_python(const std::vector<StreamUse>& streams) {
  py::list all;
  for (const StreamUse& use : streams) {
    all.append(py::dict(py::arg("name") = use.name, py::arg("depth") = use.depth, py::arg("most") = use.most,
                        py::arg("tokens") = use.tokens, py::arg("reader_waited") = use.reader_waited,
                        py::arg("writer_waited") = use.writer_waited, py::arg("token_bytes") = use.token_bytes));
  }
  return all;
}

py::list tasks_to_python(const std::vector<TaskUse>& tasks) {
  py::list all;
  for (const TaskUse& use : tasks) {
    all.append(py::dict(py::arg("name") = use.name, py::arg("busy") = use.busy, py::arg("waited_in") = use.waited_in,
                        py::arg("waited_out") = use.waited_out, py::arg("waited_memory") = use.waited_memory));
  }
  return all;
}

}  // namespace

std::optional<PredictionOptions> read_prediction(const py::object& asked) {
  if (asked.is_none()) return std::nullopt;
  const auto options = asked.cast<py::dict>();
  PredictionOptions read;
  read.config = options["config"].cast<std::string>();
  if (!options["board"].is_none()) read.board = options["board"].cast<std::shared_ptr<OwnBoard>>();
  read.clock_mhz = options["clock_mhz"].cast<double>();
  read.sample_edges = options["sample_edges"].cast<EdgeCount>();
  for (const auto& [stream, depth] : options["fifo_depths"].cast<py::dict>()) {
    read.fifo_depths.emplace_back(stream.cast<std::string>(), depth.cast<std::uint32_t>());
  }
  read.uram_latency = options["uram_latency"].cast<int>();
  read.decoder_interval = options["decoder_interval"].cast<int>();
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
  py::list units, channels;
  for (const UnitUse& use : p.units) {
    units.append(py::dict(py::arg("unit") = use.unit, py::arg("busy_seconds") = use.busy_seconds,
                          py::arg("edges") = use.edges, py::arg("bytes") = use.bytes));
  }
  for (const ChannelUse& use : p.channels) {
    channels.append(py::dict(py::arg("bytes") = use.bytes, py::arg("busy_seconds") = use.busy_seconds));
  }
  all["units"] = units;
  all["channels"] = channels;
  all["streams"] = streams_to_python(p.streams);
  all["tasks"] = tasks_to_python(p.tasks);
  all["apply_streams"] = streams_to_python(p.apply_streams);
  all["apply_tasks"] = tasks_to_python(p.apply_tasks);
  all["pe_updates"] = p.pe_updates;
  all["source_edges"] = p.source_edges;
  all["source_lines"] = p.source_lines;
  const Resources& taken = p.resources;
  all["resources"] =
      py::dict(py::arg("uram") = taken.uram, py::arg("bram") = taken.bram, py::arg("luts") = taken.luts,
               py::arg("uram_available") = taken.uram_available, py::arg("bram_available") = taken.bram_available,
               py::arg("luts_available") = taken.luts_available);
  return all;
}

void bind_prediction(py::module_& module) {
  module.def("configs", [] {
    py::list all;
    for (const KernelConfigDescription& config : kernel_configs()) {
      all.append(py::dict(py::arg("name") = config.name, py::arg("summary") = config.summary,
                          py::arg("lanes") = config.lanes, py::arg("pes") = config.pes,
                          py::arg("capacity") = config.most_capacity, py::arg("edge_bytes") = config.edge_bytes,
                          py::arg("is_for_hbm") = is_for_hbm(config)));
    }
    return all;
  });
  // LUTs and blocks of BRAM.
  module.def(
      "kernel_fabric",
      [](const std::string& kernel, int lanes, int pes, int word_bytes, bool is_weighted, bool is_floating) {
        const Fabric fabric = fabric_of({kernel, lanes, pes, word_bytes, is_weighted, is_floating});
        return py::make_tuple(fabric.luts, fabric.bram);
      },
      py::arg("kernel"), py::arg("lanes"), py::arg("pes"), py::arg("word_bytes"), py::arg("is_weighted"),
      py::arg("is_floating"));
  module.def(
      "apply_fabric",
      [](const std::string& kernel, int num_units, int word_bytes, bool is_floating, int num_aux) {
        const Fabric fabric = fabric_of_apply(kernel, num_units, word_bytes, is_floating, num_aux);
        return py::make_tuple(fabric.luts, fabric.bram);
      },
      py::arg("kernel"), py::arg("num_units"), py::arg("word_bytes"), py::arg("is_floating"), py::arg("num_aux"));
}

}  // namespace bindings
}  // namespace gaspipe
