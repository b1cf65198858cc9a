// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/pipelines_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpp/src/backend/idle_edges.h"
#include "cpp/src/backend/placed_layout.h"
#include "cpp/src/predict/senders.h"
#include "gaspipe/error.h"
#include "hls/module/one_bank.h"

namespace gaspipe {
namespace {

constexpr std::size_t kGather = 0, kExchange = 1;  // of CardGraph::gathers

// Rows of a block of memory, or of a PE's.
std::uint32_t rows_to_clear(const LoadedCard::Parts& parts, std::size_t unit, std::int32_t update_bytes) {
  const bool is_dense = unit < parts.design.num_dense;
  const std::uint32_t parts_of_rows = is_dense ? kCopyBlocks : parts.design.pes;
  const std::uint32_t per_row = parts_of_rows * (8 / static_cast<std::uint32_t>(update_bytes));
  const std::uint32_t capacity = is_dense ? parts.design.capacity / kDensePerSparse : parts.design.capacity;
  return (capacity + per_row - 1) / per_row;
}

const KernelTable& kernel_of(const CardDesign& design, std::int32_t unit) {
  const Pipeline& pipeline = find_pipeline(design.config);
  const bool is_dense = unit != kApplyUnit && static_cast<std::size_t>(unit) < design.num_dense;
  return find_kernel_table(unit == kApplyUnit ? pipeline.apply : is_dense ? pipeline.dense : pipeline.gather_scatter);
}

std::uint64_t words_bytes(const PipelineLayout::Words& words) { return std::max<std::uint64_t>(words.size(), 1) * 64; }

CardGraph::Buffer& edges_of(CardGraph::SubPartition& pipeline) { return pipeline.edges[0].second; }
CardGraph::Buffer& memory_of(CardGraph::SubPartition& pipeline) { return pipeline.edges[1].second; }

// A run with all buffers; scalars are 0 until they are told.
Launch launch_of(CardUnit& unit, CardGraph& graph, const KernelTable& kernel, const KernelShape& shape,
                 std::int32_t number, std::size_t parity) {
  const auto buffer = [&](const std::string& port, int i) -> CardBuffer& {
    if (number != kApplyUnit) {
      CardGraph::SubPartition& own = graph.sub_partitions[static_cast<std::size_t>(number)];
      if (port == "edges") return *edges_of(own);
      if (port == "memory" || port == "updated") return *memory_of(own);
      if (port == "gathered" || port == "parts") return *own.gathered;
    } else {
      if (port == "properties") return *graph.properties[parity][0];
      if (port == "own") return *graph.properties[1 - parity][0];
      if (port == "aux") return *graph.aux[static_cast<std::size_t>(i)];
      if (port == "sums") return *graph.sums[0];
    }
    throw Error(message("nothing is known for port ", port, " of a pipeline"));
  };
  Launch launch;
  launch.run = unit.make_run();
  launch.id = {kNoPartition, number};
  int index = 0;
  for (const Port* port = kernel.ports; port != kernel.ports + kernel.num_ports; ++port) {
    for (int i = 0; i < num_of(port->each, shape); ++i, ++index) {
      if (is_memory(port->kind)) launch.run->set(index, buffer(port->name, i));
      if (port->kind == PortKind::kScalar && port->each != Each::kArgWord) launch.run->set(index, 0u);
    }
  }
  return launch;
}

}  // namespace

std::unique_ptr<CardGraph> place_pipelines(LoadedCard::Parts& parts, const abi::Instance& instance,
                                           const std::shared_ptr<const Csr>& csr,
                                           std::shared_ptr<const PipelineLayout> layout) {
  const std::size_t num = parts.units.size();
  const KernelShape shape = {parts.design.weighted, static_cast<int>(num), instance.num_aux};
  const auto index = [&](std::int32_t unit, const char* port) {
    return argument_index(kernel_of(parts.design, unit), port, shape);
  };
  const auto banks = [&](std::int32_t unit, const char* port, int i = 0) -> const std::vector<MemoryBank>& {
    CardUnit& of = unit == kApplyUnit ? *parts.apply : *parts.units[static_cast<std::size_t>(unit)];
    return of.banks(index(unit, port) + i);
  };
  auto graph = std::make_unique<CardGraph>();
  graph->key = csr;
  graph->num_units = num;
  graph->sub_partitions.resize(num);
  for (auto& properties : graph->properties) properties.resize(1);
  graph->aux.resize(static_cast<std::size_t>(instance.num_aux));
  graph->sums.resize(1);
  const std::uint64_t vertices = csr->num_rows;
  const auto lines = [&](std::int32_t bytes) { return std::max<std::uint64_t>(lines_for(vertices, bytes), 1) * 64; };
  std::vector<BufferRequest> requests;
  const auto request = [&](CardGraph::Buffer& buffer, const std::vector<MemoryBank>& allowed, std::uint64_t num_bytes,
                           const char* what, bool of_edges, std::int32_t unit) {
    requests.push_back({&buffer, &allowed, num_bytes, what, of_edges, kNoPartition, unit});
  };
  for (std::size_t k = 0; k < num; ++k) {
    const auto unit = static_cast<std::int32_t>(k);
    const PipelineLayout::Pipeline& own = layout->pipelines()[k];
    CardGraph::SubPartition& placed = graph->sub_partitions[k];
    placed.edges.emplace_back("edges", nullptr);
    placed.edges.emplace_back("memory", nullptr);
    request(memory_of(placed), banks(unit, "memory"), words_bytes(own.memory), "properties and weights", false, unit);
    request(placed.gathered, banks(unit, "gathered"), std::max<std::uint64_t>(own.gathered_words, 1) * 64,
            "gathered updates", false, unit);
    request(edges_of(placed), banks(unit, "edges"), words_bytes(own.edges), "edges", true, unit);
  }
  for (auto& properties : graph->properties) {
    request(properties[0], banks(kApplyUnit, "properties"), lines(instance.property_bytes), "properties", false,
            kApplyUnit);
  }
  for (std::size_t k = 0; k < graph->aux.size(); ++k) {
    request(graph->aux[k], banks(kApplyUnit, "aux", static_cast<int>(k)), lines(instance.aux_bytes), "inputs", false,
            kApplyUnit);
  }
  request(graph->sums[0], banks(kApplyUnit, "sums"),
          (lines_for(static_cast<std::uint64_t>(std::max(1, instance.num_extras)), 8) + 1) * 64, "sums", false,
          kApplyUnit);
  parts.allocate(requests, *graph, csr->num_edges());
  try {
    for (std::size_t k = 0; k < num; ++k) {
      const auto unit = static_cast<std::int32_t>(k);
      const PipelineLayout::Pipeline& own = layout->pipelines()[k];
      for (const std::size_t kind : {kGather, kExchange}) {
        Launch launch = launch_of(*parts.units[k], *graph, kernel_of(parts.design, unit), shape, unit, 0);
        launch.cycles = kind == kGather ? 4 * own.edges.size() + own.gathered_words : vertices;
        graph->gathers[kind].push_back(std::move(launch));
      }
      graph->gathers[kExchange][k].run->set(index(unit, "num_vertices"), std::uint32_t(csr->num_columns));
    }
    for (std::size_t parity = 0; parity < 2; ++parity) {
      Launch launch = launch_of(*parts.apply, *graph, kernel_of(parts.design, kApplyUnit), shape, kApplyUnit, parity);
      launch.run->set(index(kApplyUnit, "last"), std::uint32_t(csr->num_columns));
      launch.cycles = vertices;
      graph->applies[parity].push_back(std::move(launch));
    }
  } catch (...) {
    for (const auto& [bank, num_bytes] : graph->taken) parts.taken[bank] -= num_bytes;
    throw;
  }
  graph->layout = std::move(layout);
  return graph;
}

PipelinesDevice::PipelinesDevice(LoadedCard& card, const abi::Instance& instance, CardGraph& graph,
                                 VertexId num_vertices, VertexId num_own, bool skips_idle, Workers& workers)
    : parts_(card.parts()),
      instance_(instance),
      graph_(graph),
      layout_(*graph.layout),
      skips_idle_(skips_idle && may_be_idle(instance)),
      workers_(workers),
      launches_(card, workers),
      haste_(haste_of(card.design())),
      shape_{card.design().weighted, static_cast<int>(graph.num_units), instance.num_aux},
      num_vertices_(num_vertices),
      // As the emulator has it: one word of all vertices, in the design's order.
      active_(std::vector<VertexId>(1), num_own),
      streamed_(graph.num_units) {}

PipelinesDevice::~PipelinesDevice() {
  if (has_begun_) settle(false);
}

void PipelinesDevice::write_properties(const void* data, std::uint64_t /*num_bytes*/) {
  if (std::exchange(has_begun_, false)) launches_.finish(graph_);
  if (num_vertices_ == 0) return;  // a domain without vertices
  CardBuffer& own = *graph_.properties[parity_][0];
  const std::size_t num_bytes = lines_for(num_vertices_, instance_.property_bytes) * 64;
  layout_.order(data, own.data(), static_cast<std::uint64_t>(instance_.property_bytes), workers_);
  own.to_card(0, num_bytes);
  for (CardGraph::SubPartition& pipeline : graph_.sub_partitions) write(*memory_of(pipeline), own.data(), num_bytes);
  active_.restart(find_senders(instance_, shape_.weighted, own.data(), num_vertices_, workers_));
}

void PipelinesDevice::write_aux(std::size_t k, const void* data, std::uint64_t /*num_bytes*/) {
  if (num_vertices_ == 0) return;
  layout_.order(data, graph_.aux[k]->data(), static_cast<std::uint64_t>(instance_.aux_bytes), workers_);
  graph_.aux[k]->to_card(0, lines_for(num_vertices_, instance_.aux_bytes) * 64);
}

void PipelinesDevice::read_properties(void* data, std::uint64_t num_bytes) {
  if (num_vertices_ == 0) return;
  CardBuffer& own = *graph_.properties[parity_][0];
  own.from_card(0, lines_for(num_vertices_, instance_.property_bytes) * 64);
  std::memset(data, 0, num_bytes);
  layout_.restore(own.data(), data, static_cast<std::uint64_t>(instance_.property_bytes), workers_);
}

int PipelinesDevice::index(std::int32_t unit, const char* port) const {
  return argument_index(kernel_of(parts_.design, unit), port, shape_);
}

// Edges and far weights, once, each pipeline's before its first launch.
void PipelinesDevice::upload() {
  for (std::size_t unit = 0; unit < graph_.num_units; ++unit) {
    CardGraph::SubPartition& placed = graph_.sub_partitions[unit];
    if (placed.uploaded) continue;
    const PipelineLayout::Pipeline& own = layout_.pipelines()[unit];
    const std::uint64_t before = layout_.property_words() * 64, num_weights = own.memory.size() * 64 - before;
    write(*edges_of(placed), own.edges.data(), own.edges.size() * 64);
    if (num_weights > 0) {
      CardBuffer& memory = *memory_of(placed);
      std::memcpy(static_cast<char*>(memory.data()) + before, own.memory.data() + layout_.property_words(),
                  num_weights);
      memory.to_card(before, num_weights);
    }
    edge_bytes_uploaded_ += own.edges.size() * 64 + num_weights;
    placed.uploaded = true;
    placed.descriptors.clear();
  }
}

// What is streamed, and its descriptors on the card.
void PipelinesDevice::plan(bool all) {
  for (std::size_t unit = 0; unit < graph_.num_units; ++unit) {
    layout_.select(unit, skips_idle_ && !all ? &active_ : nullptr, streamed_[unit]);
    const PipelineLayout::Words& wanted = streamed_[unit].descriptors;
    PipelineLayout::Words& there = graph_.sub_partitions[unit].descriptors;
    const std::size_t num_bytes = wanted.size() * sizeof(Word<std::uint32_t>);
    if (wanted.empty()) continue;
    if (there.size() >= wanted.size() && std::memcmp(there.data(), wanted.data(), num_bytes) == 0) continue;
    write(*edges_of(graph_.sub_partitions[unit]), wanted.data(), num_bytes);
    there = wanted;
  }
}

// A scalar, where it is another than the launch has; `is`: the one that it has.
void PipelinesDevice::set(Launch& launch, const char* port, std::uint32_t value, std::uint32_t& is) {
  if (value == is) return;
  launch.run->set(index(launch.id.unit, port), value);
  is = value;
}

void PipelinesDevice::begin_step(bool all) {
  launches_.begin();
  upload();
  plan(all);
  for (std::size_t unit = 0; unit < graph_.num_units; ++unit) {
    const auto num = static_cast<std::uint32_t>(streamed_[unit].descriptors.size());
    if (num == 0) continue;
    Launch& launch = graph_.gathers[kGather][unit];
    set(launch, "num_sub_partitions", num, launch.num_words);
    const bool clears = !parts_.cleared[unit];
    parts_.cleared[unit] = true;
    if (clears != launch.clears) {
      launch.run->set(index(launch.id.unit, "num_cleared"),
                      clears ? rows_to_clear(parts_, unit, instance_.update_bytes) : 0u);
      launch.clears = clears;
    }
    launches_.start(launch);
  }
}

void PipelinesDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  const auto entered = Clock::now();
  if (!std::exchange(has_begun_, false)) begin_step(false);
  stats->edges = 0;
  for (const PipelineLayout::Streamed& streamed : streamed_) stats->edges += streamed.num_edges;
  const EdgeCount num_idle = skips_idle_ ? layout_.num_idle(active_) : 0;
  for (Launch& launch : graph_.gathers[kGather]) launches_.wait(launch, true);
  stats->seconds[abi::kScatterGather] = seconds_since(entered);
  for (std::size_t unit = 0; unit < graph_.num_units; ++unit) {
    Launch& launch = graph_.gathers[kExchange][unit];
    set(launch, "num_sub_partitions", static_cast<std::uint32_t>(streamed_[unit].descriptors.size()), launch.num_words);
  }
  // All of them or none: each waits for the others.
  for (Launch& launch : graph_.gathers[kExchange]) launches_.start(launch);
  Launch& apply = graph_.applies[parity_][0];
  Launches::set_arg(apply, index(kApplyUnit, "arg"), arg);
  launches_.start(apply);
  for (Launch& launch : graph_.gathers[kExchange]) launches_.wait(launch, true);
  launches_.wait(apply, true);
  parity_ = 1 - parity_;
  kernel_times_.clear();
  const auto keep_time = [&](const Launch& launch) {
    kernel_times_.push_back(
        {launch.id.unit, 0, launch.started_seconds, launch.ended_seconds - launch.started_seconds, 0});
  };
  for (const auto& launches : graph_.gathers) std::for_each(launches.begin(), launches.end(), keep_time);
  keep_time(apply);
  has_begun_ = expects_another() && (!skips_idle_ || haste_.pays(num_idle, layout_.num_edges()));
  if (has_begun_) begin_step(true);
  CardBuffer& counted = *graph_.sums[0];
  const std::size_t num_sums = static_cast<std::size_t>(std::max(1, instance_.num_extras));
  const std::size_t activity = lines_for(num_sums, 8) * 64;
  counted.from_card(0, activity + sizeof(ActivityWord));
  std::memcpy(sums, counted.data(), num_sums * 8);
  ActivityWord word;
  std::memcpy(&word, static_cast<const char*>(counted.data()) + activity, sizeof word);
  active_.set(0, word);
  stats->seconds[abi::kApply] = seconds_since(entered) - stats->seconds[abi::kScatterGather];
}

void PipelinesDevice::settle(bool failed) noexcept {
  has_begun_ = false;
  launches_.settle(graph_, failed);
}

}  // namespace gaspipe
