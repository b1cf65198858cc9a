// SPDX-License-Identifier: Apache-2.0
// The exchange of all values. That of changed ones: exchange_changed.cpp.
#include "cpp/src/domain/exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpp/src/domain/boxes.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint32_t kEarlyGrain = 1 << 11;

std::uint64_t whole_words(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

using detail::add_sums;
using detail::kGrain;
using detail::with_size;

Exchange::Exchange(const Domain& domain, Communicator& communicator, const std::string& overlap, Workers& workers)
    : domain_(domain),
      communicator_(communicator),
      workers_(workers),
      size_(static_cast<std::size_t>(domain.size)),
      rank_(static_cast<std::size_t>(domain.rank)),
      boxes_(size_),
      places_(size_),
      marks_(size_),
      num_marked_(size_) {
  table_.self = this;
  table_.num_own = domain.num_own;
  table_.ids = domain.ids.size() > 0 ? domain.ids.data() : nullptr;
  table_.first_id = domain.first_id;
  table_.ghost_ids = domain.ghost_ids.data();
  table_.num_vertices = domain.num_vertices;
  table_.num_edges = domain.num_edges;
  table_.offsets = domain.offsets.data();
  table_.offset_bytes = domain.offsets.is_wide() ? 8 : 4;
  agree_on_overlap(overlap);
  table_.begin = [](void* self, const void* values, std::int32_t value_bytes) -> std::int32_t {
    auto& me = *static_cast<Exchange*>(self);
    try {  // nothing may throw through the program
      me.begin_early(values, value_bytes);
      return 0;
    } catch (...) {
      me.failure_ = std::current_exception();
      return 1;
    }
  };
  table_.exchange = [](void* self, abi::Exchange* what) -> std::int32_t {
    auto& me = *static_cast<Exchange*>(self);
    try {
      me.run(*what);
      return 0;
    } catch (...) {
      me.failure_ = std::current_exception();
      return 1;
    }
  };
}

void Exchange::run(abi::Exchange& what) {
  if (what.sums == nullptr) what.num_sums = 0;
  now_ = {};
  const double begun = std::exchange(begin_seconds_, 0);
  now_.computing_seconds = seconds_since(last_) - begun;
  const auto start = Clock::now();
  value_bytes_ = what.value_bytes;
  if (what.ghosts_are_known == 0) what.only_changed != 0 ? send_changed(what) : send_all(what);
  last_ = Clock::now();
  now_.exchanging_seconds = begun + std::chrono::duration<double>(last_ - start).count() - now_.waiting_seconds;
  if (stats_.size() < kKept) stats_.push_back(now_);
}

void Exchange::fill_ghosts(void* values, std::int32_t value_bytes) {
  abi::Exchange what{};
  what.values = values;
  what.value_bytes = value_bytes;
  send_all(what);
}

bool Exchange::any(bool has) {
  std::vector<std::uint8_t> said(size_, has), heard(size_);
  communicator_.all_to_all(said.data(), heard.data(), 1);
  return std::count(heard.begin(), heard.end(), 0) < static_cast<std::ptrdiff_t>(size_);
}

void Exchange::pack(std::size_t rank, std::uint64_t first, const void* values, std::int32_t value_bytes,
                    std::uint8_t* to, std::uint64_t count) {
  const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank] + first;
  const auto* const from = static_cast<const std::uint8_t*>(values);
  with_size(value_bytes, [&](const auto bytes) {
    workers_.each(count, kGrain, [&](std::uint64_t begin, std::uint64_t end, int) {
      for (std::uint64_t i = begin; i < end; ++i) {
        std::memcpy(to + i * bytes, from + std::uint64_t(mirrors[i]) * bytes, bytes);
      }
    });
  });
}

void Exchange::unpack(std::size_t rank, std::uint64_t first, const std::uint8_t* from, std::uint64_t count,
                      const abi::Exchange& what) {
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  auto* const ghosts = static_cast<std::uint8_t*>(what.values) +
                       (std::uint64_t(domain_.num_own) + domain_.ghost_first[rank] + first) * bytes;
  workers_.each(count, kGrain, [&](std::uint64_t begin, std::uint64_t end, int) {
    std::memcpy(ghosts + begin * bytes, from + begin * bytes, (end - begin) * bytes);
  });
}

// Those of the first half of the vertices travel early, if that pays for any rank.
void Exchange::agree_on_overlap(const std::string& overlap) {
  early_mirrors_.assign(size_, 0);
  early_ghosts_.assign(size_, 0);
  if (overlap == "off" || (overlap == "auto" && !communicator_.overlaps())) return;
  const std::uint32_t end = domain_.num_own / 2 / kEarlyGrain * kEarlyGrain;
  struct Words {
    std::uint64_t early, all;
  };
  std::vector<Words> sent(size_), received(size_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank];
    const VertexId* const late = std::lower_bound(mirrors, mirrors + num_mirrors(rank), end);
    sent[rank] = {static_cast<std::uint64_t>(late - mirrors), domain_.mirrors.size()};
  }
  communicator_.all_to_all(reinterpret_cast<const std::uint8_t*>(sent.data()),
                           reinterpret_cast<std::uint8_t*>(received.data()), sizeof(Words));
  std::uint64_t most = 0;
  for (const Words& other : received) most = std::max(most, other.all);
  overlaps_ = overlap == "on" || most >= kWorthOverlap;
  if (!overlaps_) return;
  table_.early_end = end;
  for (std::size_t rank = 0; rank < size_; ++rank) {
    early_mirrors_[rank] = sent[rank].early;
    early_ghosts_[rank] = received[rank].early;
    if (early_ghosts_[rank] <= num_ghosts(rank)) continue;
    throw Error(message("rank ", rank, " sends ", early_ghosts_[rank], " values early, for ", num_ghosts(rank),
                        " ghosts; do all ranks have the same graph?"));
  }
}

void Exchange::begin_early(const void* values, std::int32_t value_bytes) {
  if (!overlaps_ || has_begun_) return;
  const auto start = Clock::now();
  std::vector<Box> sent(size_);
  std::vector<std::uint64_t> num_expected(size_);
  const auto bytes = static_cast<std::uint64_t>(value_bytes);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    boxes_[rank].resize(early_mirrors_[rank] * bytes);
    pack(rank, 0, values, value_bytes, boxes_[rank].data(), early_mirrors_[rank]);
    sent[rank] = {boxes_[rank].data(), boxes_[rank].size()};
    num_expected[rank] = early_ghosts_[rank] * bytes;
  }
  communicator_.begin_boxes(sent, num_expected);
  has_begun_ = true;
  begin_seconds_ = seconds_since(start);
}

void Exchange::end_early(const abi::Exchange& what) {
  if (!overlaps_) return;
  begin_early(what.values, what.value_bytes);  // where the step has not
  begin_seconds_ = 0;                          // of this exchange, as the rest of it
  const auto waiting = Clock::now();
  const std::vector<const std::uint8_t*>& received = communicator_.end_boxes();
  now_.waiting_seconds += seconds_since(waiting);
  has_begun_ = false;
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank != rank_) unpack(rank, 0, received[rank], early_ghosts_[rank], what);
  }
}

// All values, and the sums behind them; of those that travel early the rest.
void Exchange::send_all(abi::Exchange& what) {
  end_early(what);
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  const auto sum_bytes = static_cast<std::uint64_t>(what.num_sums) * 8;
  const auto num_late = [&](std::size_t rank) { return num_ghosts(rank) - early_ghosts_[rank]; };
  std::vector<Box> sent(size_);
  std::vector<std::uint64_t> num_expected(size_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const std::uint64_t first = early_mirrors_[rank], count = num_mirrors(rank) - first;
    const std::uint64_t place = whole_words(count * bytes);
    boxes_[rank].resize(place + sum_bytes);
    pack(rank, first, what.values, what.value_bytes, boxes_[rank].data(), count);
    if (sum_bytes > 0) std::memcpy(boxes_[rank].data() + place, what.sums, sum_bytes);
    sent[rank] = {boxes_[rank].data(), boxes_[rank].size()};
    num_expected[rank] = whole_words(num_late(rank) * bytes) + sum_bytes;
    now_.bytes_sent += num_mirrors(rank) * bytes;
    now_.values_sent += num_mirrors(rank);
  }
  const auto waiting = Clock::now();
  communicator_.begin_boxes(sent, num_expected);
  const std::vector<const std::uint8_t*>& received = communicator_.end_boxes();
  now_.waiting_seconds += seconds_since(waiting);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    unpack(rank, early_ghosts_[rank], received[rank], num_late(rank), what);
    now_.bytes_received += num_ghosts(rank) * bytes;
    now_.values_received += num_ghosts(rank);
  }
  const std::vector<std::uint64_t> own(static_cast<std::uint64_t*>(what.sums),
                                       static_cast<std::uint64_t*>(what.sums) + what.num_sums);
  add_sums(what, size_, [&](std::size_t rank) {
    if (rank == rank_) return reinterpret_cast<const std::uint8_t*>(own.data());
    return received[rank] + whole_words(num_late(rank) * bytes);
  });
}

}  // namespace gaspipe
