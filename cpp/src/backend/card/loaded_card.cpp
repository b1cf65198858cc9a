// SPDX-License-Identifier: Apache-2.0
// The right to use a card, and what lies in its banks.
#include "gaspipe/loaded_card.h"

#include <algorithm>

#include "cpp/src/backend/card/parts.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kPageBytes = 4096;  // what drivers allocate in
constexpr auto kPollInterval = std::chrono::milliseconds(20);
constexpr std::uint32_t kPollMs = 1;  // ms: as good as none, which some libraries take for "to the end"

std::uint64_t pages(std::uint64_t num_bytes) { return (num_bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Gives every request the emptiest of its banks, and counts what it takes. The number of those that found room.
std::size_t plan(const std::vector<BufferRequest>& requests, std::map<int, std::uint64_t>& taken,
                 std::vector<const MemoryBank*>& banks) {
  banks.assign(requests.size(), nullptr);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::uint64_t num_bytes = pages(requests[i].num_bytes);
    std::uint64_t most = 0;
    for (const MemoryBank& bank : *requests[i].banks) {
      const std::uint64_t room = bank.num_bytes - std::min(bank.num_bytes, taken[bank.index]);
      if (room < num_bytes || room <= most) continue;
      most = room;
      banks[i] = &bank;
    }
    if (banks[i] == nullptr) return i;
    taken[banks[i]->index] += num_bytes;
  }
  return requests.size();
}

// Why `requests` do not fit an empty card: the first that found no room, what the others left of its banks, and how
// many edges there is room for beside what belongs to the vertices.
std::string too_large(const std::vector<BufferRequest>& requests, std::size_t failed,
                      const std::map<int, std::uint64_t>& taken, std::uint64_t num_edges, bool has_partitions) {
  const auto taken_of = [](const std::map<int, std::uint64_t>& all, int bank) {
    const auto found = all.find(bank);
    return found == all.end() ? 0 : found->second;
  };
  const BufferRequest& request = requests[failed];
  std::uint64_t needed = 0, edge_bytes = 0;
  std::vector<BufferRequest> of_vertices;
  std::map<int, std::uint64_t> edge_banks;  // with their sizes
  for (const BufferRequest& each : requests) {
    needed += pages(each.num_bytes);
    if (each.of_edges) {
      edge_bytes += pages(each.num_bytes);
      for (const MemoryBank& bank : *each.banks) edge_banks[bank.index] = bank.num_bytes;
    } else {
      of_vertices.push_back(each);
    }
  }
  std::map<int, std::uint64_t> taken_by_vertices;
  std::vector<const MemoryBank*> unused;
  std::uint64_t fit = 0;
  if (plan(of_vertices, taken_by_vertices, unused) == of_vertices.size() && edge_bytes > 0) {
    std::uint64_t room = 0;
    for (const auto& [bank, size] : edge_banks) room += size - std::min(size, taken_of(taken_by_vertices, bank));
    fit = static_cast<std::uint64_t>(static_cast<double>(room) / static_cast<double>(edge_bytes) *
                                     static_cast<double>(num_edges));
  }
  std::string banks;
  for (const MemoryBank& bank : *request.banks) {
    banks += message(banks.empty() ? "" : ", ", bank.name, " (", bank.num_bytes, " bytes, ",
                     bank.num_bytes - std::min(bank.num_bytes, taken_of(taken, bank.index)), " left)");
  }
  const std::string place = request.partition == kNoPartition ? "" : message(" of partition ", request.partition);
  const std::string unit = request.unit == kApplyUnit ? "" : message(", compute unit ", request.unit);
  return message("this graph needs ", needed, " bytes on the card, and its ", request.what, place, unit, ", of ",
                 request.num_bytes, " bytes, do not fit in ", banks, "; the card has room for about ", fit,
                 " edges with as many vertices, of ", num_edges, "; use ",
                 has_partitions ? "a smaller capacity of the partitions, an xclbin with more compute units"
                                : "an xclbin with more PEs",
                 ", or a larger card");
}

}  // namespace

LoadedCard::LoadedCard(CardDriver& driver, int index, CardDesign design) : index_(index), design_(std::move(design)) {
  if (design_.units.empty() || design_.units.size() > kMostComputeUnits) {
    throw InputError(message(design_.xclbin, " names ", design_.units.size(), " compute units; 1 to ",
                             kMostComputeUnits, " are allowed"));
  }
  if (!design_.apply.empty() && has_two_kinds(find_pipeline(design_.config)) &&
      (design_.num_dense == 0 || design_.num_dense >= design_.units.size())) {
    throw InputError(message(design_.xclbin, " names ", design_.units.size(), " pipelines, ", design_.num_dense,
                             " of them dense; one of each kind is needed"));
  }
  parts_ = std::make_unique<Parts>(driver, index_, design_);
  parts_->open();
}

LoadedCard::~LoadedCard() {
  // A run under way writes where its buffers are: what it uses must not be freed, nor can it be stopped.
  if (parts_->anything_in_flight()) static_cast<void>(parts_.release());
}

bool LoadedCard::is_leased_here() {
  const std::lock_guard<std::mutex> lock(guard_);
  return holder_ == std::this_thread::get_id();
}

CardCounts LoadedCard::counts(const std::function<bool()>& interrupted) {
  if (is_leased_here()) return parts_->counts();
  const Lease held = lease(interrupted);
  return parts_->counts();
}

void LoadedCard::forget_graphs(const std::function<bool()>& interrupted) {
  const Lease held = lease(interrupted);
  if (!parts_->anything_in_flight()) parts_->drop_all();
}

LoadedCard::Lease LoadedCard::lease(const std::function<bool()>& interrupted) {
  std::unique_lock<std::mutex> lock(guard_);
  if (holder_ == std::this_thread::get_id()) {
    throw DeviceError(message("card ", index_, " is running for this very thread; wait until that call has ended"));
  }
  while (holder_ != std::thread::id()) {
    returned_.wait_for(lock, kPollInterval);
    if (!interrupted) continue;
    lock.unlock();  // the callback may take long, or take other locks
    if (interrupted()) throw Cancelled();
    lock.lock();
  }
  holder_ = std::this_thread::get_id();
  return Lease(*this);
}

LoadedCard::Lease::~Lease() {
  if (card_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(card_->guard_);
    card_->holder_ = std::thread::id();
  }
  card_->returned_.notify_one();
}

void LoadedCard::Parts::open() {
  if (suspect) {
    if (anything_in_flight()) {
      throw DeviceError(message("card ", index,
                                ": a run of a call that failed has still not ended; reset the card (xbutil reset), "
                                "then load it again"));
    }
    close();
  }
  if (card) return;
  try {
    card = driver.open(index, design.xclbin);
    for (const std::string& name : design.units) {
      units.push_back(card->unit(units.size() < design.num_dense ? design.dense : design.gather_scatter, name));
    }
    if (!design.apply.empty()) apply = card->unit(design.apply, design.apply_unit);
    cleared.assign(units.size(), false);
  } catch (...) {
    close();
    throw;
  }
}

void LoadedCard::Parts::close() {
  drop_all();
  apply.reset();
  units.clear();
  if (card) closed = closed + card->counts();
  card.reset();
  suspect = false;
}

CardCounts LoadedCard::Parts::counts() const { return card ? closed + card->counts() : closed; }

bool LoadedCard::Parts::anything_in_flight() {
  bool any = false;
  for (const auto& graph : graphs) {
    graph->each_launch([&](Launch& launch) {
      if (!launch.in_flight) return;
      try {
        launch.in_flight = !launch.run->wait(kPollMs);
      } catch (const std::exception&) {
        launch.in_flight = false;  // over, though not well
      }
      any = any || launch.in_flight;
    });
  }
  return any;
}

void LoadedCard::Parts::drop(std::list<std::unique_ptr<CardGraph>>::iterator graph) {
  for (const auto& [bank, num_bytes] : (*graph)->taken) taken[bank] -= num_bytes;
  graphs.erase(graph);
}

void LoadedCard::Parts::drop_all() {
  while (!graphs.empty()) drop(graphs.begin());
}

CardGraph* LoadedCard::Parts::find(const std::shared_ptr<const void>& key,
                                   const std::vector<std::vector<std::uint32_t>>& of_units) {
  for (auto graph = graphs.begin(); graph != graphs.end();) {
    const auto next = std::next(graph);
    if ((*graph)->key.expired()) drop(graph);
    graph = next;
  }
  for (auto graph = graphs.begin(); graph != graphs.end(); ++graph) {
    if ((*graph)->key.lock() != key || (*graph)->units != of_units) continue;
    graphs.splice(graphs.begin(), graphs, graph);
    return graph->get();
  }
  return nullptr;
}

void LoadedCard::Parts::allocate(const std::vector<BufferRequest>& requests, CardGraph& graph,
                                 std::uint64_t num_edges) {
  std::vector<const MemoryBank*> banks;
  std::map<int, std::uint64_t> on_empty_card;
  const std::size_t placed = plan(requests, on_empty_card, banks);
  if (placed < requests.size())
    throw CapacityError(too_large(requests, placed, on_empty_card, num_edges, apply != nullptr));
  for (;;) {
    std::map<int, std::uint64_t> after = taken;
    if (plan(requests, after, banks) == requests.size()) {
      std::size_t made = 0;
      try {
        for (; made < requests.size(); ++made) {
          *requests[made].buffer = card->allocate(*banks[made], requests[made].num_bytes);
        }
        for (std::size_t i = 0; i < made; ++i) graph.taken[banks[i]->index] += pages(requests[i].num_bytes);
        taken = std::move(after);
        return;
      } catch (const CapacityError&) {  // fuller than we know
        for (const BufferRequest& request : requests) request.buffer->reset();
        if (graphs.empty()) throw;
      }
    }
    drop(std::prev(graphs.end()));
  }
}

}  // namespace gaspipe
