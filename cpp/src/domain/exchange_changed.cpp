// SPDX-License-Identifier: Apache-2.0
// The exchange of what has changed.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "cpp/src/domain/boxes.h"
#include "cpp/src/domain/exchange.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kMany = 64;  // one changed vertex for so many mirrors: all of these are looked up, in order
constexpr std::uint64_t kAnnounced = 256;  // bytes with which a box is announced, or which are all of it

// What a box has before its values: the place of each; a bit for every place; nothing, for there is a value for every
// place. With kSame there is one value, for all that have changed: searches send little else.
enum Form : std::uint32_t { kPairs = 0, kBits = 1, kAll = 2, kSame = 4 };

struct Announcement {
  std::uint32_t form, count;
  std::uint64_t num_bytes;
  std::uint64_t most_bytes;  // of the boxes of the rank that sends this
  double lowest_waiting;
};
constexpr std::uint64_t kWithin = kAnnounced - sizeof(Announcement);

std::uint64_t words_for(std::uint64_t bits) { return (bits + 63) / 64; }
std::uint64_t bits_bytes(std::uint64_t places) { return words_for(places) * 8; }

template <class F>
void each_bit(const std::uint64_t* words, std::uint64_t num_words, const F& f) {
  for (std::uint64_t w = 0; w < num_words; ++w) {
    for (std::uint64_t word = words[w]; word != 0; word &= word - 1) {
      f(w * 64 + static_cast<unsigned>(__builtin_ctzll(word)));
    }
  }
}

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

// Of few, in the order of the vertices; of many, as bits.
void Exchange::list_changed(const abi::Exchange& what) {
  are_many_ = what.num_changed >= domain_.mirrors.size() / kMany;
  const std::uint64_t num_words = words_for(domain_.num_own);
  if (are_many_ && what.changed != nullptr) {
    changed_bits_.assign(num_words, 0);
    std::for_each(what.changed, what.changed + what.num_changed, [&](VertexId v) {
      if (v < domain_.num_own) changed_bits_[v / 64] |= std::uint64_t(1) << v % 64;
    });
  }
  const std::uint64_t* const bits = what.changed != nullptr ? changed_bits_.data() : what.changed_bits;
  are_same_ = have_same_value(what, bits);
  if (are_many_) return list_many(bits);
  few_.clear();
  if (what.changed != nullptr) {
    std::copy_if(what.changed, what.changed + what.num_changed, std::back_inserter(few_),
                 [&](VertexId v) { return v < domain_.num_own; });  // others are ghosts of the frontier
  } else {
    each_bit(bits, num_words, [&](std::uint64_t v) { few_.push_back(static_cast<VertexId>(v)); });
  }
  list_few();
}

bool Exchange::have_same_value(const abi::Exchange& what, const std::uint64_t* bits) const {
  const auto* const values = static_cast<const std::uint8_t*>(what.values);
  bool are_same = true;
  with_size(what.value_bytes, [&](const auto size) {
    const std::uint8_t* first = nullptr;
    const auto is_same = [&](std::uint64_t v) {
      if (v >= domain_.num_own) return true;
      if (first == nullptr) first = values + v * size;
      return std::memcmp(values + v * size, first, size) == 0;
    };
    if (what.changed != nullptr) {
      are_same = std::all_of(what.changed, what.changed + what.num_changed, is_same);
      return;
    }
    for (std::uint64_t w = 0; w < words_for(domain_.num_own) && are_same; ++w) {
      for (std::uint64_t word = bits[w]; word != 0 && are_same; word &= word - 1) {
        are_same = is_same(w * 64 + static_cast<unsigned>(__builtin_ctzll(word)));
      }
    }
  });
  return are_same;
}

// Where copies are, and which, is fetched ahead.
void Exchange::list_few() {
  constexpr std::size_t kAhead = 16;
  const Mirrored& mirrored = domain_.mirrored->made([&](Mirrored& made) { sort_mirrors(domain_, made); });
  for (auto& places : places_) places.clear();
  for (std::size_t i = 0; i < few_.size(); ++i) {
    if (i + 2 * kAhead < few_.size()) __builtin_prefetch(&mirrored.first[few_[i + 2 * kAhead]]);
    if (i + kAhead < few_.size()) __builtin_prefetch(mirrored.copies.data() + mirrored.first[few_[i + kAhead]]);
    const VertexId v = few_[i];
    for (std::uint64_t k = mirrored.first[v]; k < mirrored.first[std::size_t(v) + 1]; ++k) {
      places_[mirrored.copies[k].rank].push_back({mirrored.copies[k].place, v});
    }
  }
}

// Looks all mirrors up, without a branch on what is found.
void Exchange::list_many(const std::uint64_t* changed_bits) {
  for (std::size_t rank = 0; rank < size_; ++rank) {
    const std::uint64_t count = num_mirrors(rank);
    const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank];
    marks_[rank].resize(words_for(count));
    std::uint64_t num_marked = 0;
    for (std::uint64_t w = 0; w < marks_[rank].size(); ++w) {
      const std::uint64_t first = w * 64, size = std::min<std::uint64_t>(64, count - first);
      std::uint64_t word = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        const VertexId v = mirrors[first + i];
        word |= (changed_bits[v / 64] >> v % 64 & 1) << i;
      }
      marks_[rank][w] = word;
      num_marked += static_cast<unsigned>(__builtin_popcountll(word));
    }
    num_marked_[rank] = num_marked;
  }
}

void Exchange::write_box(std::size_t rank, const abi::Exchange& what, Bytes& box) {
  const auto* const values = static_cast<const std::uint8_t*>(what.values);
  const VertexId* const mirrors = domain_.mirrors.data() + domain_.mirror_first[rank];
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  const bool has_all = what.changed == nullptr && what.changed_bits == nullptr;
  const std::uint64_t count = has_all ? num_mirrors(rank) : are_many_ ? num_marked_[rank] : places_[rank].size();
  const bool is_same = !has_all && are_same_ && count > 1;
  const std::uint64_t value_bytes = (is_same ? 1 : count) * bytes;
  const std::uint64_t as_pairs = count * 4 + value_bytes, as_bits = bits_bytes(num_mirrors(rank)) + value_bytes,
                      as_all = num_mirrors(rank) * bytes;
  const auto start = [&](std::uint32_t form, std::uint64_t num_values, std::uint64_t num_bytes) {
    const Announcement head{form, static_cast<std::uint32_t>(num_values), num_bytes, 0, 0};
    box.resize(sizeof head + num_bytes);
    std::memcpy(box.data(), &head, sizeof head);
    return box.data() + sizeof head;
  };
  if (has_all || (as_all <= as_pairs && as_all <= as_bits)) {
    pack(rank, 0, what.values, what.value_bytes, start(kAll, num_mirrors(rank), as_all), num_mirrors(rank));
    return;
  }
  const std::uint32_t same = is_same ? kSame : 0;
  // Calls f(place, vertex) for all, or for the first.
  const auto each = [&](bool only_first, const auto& f) {
    if (!are_many_) {
      for (std::size_t i = 0; i < (only_first ? 1 : count); ++i) f(places_[rank][i].place, places_[rank][i].vertex);
      return;
    }
    for (std::uint64_t w = 0; w < marks_[rank].size(); ++w) {
      for (std::uint64_t word = marks_[rank][w]; word != 0; word &= word - 1) {
        const std::uint64_t place = w * 64 + static_cast<unsigned>(__builtin_ctzll(word));
        f(place, mirrors[place]);
        if (only_first) return;
      }
    }
  };
  std::uint8_t* at;
  if (as_pairs <= as_bits) {
    at = start(kPairs | same, count, as_pairs);
    each(false, [&](std::uint64_t place, VertexId /*vertex*/) {
      const auto word = static_cast<std::uint32_t>(place);
      std::memcpy(at, &word, 4);
      at += 4;
    });
  } else {
    at = start(kBits | same, count, as_bits);
    if (are_many_) {
      std::memcpy(at, marks_[rank].data(), bits_bytes(num_mirrors(rank)));
    } else {
      std::memset(at, 0, bits_bytes(num_mirrors(rank)));
      for (const Place& one : places_[rank]) at[one.place / 8] |= static_cast<std::uint8_t>(1u << one.place % 8);
      std::sort(places_[rank].begin(), places_[rank].end(), [](Place a, Place b) { return a.place < b.place; });
    }
    at += bits_bytes(num_mirrors(rank));
  }
  if (count == 0) return;
  with_size(what.value_bytes, [&](const auto size) {
    each(is_same, [&](std::uint64_t /*place*/, VertexId v) {
      std::memcpy(at, values + std::uint64_t(v) * size, size);
      at += size;
    });
  });
}

// Before a box is awaited: its size, too, is what another rank says.
void Exchange::check_box(std::size_t rank, std::uint32_t form, std::uint32_t count, std::uint64_t num_bytes,
                         std::uint64_t most_bytes, std::int32_t value_bytes) const {
  const std::uint64_t num_places = num_ghosts(rank), bytes = static_cast<std::uint64_t>(value_bytes);
  const bool is_same = (form & kSame) != 0;
  form &= ~std::uint32_t(kSame);
  const std::uint64_t sent_bytes = (is_same ? 1 : count) * bytes;
  const std::uint64_t right = form == kAll     ? count * bytes
                              : form == kPairs ? std::uint64_t(count) * 4 + sent_bytes
                                               : bits_bytes(num_places) + sent_bytes;
  const bool has_form = form == kPairs || form == kBits || (form == kAll && count == num_places && !is_same);
  if (has_form && count <= num_places && num_bytes == right && num_bytes <= most_bytes) return;
  throw Error(message("rank ", rank, " sends ", num_bytes, " bytes for ", count, " of ", num_places,
                      " ghosts, in form ", form, "; do all ranks have the same graph?"));
}

void Exchange::read_box(std::size_t rank, std::uint32_t form, std::uint32_t count, const std::uint8_t* box,
                        const abi::Exchange& what) {
  const auto bytes = static_cast<std::uint64_t>(what.value_bytes);
  const VertexId first = domain_.num_own + domain_.ghost_first[rank];
  auto* const ghosts = static_cast<std::uint8_t*>(what.values) + first * bytes;
  const std::uint64_t num_places = num_ghosts(rank);
  const bool is_same = (form & kSame) != 0;
  form &= ~std::uint32_t(kSame);
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
    const std::size_t step = is_same ? 0 : static_cast<std::size_t>(size);
    if (form == kAll) {
      for (std::uint64_t i = 0; i < count; ++i) take(i, box + i * size, size);
    } else if (form == kPairs) {
      constexpr std::uint64_t kAhead = 16;
      const auto place_at = [&](std::uint64_t i) {
        std::uint32_t place;
        std::memcpy(&place, box + 4 * i, 4);
        return place;
      };
      const std::uint8_t* value = box + 4 * std::uint64_t(count);
      for (std::uint64_t i = 0; i < count; ++i, value += step) {
        if (i + kAhead < count) __builtin_prefetch(ghosts + std::uint64_t(place_at(i + kAhead)) * size);
        check_place(place_at(i));
        take(place_at(i), value, size);
      }
    } else {
      const std::uint8_t* value = box + bits_bytes(num_places);
      std::uint64_t num_left = count;
      for (std::uint64_t w = 0; w < bits_bytes(num_places) / 8; ++w) {
        std::uint64_t word;
        std::memcpy(&word, box + 8 * w, 8);
        for (; word != 0; word &= word - 1, value += step, --num_left) {
          const std::uint64_t place = w * 64 + static_cast<unsigned>(__builtin_ctzll(word));
          check_place(num_left == 0 ? num_places : place);
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
    head.lowest_waiting = what.lowest_waiting;
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
    const Announcement head = head_of(other_words_.data() + rank * each);
    if (rank != rank_) check_box(rank, head.form, head.count, head.num_bytes, head.most_bytes, what.value_bytes);
    has_boxes |= head.most_bytes > kWithin;
    what.lowest_waiting = std::min(what.lowest_waiting, head.lowest_waiting);
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
    read_box(rank, head.form, head.count, head.num_bytes > kWithin ? received[rank] : from + sizeof head, what);
    now_.bytes_received += head.num_bytes;
    now_.values_received += head.count;
  }
  add_sums(what, size_, [&](std::size_t rank) { return other_words_.data() + rank * each + kAnnounced; });
  what.arrived = arrived_.data();
  what.num_arrived = num_arrived_;
}

}  // namespace gaspipe
