// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <type_traits>

#include "compact_ids.h"
#include "gaspipe/intake.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kIdGrain = 1 << 16;

// The ends of edges as numbers from 0 on, in the order of the ids: less the smallest id.
class Ends {
 public:
  Ends(const AnyIds& sources, const AnyIds& targets, Workers& workers)
      : ends_{&sources, &targets}, workers_(workers), smallest_(std::numeric_limits<std::uint64_t>::max()) {
    for (const AnyIds* end : ends_) {
      if (std::holds_alternative<Array<std::uint64_t>>(*end)) bias_ = 0;
    }
    std::mutex guard;
    each_part([&](const auto* ids, std::uint64_t size) {
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
      bool any_negative = false;
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t id = static_cast<std::uint64_t>(ids[i]) + bias_;
        if constexpr (std::is_signed_v<std::decay_t<decltype(*ids)>>) any_negative |= ids[i] < 0;
        least = std::min(least, id);
        most = std::max(most, id);
      }
      const std::lock_guard<std::mutex> lock(guard);
      has_negative_ |= any_negative;
      smallest_ = std::min(smallest_, least);
      largest_ = std::max(largest_, most);
    });
    if (has_negative_ && bias_ == 0) {
      throw InputError("one end of the edges has negative ids, which do not go with uint64 at the other end");
    }
  }

  std::uint64_t num_edges() const { return size(*ends_[0]); }
  std::uint64_t largest() const { return largest_ - smallest_; }
  std::uint64_t id_of(std::uint64_t number) const { return number + smallest_ - bias_; }

  // body(part, i) for pieces on all workers, of which part.each(f) calls f(number) for every one.
  template <class Body>
  void each(const Body& body) const {
    std::atomic<std::uint64_t> count{0};
    each_part([&](const auto* ids, std::uint64_t size) {
      const Part<std::decay_t<decltype(*ids)>> part{ids, size, bias_ - smallest_};
      body(part, count.fetch_add(1, std::memory_order_relaxed));
    });
  }

  // Every id as places(number).
  template <class Places>
  Array<VertexId> numbered(int end, const Places& places) const {
    return std::visit(
        [&](const auto& ids) {
          const Writable<VertexId> vertices(ids.size());
          workers_.each(ids.size(), kIdGrain, [&](std::uint64_t first, std::uint64_t last, int) {
            for (std::uint64_t i = first; i < last; ++i) {
              vertices[i] = places(static_cast<std::uint64_t>(ids[i]) + (bias_ - smallest_));
            }
          });
          return vertices.freeze();
        },
        *ends_[end]);
  }

 private:
  template <class Id>
  struct Part {
    const Id* ids;
    std::uint64_t size, offset;

    template <class F>
    void each(const F& f) const {
      for (std::uint64_t i = 0; i < size; ++i) f(static_cast<std::uint64_t>(ids[i]) + offset);
    }
  };

  static std::uint64_t size(const AnyIds& ids) {
    return std::visit([](const auto& array) -> std::uint64_t { return array.size(); }, ids);
  }
  template <class Body>
  void each_part(const Body& body) const {
    for (const AnyIds* end : ends_) {
      std::visit(
          [&](const auto& ids) {
            workers_.each(ids.size(), kIdGrain, [&](std::uint64_t first, std::uint64_t last, int) {
              body(ids.data() + first, last - first);
            });
          },
          *end);
    }
  }

  const AnyIds* ends_[2];
  Workers& workers_;
  std::uint64_t bias_ = std::uint64_t(1) << 63;  // which makes signed numbers ascend as unsigned ones
  std::uint64_t smallest_, largest_ = 0;         // with it
  bool has_negative_ = false;
};

template <class Places>
NumberedEnds numbered(const Ends& ends, const Places& places, const Array<std::uint64_t>& numbers, Workers& workers) {
  if (numbers.size() > kMostVertices) {
    throw CapacityError(message("found ", numbers.size(), " different ids; at most ", kMostVertices, " fit"));
  }
  const Writable<std::uint64_t> labels(numbers.size());
  workers.each(numbers.size(), kIdGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) labels[i] = ends.id_of(numbers[i]);
  });
  return {ends.numbered(0, places), ends.numbered(1, places), labels.freeze()};
}

}  // namespace

NumberedEnds number_ids(const AnyIds& sources, const AnyIds& targets, Workers& workers) {
  const Ends ends(sources, targets, workers);
  if (detail::IdBits::suit(ends.largest(), ends.num_edges())) {
    const detail::IdBits places(ends, ends.largest());
    return numbered(ends, places, places.ids<std::uint64_t>(), workers);
  }
  detail::IdTables places(ends);
  const auto numbers = places.place<std::uint64_t>(workers);
  return numbered(ends, places, numbers, workers);
}

}  // namespace gaspipe
