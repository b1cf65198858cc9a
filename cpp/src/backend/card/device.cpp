// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpp/src/predict/senders.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::size_t kQueued = 2;  // runs of a compute unit: the one at hand and the next

}  // namespace

CardDevice::CardDevice(LoadedCard& card, const abi::Instance& instance, std::shared_ptr<const DeviceEdges> edges,
                       Schedule schedule, Skips skips, Workers& workers)
    : card_(card),
      parts_(card.parts()),
      instance_(instance),
      edges_(std::move(edges)),
      schedule_(std::move(schedule)),
      workers_(workers),
      ports_(instance, *edges_, schedule_, find_pipeline(card.design().config), card.design().weighted),
      num_partitions_(edges_->partitioning().size()),
      num_units_(edges_->partitioning().config().compute_units),
      launches_(card, workers),
      haste_(haste_of(card.design())),
      applied_(num_partitions_) {
  parts_.open();
  graph_ = parts_.find(edges_, schedule_.units);
  if (graph_ == nullptr) {
    parts_.graphs.push_front(place_graph(parts_, instance_, edges_, schedule_, ports_));
    graph_ = parts_.graphs.front().get();
  }
  if (!graph_->slices) graph_->slices = find_edge_slices(*edges_, ports_, workers);
  idle_.emplace(instance, *edges_, ports_, graph_->slices, skips);
}

CardDevice::~CardDevice() {
  if (has_begun_) settle(false);
}

void CardDevice::write_properties(const void* data, std::uint64_t num_bytes) {
  if (std::exchange(has_begun_, false)) launches_.finish(*graph_);
  if (num_bytes == 0) return idle_->restart({});  // a domain without vertices
  CardBuffer& first = *graph_->properties[parity_][0];
  edges_->lines().order(data, first.data(), instance_.property_bytes, num_bytes, workers_);
  first.to_card(0, num_bytes);
  for (std::size_t unit = 1; unit < num_units_; ++unit) {
    write(*graph_->properties[parity_][unit], first.data(), num_bytes);
  }
  idle_->restart(
      find_senders(instance_, ports_.shape().weighted, first.data(), edges_->partitioning().csr().num_rows, workers_));
}

void CardDevice::write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) {
  if (num_bytes == 0) return;
  CardBuffer& aux = *graph_->aux[k];
  edges_->lines().order(data, aux.data(), instance_.aux_bytes, num_bytes, workers_);
  aux.to_card(0, num_bytes);
}

void CardDevice::read_properties(void* data, std::uint64_t num_bytes) {
  if (num_bytes == 0) return;
  CardBuffer& properties = *graph_->properties[parity_][0];
  properties.from_card(0, num_bytes);
  edges_->lines().restore(properties.data(), data, instance_.property_bytes, num_bytes, workers_);
}

void CardDevice::upload(std::size_t partition, std::size_t unit) {
  CardGraph::SubPartition& placed = graph_->sub_partitions[partition * num_units_ + unit];
  if (placed.uploaded) return;
  const DeviceEdges::SubPartition& edges = ports_.sub_partition(partition, unit);
  for (const auto& [name, buffer] : placed.edges) {
    const abi::Buffer array = edges.array(name);
    write(*buffer, array.data, array.num_bytes);
  }
  edge_bytes_uploaded_ += edges.num_bytes();
  placed.uploaded = true;
  placed.first_word = 0;
  placed.num_words = edges.num_words;
}

// Kernels that keep their buffers clear between launches have to clear them once, in a unit's first launch.
void CardDevice::set_clearing(Launch& launch) {
  const auto unit = static_cast<std::size_t>(launch.id.unit);
  const bool clears = !parts_.cleared[unit];
  parts_.cleared[unit] = true;
  if (clears == launch.clears) return;
  launch.clears = clears;
  const std::uint32_t per_row = parts_.design.pes * (8 / static_cast<std::uint32_t>(instance_.update_bytes));
  const std::uint32_t num_rows = (parts_.design.capacity + per_row - 1) / per_row;
  launch.run->set(argument_index(ports_.kernel(launch.id.unit), "num_cleared", ports_.shape()), clears ? num_rows : 0u);
}

// Which of its edges a sub-partition's kernel streams, where that is not what it was told last.
void CardDevice::set_window(Launch& launch) {
  const std::size_t partition = launch.id.partition;
  const auto unit = static_cast<std::size_t>(launch.id.unit);
  if (edges_->layout() == EdgeLayout::kPlain) {
    const std::uint32_t num_words = idle_->num_words(partition, unit);
    const std::uint32_t set_to =
        launch.words_are_set ? launch.num_words : ports_.sub_partition(partition, unit).num_words;
    if (num_words == set_to) return;
    launch.run->set(argument_index(ports_.kernel(launch.id.unit), "num_words", ports_.shape()), num_words);
    launch.words_are_set = true;
    launch.num_words = num_words;
    return;
  }
  CardGraph::SubPartition& placed = graph_->sub_partitions[partition * num_units_ + unit];
  const EdgeWindow& window = idle_->window(partition, unit);
  if (window.num_words == placed.num_words && window.first_word == placed.first_word) return;
  const Word<std::uint32_t> descriptor = idle_->descriptor(partition, unit);
  const std::size_t sub_partition = partition * num_units_ + unit;
  write(graph_->buffer({ArrayKind::kEdges, sub_partition, "sub_partitions"}, parity_), &descriptor, sizeof descriptor);
  placed.first_word = window.first_word;
  placed.num_words = window.num_words;
}

void CardDevice::start_gather(std::size_t partition, std::size_t unit) {
  if (idle_->launch(partition, unit) == GatherLaunch::kNone) return;
  upload(partition, unit);
  Launch& launch = graph_->gathers[parity_][partition * num_units_ + unit];
  set_window(launch);
  if (edges_->layout() == EdgeLayout::kPacked) set_clearing(launch);
  launches_.start(launch);
}

void CardDevice::start_apply(std::size_t partition, const void* arg) {
  if (!idle_->applies(partition)) return;
  Launch& launch = graph_->applies[parity_][partition];
  Launches::set_arg(launch, argument_index(ports_.kernel(kApplyUnit), "arg", ports_.shape()), arg);
  launches_.start(launch);
}

void CardDevice::begin_step(bool all) {
  launches_.begin();
  all ? idle_->plan_all() : idle_->plan();
  const std::vector<std::uint32_t>& order = schedule_.partitions;
  for (std::size_t k = 0; k < std::min(kQueued, order.size()); ++k) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) start_gather(order[k], unit);
  }
}

void CardDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  const auto entered = Clock::now();
  const std::vector<std::uint32_t>& order = schedule_.partitions;
  std::exchange(has_begun_, false) ? idle_->look_back() : begin_step(false);
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) {
      launches_.wait(graph_->gathers[parity_][order[k] * num_units_ + unit], true);
      if (k + kQueued < order.size()) start_gather(order[k + kQueued], unit);
    }
    start_apply(order[k], arg);
  }
  // Applies run beside gather-scatters: what is theirs alone is what comes after the last of those.
  stats->seconds[abi::kScatterGather] = seconds_since(entered);
  const auto gathered = Clock::now();
  for (const std::uint32_t p : order) launches_.wait(graph_->applies[parity_][p], true);
  parity_ = 1 - parity_;
  stats->edges = idle_->num_edges();
  applied_ = idle_->launches().applies;
  has_begun_ = expects_another() && idle_->pays(haste_);
  if (has_begun_) begin_step(true);
  std::memset(sums, 0, static_cast<std::size_t>(std::max(1, instance_.num_extras)) * 8);  // 0.0 in doubles too
  // In ascending order, so that sums of doubles are the same under every schedule.
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    if (applied_[p] != 0) add_sums(p, sums);
  }
  stats->seconds[abi::kApply] = seconds_since(gathered);
}

void CardDevice::add_sums(std::size_t partition, void* sums) {
  CardBuffer& buffer = *graph_->sums[partition];
  const auto num_sums = static_cast<std::uint64_t>(std::max(1, instance_.num_extras));
  const std::uint64_t activity = (8 * num_sums + 63) / 64 * 64;  // the word behind them
  buffer.from_card(0, activity + sizeof(ActivityWord));
  ActivityWord word;
  std::memcpy(&word, static_cast<const char*>(buffer.data()) + activity, sizeof word);
  idle_->applied(partition, word);
  for (int k = 0; k < std::max(1, instance_.num_extras); ++k) {
    if (instance_.sum_type == abi::kFloat64) {
      static_cast<double*>(sums)[k] += static_cast<const double*>(buffer.data())[k];
    } else {
      static_cast<std::uint64_t*>(sums)[k] += static_cast<const std::uint64_t*>(buffer.data())[k];
    }
  }
}

std::vector<KernelTime> CardDevice::kernel_times() const {
  const std::size_t last_parity = 1 - parity_;  // the buffers have been swapped
  std::vector<KernelTime> times;
  std::vector<double> unit_ended(num_units_ + 1, 0);  // of apply too
  const auto add = [&](const Launch& launch) {
    double& ended = unit_ended[launch.id.unit == kApplyUnit ? num_units_ : static_cast<std::size_t>(launch.id.unit)];
    const double start = std::max(launch.started_seconds, ended);
    ended = launch.ended_seconds;
    times.push_back({launch.id.unit, launch.id.partition, start, ended - start, 0});
  };
  for (const std::uint32_t p : schedule_.partitions) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) add(graph_->gathers[last_parity][p * num_units_ + unit]);
    add(graph_->applies[last_parity][p]);
  }
  return times;
}

void CardDevice::settle(bool failed) noexcept {
  has_begun_ = false;
  launches_.settle(*graph_, failed);
}

}  // namespace gaspipe
