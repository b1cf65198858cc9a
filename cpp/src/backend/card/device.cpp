// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/device.h"

#include <algorithm>
#include <cstring>

#include "gaspipe/error.h"
#include "hls/kernel/apply.ports.h"
#include "hls/kernel/gather_scatter.ports.h"

namespace gaspipe {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::size_t kQueued = 2;  // runs of a compute unit: the one at hand and the next
constexpr std::uint32_t kWaitMilliseconds = 100;
constexpr std::chrono::microseconds kPatiencePerCycle{10};  // 1000 times a cycle of 100 MHz

std::uint64_t bytes_of_words(std::uint64_t num_values, std::int32_t value_bytes) {
  return (num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64 * 64;
}
constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// Index of a port among a kernel's arguments; of several, the first.
template <std::size_t n>
constexpr int argument(const Port (&ports)[n], const char* name, const KernelShape& shape) {
  int index = 0;
  for (const Port& port : ports) {
    if (same_text(port.name, name)) return index;
    index += num_of(port.each, shape);
  }
  throw DeviceError("a kernel has no such port");
}
static_assert(argument(kernel::gather_scatter::kPorts, "num_words", {true, 1, 0}) == 5, "after the five memory ports");
static_assert(argument(kernel::apply::kPorts, "arg", {false, 4, 2}) == 14, "after 4 + 1 + 2 + 4 + 1 memory ports and the range");

std::vector<MemoryBank> common(const std::vector<MemoryBank>& a, const std::vector<MemoryBank>& b) {
  std::vector<MemoryBank> both;
  for (const MemoryBank& bank : a) {
    const bool in_b =
        std::any_of(b.begin(), b.end(), [&](const MemoryBank& other) { return other.index == bank.index; });
    if (in_b) both.push_back(bank);
  }
  return both;
}

}  // namespace

CardDevice::CardDevice(LoadedCard& card, const abi::Instance& instance, std::shared_ptr<const DeviceEdges> edges,
                       Schedule schedule, Workers& workers)
    : card_(card),
      parts_(card.parts()),
      instance_(instance),
      edges_(std::move(edges)),
      schedule_(std::move(schedule)),
      workers_(workers),
      num_partitions_(edges_->partitioning().size()),
      num_units_(edges_->partitioning().config().compute_units),
      slices_(num_partitions_ * num_units_) {
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    for (std::uint32_t i = 0; i < num_units_; ++i) slices_[p * num_units_ + schedule_.units[p][i]] = i;
  }
  parts_.open();
  graph_ = parts_.find(edges_, schedule_);
  if (graph_ != nullptr) return;
  parts_.graphs.push_front(make_graph());
  graph_ = parts_.graphs.front().get();
}

std::unique_ptr<CardGraph> CardDevice::make_graph() {
  auto graph = std::make_unique<CardGraph>();
  graph->edges = edges_;
  graph->units = schedule_.units;
  graph->num_units = num_units_;
  graph->shares.resize(num_partitions_ * num_units_);
  for (auto& properties : graph->properties) properties.resize(num_units_);
  graph->aux.resize(static_cast<std::size_t>(instance_.num_aux));
  graph->sums.resize(num_partitions_);

  const CardDesign& design = card_.design();
  const KernelShape shape = {design.weighted, static_cast<int>(num_units_), instance_.num_aux};
  const auto gather_banks = [&](std::size_t unit, const char* port) -> const std::vector<MemoryBank>& {
    return parts_.units[unit]->banks(argument(kernel::gather_scatter::kPorts, port, shape));
  };
  const auto apply_banks = [&](const char* port, std::size_t i = 0) -> const std::vector<MemoryBank>& {
    return parts_.apply->banks(argument(kernel::apply::kPorts, port, shape) + static_cast<int>(i));
  };
  const auto met = [&](const std::vector<MemoryBank>& a, const std::vector<MemoryBank>& b, std::size_t unit,
                       const char* port) {
    std::vector<MemoryBank> banks = common(a, b);
    if (banks.empty()) {
      throw DeviceError(message(design.xclbin, ": argument ", port, " of ", design.units[unit], " and what ",
                                design.apply_unit, " knows of it are in no common bank; build it again"));
    }
    return banks;
  };
  std::vector<std::vector<MemoryBank>> properties, gathered;  // per unit
  for (std::size_t unit = 0; unit < num_units_; ++unit) {
    properties.push_back(met(gather_banks(unit, "properties"), apply_banks("updated", unit), unit, "properties"));
    if (unit == 0) properties[0] = met(properties[0], apply_banks("properties"), unit, "properties");
    gathered.push_back(met(gather_banks(unit, "gathered"), apply_banks("gathered", unit), unit, "gathered"));
  }

  // What has the least choice of banks first: edges fill what is left.
  const std::uint64_t n = edges_->partitioning().csr().num_columns;
  const abi::Partition* partitions = edges_->partitioning().table().partitions;
  std::vector<BufferRequest> requests;
  for (std::size_t unit = 0; unit < num_units_; ++unit) {
    for (auto& set : graph->properties) {
      requests.push_back({&set[unit], &properties[unit], bytes_of_words(n, instance_.property_bytes), "properties",
                          false, kNoPartition, static_cast<int>(unit)});
    }
  }
  for (std::size_t k = 0; k < graph->aux.size(); ++k) {
    requests.push_back({&graph->aux[k], &apply_banks("aux", k), bytes_of_words(n, instance_.aux_bytes), "inputs", false,
                        kNoPartition, kApplyUnit});
  }
  const std::uint64_t sum_bytes = bytes_of_words(static_cast<std::uint64_t>(std::max(1, instance_.num_extras)), 8);
  for (std::size_t p = 0; p < num_partitions_; ++p) {
    requests.push_back(
        {&graph->sums[p], &apply_banks("sums"), sum_bytes, "sums", false, static_cast<std::uint32_t>(p), kApplyUnit});
  }
  const auto each_share = [&](const auto& f) {
    for (std::size_t p = 0; p < num_partitions_; ++p) {
      for (std::size_t unit = 0; unit < num_units_; ++unit) f(p, unit, graph->shares[p * num_units_ + unit]);
    }
  };
  const auto add = [&](std::size_t p, std::size_t unit, CardGraph::Buffer& buffer, const std::vector<MemoryBank>& banks,
                       std::uint64_t num_bytes, const char* what, bool of_edges) {
    requests.push_back({&buffer, &banks, std::max<std::uint64_t>(num_bytes, 64), what, of_edges,
                        static_cast<std::uint32_t>(p), static_cast<int>(unit)});
  };
  each_share([&](std::size_t p, std::size_t unit, CardGraph::Share& share) {
    add(p, unit, share.gathered, gathered[unit],
        bytes_of_words(partitions[p].last - partitions[p].first, instance_.update_bytes), "gathered updates", false);
  });
  each_share([&](std::size_t p, std::size_t unit, CardGraph::Share& share) {
    const DeviceEdges::Share& edges = edges_->share(p, slices_[p * num_units_ + unit]);
    add(p, unit, share.sources, gather_banks(unit, "sources"), edges.sources.size() * 64, "sources of edges", true);
    add(p, unit, share.destinations, gather_banks(unit, "destinations"), edges.destinations.size() * 64,
        "destinations of edges", true);
    if (design.weighted) {
      add(p, unit, share.weights, gather_banks(unit, "weights"), edges.weights.size() * 64, "weights of edges", true);
    }
  });
  parts_.allocate(requests, *graph, edges_->partitioning().csr().num_edges());
  try {
    make_launches(*graph);
  } catch (...) {
    for (const auto& [bank, num_bytes] : graph->taken) parts_.taken[bank] -= num_bytes;
    throw;
  }
  return graph;
}

void CardDevice::make_launches(CardGraph& graph) {
  const KernelShape shape = {card_.design().weighted, static_cast<int>(num_units_), instance_.num_aux};
  const abi::Partition* partitions = edges_->partitioning().table().partitions;
  const std::uint64_t n = edges_->partitioning().csr().num_columns;
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (std::size_t p = 0; p < num_partitions_; ++p) {
      const std::uint64_t width = partitions[p].last - partitions[p].first;
      for (std::size_t unit = 0; unit < num_units_; ++unit) {
        CardGraph::Share& share = graph.shares[p * num_units_ + unit];
        const std::uint32_t num_words = edges_->share(p, slices_[p * num_units_ + unit]).num_words;
        Launch launch;
        launch.run = parts_.units[unit]->make_run();
        launch.partition = static_cast<std::uint32_t>(p);
        launch.unit = static_cast<int>(unit);
        launch.cycles = 2 * std::uint64_t(num_words) + n / 8 + width;
        const auto set = [&](const char* port, auto&& value) {
          launch.run->set(argument(kernel::gather_scatter::kPorts, port, shape), value);
        };
        set("sources", *share.sources);
        set("destinations", *share.destinations);
        if (shape.weighted) set("weights", *share.weights);
        set("properties", *graph.properties[parity][unit]);
        set("gathered", *share.gathered);
        set("num_words", num_words);
        set("first", partitions[p].first);
        set("last", partitions[p].last);
        graph.gathers[parity].push_back(std::move(launch));
      }
      Launch launch;
      launch.run = parts_.apply->make_run();
      launch.partition = static_cast<std::uint32_t>(p);
      launch.unit = kApplyUnit;
      launch.cycles = width;
      const auto set = [&](const char* port, auto&& value, std::size_t i = 0) {
        launch.run->set(argument(kernel::apply::kPorts, port, shape) + static_cast<int>(i), value);
      };
      for (std::size_t unit = 0; unit < num_units_; ++unit) {
        set("gathered", *graph.shares[p * num_units_ + unit].gathered, unit);
        set("updated", *graph.properties[1 - parity][unit], unit);
      }
      set("properties", *graph.properties[parity][0]);
      for (std::size_t k = 0; k < graph.aux.size(); ++k) set("aux", *graph.aux[k], k);
      set("sums", *graph.sums[p]);
      set("first", partitions[p].first);
      set("last", partitions[p].last);
      graph.applies[parity].push_back(std::move(launch));
    }
  }
}

template <class F>
std::int32_t CardDevice::guarded(const F& f) {
  if (failure_) return abi::kCancelled;
  try {
    f();
    return abi::kOk;
  } catch (const Cancelled&) {
    failure_ = std::current_exception();
    settle(false);
  } catch (...) {
    failure_ = std::current_exception();
    settle(true);
  }
  return abi::kCancelled;
}

abi::Device CardDevice::table() {
  abi::Device device{};
  device.self = this;
  device.write_properties = [](void* self, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<CardDevice*>(self);
    return me.guarded([&] {
      for (const auto& copy : me.graph_->properties[me.parity_]) me.write(*copy, data, num_bytes);
    });
  };
  device.write_aux = [](void* self, std::int32_t k, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<CardDevice*>(self);
    return me.guarded([&] { me.write(*me.graph_->aux[static_cast<std::size_t>(k)], data, num_bytes); });
  };
  device.superstep = [](void* self, const void* arg, void* sums, abi::Superstep* stats) -> std::int32_t {
    auto& me = *static_cast<CardDevice*>(self);
    return me.guarded([&] { me.superstep(arg, sums, stats); });
  };
  device.read_properties = [](void* self, void* data, std::uint64_t num_bytes) -> std::int32_t {
    auto& me = *static_cast<CardDevice*>(self);
    return me.guarded([&] {
      CardBuffer& properties = *me.graph_->properties[me.parity_][0];
      properties.from_card(0, num_bytes);
      std::memcpy(data, properties.data(), num_bytes);
    });
  };
  return device;
}

void CardDevice::write(CardBuffer& buffer, const void* data, std::uint64_t num_bytes) {
  if (num_bytes == 0) return;
  std::memcpy(buffer.data(), data, num_bytes);
  buffer.to_card(0, num_bytes);
}

void CardDevice::upload(std::size_t partition, std::size_t unit) {
  const std::size_t i = partition * num_units_ + unit;
  CardGraph::Share& share = graph_->shares[i];
  if (share.uploaded) return;
  const DeviceEdges::Share& edges = edges_->share(partition, slices_[i]);
  write(*share.sources, edges.sources.data(), edges.sources.size() * 64);
  write(*share.destinations, edges.destinations.data(), edges.destinations.size() * 64);
  if (share.weights) write(*share.weights, edges.weights.data(), edges.weights.size() * 64);
  edge_bytes_uploaded_ += (edges.sources.size() + edges.destinations.size() + edges.weights.size()) * 64;
  share.uploaded = true;
}

void CardDevice::start(Launch& launch) {
  launch.started_seconds = seconds_since(superstep_start_);
  launch.run->start();
  launch.in_flight = true;
}

void CardDevice::start_gather(std::size_t partition, std::size_t unit) {
  upload(partition, unit);
  start(graph_->gathers[parity_][partition * num_units_ + unit]);
}

void CardDevice::start_apply(std::size_t partition, const void* arg) {
  Launch& launch = graph_->applies[parity_][partition];
  const KernelShape shape = {card_.design().weighted, static_cast<int>(num_units_), instance_.num_aux};
  const int first = argument(kernel::apply::kPorts, "arg", shape);
  std::array<std::uint32_t, kArgWords> words;
  std::memcpy(words.data(), arg, sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!launch.arg_is_set || launch.arg[i] != words[i]) launch.run->set(first + static_cast<int>(i), words[i]);
  }
  launch.arg = words;
  launch.arg_is_set = true;
  start(launch);
}

std::string CardDevice::name_of(const Launch& launch) const {
  const CardDesign& design = card_.design();
  return launch.unit == kApplyUnit
             ? message("apply (", design.apply_unit, "), partition ", launch.partition)
             : message("compute unit ", launch.unit, " (", design.units[static_cast<std::size_t>(launch.unit)],
                       "), partition ", launch.partition);
}

void CardDevice::wait(Launch& launch, bool may_stop) {
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
  launch.ended_seconds = seconds_since(superstep_start_);
  if (may_stop) workers_.check();
}

void CardDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  superstep_start_ = Clock::now();
  const std::vector<std::uint32_t>& order = schedule_.partitions;
  for (std::size_t k = 0; k < std::min(kQueued, order.size()); ++k) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) start_gather(order[k], unit);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) {
      wait(graph_->gathers[parity_][order[k] * num_units_ + unit], true);
      if (k + kQueued < order.size()) start_gather(order[k + kQueued], unit);
    }
    start_apply(order[k], arg);
  }
  // Applies run beside gather-scatters: what is theirs alone is what comes after the last of those.
  stats->scatter_gather_seconds = seconds_since(superstep_start_);
  const auto gathered = Clock::now();
  for (const std::uint32_t p : order) wait(graph_->applies[parity_][p], true);
  std::memset(sums, 0, static_cast<std::size_t>(std::max(1, instance_.num_extras)) * 8);  // 0.0 in doubles too
  // In ascending order, so that sums of doubles are the same under every schedule.
  for (std::size_t p = 0; p < num_partitions_; ++p) add_sums(p, sums);
  parity_ = 1 - parity_;
  stats->apply_seconds = seconds_since(gathered);
}

void CardDevice::add_sums(std::size_t partition, void* sums) {
  CardBuffer& buffer = *graph_->sums[partition];
  buffer.from_card(0, buffer.num_bytes());
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
    double& ended = unit_ended[launch.unit == kApplyUnit ? num_units_ : static_cast<std::size_t>(launch.unit)];
    const double start = std::max(launch.started_seconds, ended);
    ended = launch.ended_seconds;
    times.push_back({launch.unit, launch.partition, start, ended - start, 0});
  };
  for (const std::uint32_t p : schedule_.partitions) {
    for (std::size_t unit = 0; unit < num_units_; ++unit) add(graph_->gathers[last_parity][p * num_units_ + unit]);
    add(graph_->applies[last_parity][p]);
  }
  return times;
}

void CardDevice::settle(bool failed) noexcept {
  auto deadline = Clock::now() + parts_.patience;
  graph_->each_launch([&](Launch& launch) {
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
