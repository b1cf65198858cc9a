// SPDX-License-Identifier: Apache-2.0
// Boxes of changed values as other ranks of a job send them: whatever they announce and hold, the exchange is refused
// or gives the ghosts that a plain reading of the boxes names, and nothing else is written. What this rank sends is
// held against the same reading.
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "cpp/src/domain/exchange.h"
#include "tests/fuzz/binary.h"

namespace gaspipe {
namespace fuzz {
namespace {

constexpr std::size_t kRanks = 3, kRank = 1;
constexpr std::uint64_t kHead = 32, kAnnounced = 256, kWithin = kAnnounced - kHead;
constexpr VertexId kOwn = 70;
constexpr std::uint64_t kCanary = 0x5a;

struct Head {
  std::uint32_t form = 0, count = 0;
  std::uint64_t num_bytes = 0, most_bytes = 0;
  double lowest_waiting = std::numeric_limits<double>::infinity();
};
static_assert(sizeof(Head) == kHead);

using Content = std::vector<std::uint8_t>;
using Values = std::vector<std::pair<std::uint64_t, Content>>;  // place, value

// What is sent to this rank, and what it sends.
class Others : public Communicator {
 public:
  Head heads[kRanks];
  Content contents[kRanks], sums[kRanks];
  std::uint64_t most_expected = 0;
  Content sent_words;
  Content sent_boxes[kRanks];

  int rank() const override { return kRank; }
  int size() const override { return kRanks; }
  void all_to_all(const std::uint8_t* send, std::uint8_t* receive, std::uint64_t num_bytes) override {
    sent_words.assign(send, send + kRanks * num_bytes);
    for (std::size_t r = 0; r < kRanks; ++r) {
      std::uint8_t* const to = receive + r * num_bytes;
      std::memcpy(to, send + r * num_bytes, num_bytes);  // of this rank itself
      if (r == kRank) continue;
      std::memset(to, 0, num_bytes);
      std::memcpy(to, &heads[r], kHead);
      if (!contents[r].empty()) std::memcpy(to + kHead, contents[r].data(), std::min(contents[r].size(), kWithin));
      if (!sums[r].empty()) std::memcpy(to + kAnnounced, sums[r].data(), sums[r].size());
    }
  }
  void begin_boxes(const std::vector<Box>& boxes, const std::vector<std::uint64_t>& num_expected) override {
    for (std::size_t r = 0; r < kRanks; ++r) {
      sent_boxes[r].assign(boxes[r].data, boxes[r].data + boxes[r].num_bytes);
      require(num_expected[r] <= most_expected, "a box is awaited that is too large for all ghosts");
      received_[r].assign(num_expected[r], 0);
      const std::size_t size = std::min(contents[r].size(), received_[r].size());
      if (size > 0) std::memcpy(received_[r].data(), contents[r].data(), size);
      places_[r] = received_[r].empty() ? nullptr : received_[r].data();
    }
  }
  const std::vector<const std::uint8_t*>& end_boxes() override { return places_; }
  void fail(const std::string& /*why*/) noexcept override {}

 private:
  Content received_[kRanks];
  std::vector<const std::uint8_t*> places_ = std::vector<const std::uint8_t*>(kRanks);
};

std::uint64_t bits_bytes(std::uint64_t places) { return (places + 63) / 64 * 8; }

std::uint64_t size_of(const Head& head, std::uint64_t num_places, std::uint64_t bytes) {
  const std::uint64_t values = (head.form / 4 % 2 == 1 ? 1 : head.count) * bytes;
  return head.form % 4 == 0   ? 4 * std::uint64_t(head.count) + values
         : head.form % 4 == 1 ? bits_bytes(num_places) + values
                              : head.count * bytes;
}

// By the words above Exchange: places and values, false where a box does not follow them.
bool read_plainly(const Head& head, Content content, std::uint64_t num_places, std::uint64_t bytes, Values& found) {
  const std::uint32_t form = head.form & ~4u;
  const bool is_same = form != head.form;
  if (form > 2 || head.count > num_places || head.num_bytes > head.most_bytes) return false;
  if (form == 2 && (is_same || head.count != num_places)) return false;
  if (head.num_bytes != size_of(head, num_places, bytes)) return false;
  content.resize(head.num_bytes);
  std::vector<std::uint64_t> places;
  std::uint64_t at = 0;
  if (form == 2) {
    for (std::uint64_t i = 0; i < num_places; ++i) places.push_back(i);
  } else if (form == 0) {
    for (std::uint32_t i = 0; i < head.count; ++i, at += 4) {
      places.push_back(content[at] | content[at + 1] << 8 | content[at + 2] << 16 |
                       std::uint64_t(content[at + 3]) << 24);
    }
  } else {
    at = bits_bytes(num_places);
    for (std::uint64_t i = 0; i < 8 * at; ++i) {
      if ((content[i / 8] >> i % 8 & 1) != 0) places.push_back(i);
    }
    if (places.size() > head.count) return false;
  }
  for (const std::uint64_t place : places) {
    if (place >= num_places) return false;
    found.emplace_back(place,
                       Content(content.begin() + std::ptrdiff_t(at), content.begin() + std::ptrdiff_t(at + bytes)));
    if (!is_same) at += bytes;
  }
  return true;
}

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  const Writable<T> made(values.size());
  std::copy(values.begin(), values.end(), made.data());
  return made.freeze();
}

Domain domain_of(VertexId first_ghosts, VertexId last_ghosts) {
  Domain domain;
  domain.rank = kRank;
  domain.size = kRanks;
  domain.num_own = kOwn;
  domain.num_ghosts = first_ghosts + last_ghosts;
  domain.num_vertices = kOwn + domain.num_ghosts;
  domain.ghost_first = {0, first_ghosts, first_ghosts, domain.num_ghosts};
  std::vector<VertexId> mirrors;  // all for the first rank, every seventh for the last
  for (VertexId v = 0; v < kOwn; ++v) mirrors.push_back(v);
  for (VertexId v = 0; v < kOwn; v += 7) mirrors.push_back(v);
  domain.mirror_first = {0, kOwn, kOwn, mirrors.size()};
  domain.mirrors = array_of(mirrors);
  return domain;
}

// Of one other rank, from the fuzzer's bytes: most lengths are right.
Head head_of(Bytes& from, std::uint64_t num_places, std::uint64_t bytes) {
  Head head;
  const auto how = from.take<std::uint8_t>();
  head.form = how % 8;
  head.count = head.form == 2 ? static_cast<std::uint32_t>(num_places) : from.take<std::uint8_t>();
  if ((how & 0x10) != 0) head.count = from.take<std::uint32_t>();
  head.num_bytes = (how & 0x20) != 0 ? from.take<std::uint64_t>() : size_of(head, num_places, bytes);
  head.most_bytes = (how & 0x40) != 0 ? from.take<std::uint64_t>() : head.num_bytes;
  if ((how & 0x80) != 0) head.form = from.take<std::uint32_t>();
  return head;
}

}  // namespace

void boxes(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  constexpr std::int32_t kSizes[] = {4, 8, 16, 12, 1};
  const std::int32_t value_bytes = kSizes[data[0] % 5], num_sums = data[0] / 5 % 4;
  const auto bytes = static_cast<std::uint64_t>(value_bytes);
  Bytes from(data + kNumOptions, size - kNumOptions);
  const Domain domain = domain_of(data[1] % 100, data[2] % 100);
  Others others;
  others.most_expected = 100 * (bytes + 4) + 32;
  const auto num_ghosts = [&](std::size_t rank) -> std::uint64_t {
    return domain.ghost_first[rank + 1] - domain.ghost_first[rank];
  };
  std::uint64_t changed_bits[2] = {from.take<std::uint64_t>(), from.take<std::uint8_t>() % 64u};  // of own vertices
  for (const std::size_t rank : {0, 2}) others.heads[rank] = head_of(from, num_ghosts(rank), bytes);
  for (const std::size_t rank : {0, 2}) {
    others.sums[rank].resize(8 * std::size_t(num_sums));
    for (std::uint8_t& byte : others.sums[rank]) byte = from.take<std::uint8_t>();
  }
  const std::size_t share = std::min<std::size_t>(from.take<std::uint16_t>(), from.size());
  others.contents[0].assign(from.data(), from.data() + share);
  others.contents[2].assign(from.data() + share, from.data() + from.size());

  const std::uint64_t num_values = std::uint64_t(kOwn) + domain.num_ghosts;
  Content values(num_values * bytes + 16);
  for (std::size_t i = 0; i < values.size(); ++i) {  // the first half has one value
    values[i] = i < num_values * bytes ? std::uint8_t(i / bytes < kOwn / 2 ? 7 : i * 31 / 8) : std::uint8_t(kCanary);
  }
  const Content before = values;
  std::vector<VertexId> changed;
  for (VertexId v = 0; v < kOwn; ++v) {
    if ((changed_bits[v / 64] >> v % 64 & 1) != 0) changed.push_back(v);
  }
  const std::size_t num_changed = changed.size();
  changed.push_back(kNoVertex);  // so that none has a place too
  std::vector<std::uint64_t> own_sums(std::size_t(num_sums) + 1, 5);

  abi::Exchange what{};
  what.values = values.data();
  what.value_bytes = value_bytes;
  what.only_changed = 1;
  const unsigned how = data[0] / 20 % 3;  // a list, bits, all
  what.changed = how == 0 ? changed.data() : nullptr;
  what.changed_bits = how == 1 ? changed_bits : nullptr;
  what.num_changed = num_changed;
  what.sums = num_sums == 0 ? nullptr : own_sums.data();
  what.num_sums = num_sums;
  what.sum_type = abi::kUint64;
  what.lowest_waiting = 1;

  Workers workers(1);
  Exchange exchange(domain, others, "off", workers);
  const bool is_taken = exchange.table()->exchange(exchange.table()->self, &what) == 0;

  Values found[kRanks];
  bool is_good = true;
  for (const std::size_t rank : {0, 2}) {
    is_good = is_good && read_plainly(others.heads[rank], others.contents[rank], num_ghosts(rank), bytes, found[rank]);
  }
  std::string why = "an exchange";
  if (!is_taken) {
    try {
      std::rethrow_exception(exchange.failure());
    } catch (const Violation&) {
      throw;
    } catch (const Error& error) {
      why = error.what();
    }
  }
  require(is_taken == is_good, "the plain reader sees it otherwise than: " + why);
  const auto is_same_in = [&](std::uint64_t first, std::uint64_t last) {
    return std::equal(values.begin() + std::ptrdiff_t(first), values.begin() + std::ptrdiff_t(last),
                      before.begin() + std::ptrdiff_t(first));
  };
  require(is_same_in(0, kOwn * bytes) && is_same_in(num_values * bytes, values.size()), "values that are no ghosts");
  if (!is_taken) return;

  Content expected = before;
  std::vector<VertexId> arrived;
  for (const std::size_t rank : {0, 2}) {
    for (const auto& [place, value] : found[rank]) {
      const std::uint64_t ghost = kOwn + domain.ghost_first[rank] + place;
      std::uint8_t* const at = expected.data() + ghost * bytes;
      if (!std::equal(value.begin(), value.end(), at)) arrived.push_back(static_cast<VertexId>(ghost));
      std::copy(value.begin(), value.end(), at);
    }
  }
  require(values == expected, "ghosts have other values");
  require(std::equal(arrived.begin(), arrived.end(), what.arrived, what.arrived + what.num_arrived),
          "other ghosts have arrived");
  for (std::int32_t i = 0; i < num_sums; ++i) {
    std::uint64_t sum = 5;
    for (const std::size_t rank : {0, 2}) {
      std::uint64_t term;
      std::memcpy(&term, others.sums[rank].data() + 8 * i, 8);
      sum += term;
    }
    require(own_sums[std::size_t(i)] == sum, "a sum is another");
  }
  // What this rank sent.
  for (const std::size_t rank : {0, 2}) {
    const std::uint8_t* const words = others.sent_words.data() + rank * (kAnnounced + 8 * std::uint64_t(num_sums));
    Head head;
    std::memcpy(&head, words, kHead);
    const Content content =
        head.num_bytes > kWithin ? others.sent_boxes[rank] : Content(words + kHead, words + kHead + head.num_bytes);
    Values sent;
    const std::uint64_t first = domain.mirror_first[rank], num_mirrors = domain.mirror_first[rank + 1] - first;
    require(content.size() == head.num_bytes && read_plainly(head, content, num_mirrors, bytes, sent),
            "the plain reader refuses what is sent");
    std::map<std::uint64_t, Content> by_place(sent.begin(), sent.end());
    for (std::uint64_t i = 0; i < num_mirrors; ++i) {
      const VertexId v = domain.mirrors[first + i];
      const auto at = by_place.find(i);
      const bool is_changed = how == 2 || (changed_bits[v / 64] >> v % 64 & 1) != 0;
      require(at != by_place.end() || !is_changed, "what has changed is not sent");
      require(at == by_place.end() ||
                  std::equal(at->second.begin(), at->second.end(), before.begin() + std::ptrdiff_t(v * bytes)),
              "another value is sent");
    }
  }
}

}  // namespace fuzz
}  // namespace gaspipe
