// SPDX-License-Identifier: Apache-2.0
// How a run went, as python/gaspipe/_result.py takes it.
#include <algorithm>

#include "bindings.h"
#include "gaspipe/domain_stats.h"

namespace gaspipe {
namespace bindings {
namespace {

template <class T, class Row, class F>
py::array column(const std::vector<Row>& rows, const F& f) {
  py::array_t<T> values(static_cast<py::ssize_t>(rows.size()));
  std::transform(rows.begin(), rows.end(), values.mutable_data(), f);
  set_read_only(values);
  return values;
}

py::dict domain_to_python(const DomainStats& domain) {
  py::dict all;
  all["rank"] = domain.rank;
  all["device"] = domain.device;
  all["num_vertices"] = domain.num_own;
  all["num_ghosts"] = domain.num_ghosts;
  all["num_edges"] = domain.num_edges;
  all["value_bytes"] = domain.value_bytes;
  all["edges"] = column<std::uint64_t>(domain.edges, [](std::uint64_t edges) { return edges; });
  const auto& exchanges = domain.exchanges;
  all["bytes_sent"] = column<std::uint64_t>(exchanges, [](const ExchangeStats& e) { return e.bytes_sent; });
  all["bytes_received"] = column<std::uint64_t>(exchanges, [](const ExchangeStats& e) { return e.bytes_received; });
  all["values_sent"] = column<std::uint64_t>(exchanges, [](const ExchangeStats& e) { return e.values_sent; });
  all["values_received"] = column<std::uint64_t>(exchanges, [](const ExchangeStats& e) { return e.values_received; });
  all["computing_seconds"] = column<double>(exchanges, [](const ExchangeStats& e) { return e.computing_seconds; });
  all["exchanging_seconds"] = column<double>(exchanges, [](const ExchangeStats& e) { return e.exchanging_seconds; });
  all["waiting_seconds"] = column<double>(exchanges, [](const ExchangeStats& e) { return e.waiting_seconds; });
  return all;
}

// As python/gaspipe/_result/pe_array.py takes it.
py::dict profile_to_python(const pe_array::Profile& profile, int clock_mhz) {
  py::array_t<bool> pulled(static_cast<py::ssize_t>(profile.level_pulled.size()));
  std::copy(profile.level_pulled.begin(), profile.level_pulled.end(), pulled.mutable_data());
  py::dict all;
  all["workers"] = profile.num_pes;
  all["capacity"] = profile.capacity;
  all["lists_bytes"] = profile.lists_bytes;
  all["parent"] = moved_to_numpy(profile.parent);
  all["level_pulled"] = pulled;
  all["level_cycles"] = column<std::uint64_t>(profile.level_cycles, [](std::uint64_t cycles) { return cycles; });
  all["clock_mhz"] = clock_mhz;
  all["edges"] = profile.edges;
  return all;
}

}  // namespace

py::dict stats_to_python(const Stats& stats) {
  py::dict all;
  all["device"] = stats.device;
  all["execution"] = stats.execution;
  all["board"] = stats.board;
  all["clock_mhz"] = stats.clock_mhz;
  all["prediction"] = prediction_to_python(stats.prediction);
  all["method"] = stats.method;
  all["number"] = stats.number;
  all["scale_bits"] = stats.scale_bits;
  all["attempts"] = stats.attempts;
  all["resumed_at"] = stats.resumed_at;
  all["num_threads"] = stats.num_threads;
  all["converged"] = stats.converged;
  all["seconds"] = stats.seconds;
  py::dict phases;
  for (int phase = 0; phase < kNumRunPhases; ++phase) phases[kPhaseNames[phase]] = stats.phases[phase];
  all["phases"] = phases;
  all["prepare_seconds"] = stats.prepare_seconds;
  all["prepared"] = stats.prepared;
  all["capacity"] = stats.partition.capacity;
  all["compute_units"] = stats.partition.compute_units;
  all["partitioner"] = stats.partition.partitioner;
  all["num_edges"] = stats.num_edges;
  all["library"] = stats.card.library;
  all["bytes_to_card"] = stats.card.calls.bytes_to_card;
  all["bytes_from_card"] = stats.card.calls.bytes_from_card;
  all["edge_bytes_uploaded"] = stats.card.edge_bytes_uploaded;
  all["card_calls"] = card_calls(stats.card.calls);
  all["num_supersteps"] = stats.supersteps.size();
  all["edges_streamed"] = stats.supersteps.edges();
  const std::uint64_t all_edges = stats.supersteps.size() * stats.num_edges;
  // Of gaspipe's own kernels: Cell's search and GraphOps' blocks look at the edges that they need.
  const bool is_device = stats.device == "emulator" || stats.device == "fpga";
  const bool has_kernels = is_device && stats.method == "gas" && !stats.blocks;
  all["edges_skipped"] = has_kernels && all_edges > stats.supersteps.edges() ? all_edges - stats.supersteps.edges() : 0;
  if (stats.pe_array) all["pe_array"] = profile_to_python(*stats.pe_array, stats.clock_mhz);
  all["blocks"] = py::none();
  if (stats.blocks) {
    py::dict blocks;
    py::list ports;
    for (const PortUse& port : stats.blocks->ports) ports.append(py::make_tuple(port.name, port.bank, port.beats));
    blocks["kernel"] = stats.blocks->kernel;
    blocks["ports"] = ports;
    blocks["edges"] = stats.blocks->edges;
    blocks["cycles"] = stats.blocks->cycles;
    blocks["bytes_per_cycle"] = stats.blocks->bytes_per_cycle;
    blocks["host_seconds"] = stats.blocks->host_seconds;
    all["blocks"] = blocks;
  }
  all["stream"] = py::none();
  if (stats.stream) {
    py::dict stream;
    stream["memory"] = stats.stream->memory;
    stream["bytes_read"] = stats.stream->bytes_read;
    stream["bytes_from_disk"] = stats.stream->bytes_from_disk;
    stream["blocks_passed_over"] = stats.stream->blocks_passed_over;
    stream["seconds_waited"] = stats.stream->seconds_waited;
    stream["reader"] = stats.stream->reader;
    all["stream"] = stream;
  }
  all["domains"] = py::list();
  for (const DomainStats& domain : stats.domains) all["domains"].cast<py::list>().append(domain_to_python(domain));
  using Record = SuperstepLog::Record;
  const std::vector<Record> records = stats.supersteps.records();
  all["step"] = column<std::int64_t>(records, [](const Record& r) { return r.step; });
  all["kind"] = column<std::uint8_t>(records, [](const Record& r) { return r.kind; });
  all["active_vertices"] = column<std::uint64_t>(records, [](const Record& r) { return r.active_vertices; });
  all["edges"] = column<std::uint64_t>(records, [](const Record& r) { return r.edges; });
  all["scatter_gather_seconds"] =
      column<double>(records, [](const Record& r) { return r.seconds[abi::kScatterGather]; });
  all["apply_seconds"] = column<double>(records, [](const Record& r) { return r.seconds[abi::kApply]; });
  return all;
}

}  // namespace bindings
}  // namespace gaspipe
