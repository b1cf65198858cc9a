// SPDX-License-Identifier: Apache-2.0
// The exchange of what has changed.
#include <algorithm>
#include <cstring>

#include "cpp/src/domain/boxes.h"
#include "cpp/src/domain/exchange.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kMany = 64;  // one changed vertex for so many mirrors: all of these are looked up, in order
constexpr std::uint64_t kAnnounced = 256;  // bytes with which a box is announced, or which are all of it

enum Form : std::uint32_t { kPairs = 0, kBits, kAll };

struct Announcement {
  std::uint32_t form, count;
  std::uint64_t num_bytes;
  std::uint64_t most_bytes;  // of the boxes of the rank that sends this
};
constexpr std::uint64_t kWithin = kAnnounced - sizeof(Announcement);

std::uint64_t bits_bytes(std::uint64_t places) { return (places + 63) / 64 * 8; }

// By own vertex, by a counting sort.
void sort_mirrors(const Domain& domain, Mirrored& made) {
  made.first.assign(std::size_t(domain.num_own) + 1, 0);
  for (const VertexId v : domain.mirrors) ++made.first[std::size_t(v) + 1];
  for (std::size_t v = 0; v < domain.num_own; ++v) made.first[v + 1] += made.first[v];
  std::vector<std::uint64_t> next(made.first.begin(), made.first.end() - 1);
  made.copies.resize(domain.mirrors.size());
  for (std::size_t rank = 0; rank + 1 < domain.mirror_first.size(); ++rank) {
    for (std::uint64_t i = domain.mirror_first[rank]; i < domain.mirror_first[rank + 1]; ++i) {
      made.copies[next[domain.mirrors[i]]++] = {static_cast<std::uint32_t>(rank),
                                                static_cast<std::uint32_t>(i - domain.mirror_first[rank])};
    }
  }
}

}  // namespace

using detail::add_sums;
using detail::with_size;

// Into places_, in ascending order or, of few, in that of the vertices.
void Exchange::list_changed(const abi::Exchange& what) {
  for (auto& places : places_) places.clear();
  const bool are_many = what.num_changed >= domain_.mirrors.size() / kMany;
  if (are_many && what.changed != nullptr) {
    changed_bits_.assign((std::uint64_t(domain_.num_own) + 63) / 64, 0);
    std::for_each(what.changed, what.changed + what.num_changed, [&](VertexId v) {
      if (v < domain_.num_own) changed_bits_[v / 64] |= std::uint64_t(1) << v % 64;
    });
  }
  if (are_many) return list_many(what.changed != nullptr ? changed_bits_.data() : what.changed_bits);
  const Mirrored& mirrored = domain_.mirrored->made([&](Mirrored& made) { sort_mirrors(domain_, made); });
  const auto add = [&](VertexId v) {
    if (v >= domain_.num_own) return;  // a ghost of the frontier
    for (std::uint64_t i = mirrored.first[v]; i < mirrored.first[std::size_t(v) + 1]; ++i) {
      places_[mirrored.copies[i].rank].push_back(mirrored.copies[i].place);
    }
  };
  if (what.changed != nullptr) {
    std::for_each(what.changed, what.changed + what.num_changed, add);
    return;
  }
  const std::uint64_t num_words = (std::uint64_t(domain_.num_own) + 63) / 64;
  for (std::uint64_t w = 0; w < num_words; ++w) {
    for (std::uint64_t word = what.changed_bits[w]; word != 0; word &= word - 1) {
      add(static_cast<VertexId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(word))));
    }
  }
}

// Looks all mirrors up, without a branch on what is found.
void Exchange::list_many(const std::uint64_t* changed_bits) {
  for (std::size_t rank = 0; rank < size_; ++rank) {
    const std::uint64_t count = num_mirrors(rank);
    const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank];
    std::vector<std::uint32_t>& places = places_[rank];
    places.resize(count);
    std::uint64_t num_places = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      places[num_places] = static_cast<std::uint32_t>(i);
      num_places += changed_bits[mirrors[i] / 64] >> mirrors[i] % 64 & 1;
    }
    places.resize(num_places);
  }
}

void Exchange::write_box(std::size_t rank, const abi::Exchange& what, Bytes& box) {
  const auto& places = places_[rank];
  const auto* const values = static_cast<const std::uint8_t*>(what.values);
  const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank];
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  const std::uint64_t count = places.size();
  const bool has_all = what.changed == nullptr && what.changed_bits == nullptr;
  const std::uint64_t as_pairs = count * (4 + bytes), as_bits = bits_bytes(num_mirrors(rank)) + count * bytes,
                      as_all = num_mirrors(rank) * bytes;
  Announcement head{};
  if (has_all || as_all <= std::min(as_pairs, as_bits)) {
    head = {kAll, static_cast<std::uint32_t>(num_mirrors(rank)), as_all, 0};
    box.resize(sizeof head + as_all);
    pack(rank, 0, what.values, what.value_bytes, box.data() + sizeof head, num_mirrors(rank));
  } else if (as_pairs <= as_bits) {
    head = {kPairs, static_cast<std::uint32_t>(count), as_pairs, 0};
    box.resize(sizeof head + as_pairs);
    std::uint8_t* at = box.data() + sizeof head;
    if (count > 0) std::memcpy(at, places.data(), 4 * count);
    at += 4 * count;
    with_size(what.value_bytes, [&](const auto size) {
      for (const std::uint32_t place : places) {
        std::memcpy(at, values + std::uint64_t(mirrors[place]) * size, size);
        at += size;
      }
    });
  } else {
    head = {kBits, static_cast<std::uint32_t>(count), as_bits, 0};
    box.resize(sizeof head + as_bits);
    std::uint8_t* const bits = box.data() + sizeof head;
    std::memset(bits, 0, bits_bytes(num_mirrors(rank)));
    for (const std::uint32_t place : places) bits[place / 8] |= static_cast<std::uint8_t>(1u << place % 8);
    std::uint8_t* at = bits + bits_bytes(num_mirrors(rank));
    with_size(what.value_bytes, [&](const auto size) {
      for (std::uint64_t first = 0; first < num_mirrors(rank); first += 64) {
        std::uint64_t word;
        std::memcpy(&word, bits + first / 8, 8);
        for (; word != 0; word &= word - 1) {
          const std::uint64_t place = first + static_cast<unsigned>(__builtin_ctzll(word));
          std::memcpy(at, values + std::uint64_t(mirrors[place]) * size, size);
          at += size;
        }
      }
    });
  }
  std::memcpy(box.data(), &head, sizeof head);
}

void Exchange::read_box(std::size_t rank, std::uint32_t form, std::uint32_t count, std::uint64_t num_bytes,
                        const std::uint8_t* box, const abi::Exchange& what) {
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  const VertexId first = domain_.num_own + domain_.ghost_first[rank];
  auto* const ghosts = static_cast<std::uint8_t*>(what.values) + first * bytes;
  const std::uint64_t num_places = num_ghosts(rank);
  const std::uint64_t least = form == kAll     ? count * bytes
                              : form == kPairs ? count * (4 + bytes)
                                               : bits_bytes(num_places) + count * bytes;
  if (form > kAll || (form == kAll && count != num_places) || count > num_places || num_bytes != least) {
    throw Error(message("rank ", rank, " sends ", num_bytes, " bytes for ", count, " of ", num_places,
                        " ghosts, in form ", form, "; do all ranks have the same graph?"));
  }
  VertexId* const arrived = arrived_.data();
  std::uint64_t num_arrived = num_arrived_;
  // Every ghost that is named is listed, and stays so if its value is another now: no branch on that.
  const auto take = [&](std::uint64_t place, const std::uint8_t* value, const auto size) {
    std::uint8_t* const ghost = ghosts + place * size;
    arrived[num_arrived] = first + static_cast<VertexId>(place);
    num_arrived += std::memcmp(ghost, value, size) != 0;
    std::memcpy(ghost, value, size);
  };
  const auto check_place = [&](std::uint64_t place) {
    if (place < num_places) return;
    throw Error(message("rank ", rank, " sends a value for ghost ", place, " of ", num_places,
                        "; do all ranks have the same graph?"));
  };
  with_size(what.value_bytes, [&](const auto size) {
    if (form == kAll) {
      for (std::uint64_t i = 0; i < count; ++i) take(i, box + i * size, size);
    } else if (form == kPairs) {
      const std::uint8_t* value = box + 4 * std::uint64_t(count);
      for (std::uint64_t i = 0; i < count; ++i, value += size) {
        std::uint32_t place;
        std::memcpy(&place, box + 4 * i, 4);
        check_place(place);
        take(place, value, size);
      }
    } else {
      const std::uint8_t *value = box + bits_bytes(num_places), *const end = value + count * size;
      for (std::uint64_t w = 0; w < bits_bytes(num_places) / 8; ++w) {
        std::uint64_t word;
        std::memcpy(&word, box + 8 * w, 8);
        for (; word != 0; word &= word - 1, value += size) {
          const std::uint64_t place = w * 64 + static_cast<unsigned>(__builtin_ctzll(word));
          check_place(value == end ? num_places : place);
          take(place, value, size);
        }
      }
    }
  });
  num_arrived_ = num_arrived;
}

void Exchange::send_changed(abi::Exchange& what) {
  const auto sum_bytes = static_cast<std::uint64_t>(what.num_sums) * 8;
  const std::uint64_t each = kAnnounced + sum_bytes;
  const bool has_all = what.changed == nullptr && what.changed_bits == nullptr;
  if (!has_all) list_changed(what);
  std::uint64_t most = 0;
  const auto head_of = [](const std::uint8_t* from) {
    Announcement head;
    std::memcpy(&head, from, sizeof head);
    return head;
  };
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) {
      boxes_[rank].assign(sizeof(Announcement), 0);
      continue;
    }
    write_box(rank, what, boxes_[rank]);
    const Announcement head = head_of(boxes_[rank].data());
    most = std::max(most, head.num_bytes);
    now_.bytes_sent += head.num_bytes;
    now_.values_sent += head.count;
  }
  words_.assign(each * size_, 0);
  other_words_.resize(each * size_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    Announcement head = head_of(boxes_[rank].data());
    head.most_bytes = most;
    std::uint8_t* const to = words_.data() + rank * each;
    std::memcpy(to, &head, sizeof head);
    if (head.num_bytes <= kWithin && head.num_bytes > 0) {
      std::memcpy(to + sizeof head, boxes_[rank].data() + sizeof head, head.num_bytes);
    }
    if (sum_bytes > 0) std::memcpy(to + kAnnounced, what.sums, sum_bytes);
  }
  auto waiting = Clock::now();
  communicator_.all_to_all(words_.data(), other_words_.data(), each);
  now_.waiting_seconds += seconds_since(waiting);
  bool has_boxes = false;
  for (std::size_t rank = 0; rank < size_; ++rank) {
    has_boxes |= head_of(other_words_.data() + rank * each).most_bytes > kWithin;
  }
  std::vector<const std::uint8_t*> received(size_, nullptr);
  if (has_boxes) {
    std::vector<Box> sent(size_);
    std::vector<std::uint64_t> num_expected(size_);
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (rank == rank_) continue;
      const std::uint64_t size = boxes_[rank].size() - sizeof(Announcement);
      if (size > kWithin) sent[rank] = {boxes_[rank].data() + sizeof(Announcement), size};
      const std::uint64_t coming = head_of(other_words_.data() + rank * each).num_bytes;
      if (coming > kWithin) num_expected[rank] = coming;
    }
    waiting = Clock::now();
    communicator_.begin_boxes(sent, num_expected);
    received = communicator_.end_boxes();
    now_.waiting_seconds += seconds_since(waiting);
  }
  arrived_.resize(std::size_t(domain_.num_ghosts) + 1);  // one is written where none is left
  num_arrived_ = 0;
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const std::uint8_t* const from = other_words_.data() + rank * each;
    const Announcement head = head_of(from);
    read_box(rank, head.form, head.count, head.num_bytes,
             head.num_bytes > kWithin ? received[rank] : from + sizeof head, what);
    now_.bytes_received += head.num_bytes;
    now_.values_received += head.count;
  }
  add_sums(what, size_, [&](std::size_t rank) { return other_words_.data() + rank * each + kAnnounced; });
  what.arrived = arrived_.data();
  what.num_arrived = num_arrived_;
}

}  // namespace gaspipe
