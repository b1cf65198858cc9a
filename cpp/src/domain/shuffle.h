// SPDX-License-Identifier: Apache-2.0
// Every edge to the rank that owns its target. Edges travel in rounds of bounded boxes; their number is known first, so
// that they arrive in their final place: by the rank that sends them, and of one rank in the order that it has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpp/src/domain/reduce.h"
#include "gaspipe/array.h"
#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace detail {

// Edges with weights of `weight_bytes` bytes, 0, 4 or 8.
struct Arrived {
  Writable<VertexId> sources, targets;
  Writable<std::uint8_t> weights;
};

class Shuffle {
 public:
  Shuffle(Communicator& communicator, const Ownership& ownership, std::uint32_t weight_bytes, std::uint64_t most_bytes)
      : communicator_(communicator),
        ownership_(ownership),
        weight_bytes_(weight_bytes),
        record_(8 + weight_bytes),
        size_(static_cast<std::size_t>(communicator.size())),
        rank_(static_cast<std::size_t>(communicator.rank())),
        most_in_box_(std::max<std::uint64_t>(most_bytes / (2 * size_) / record_, 64) * record_) {}

  // `supply.walk(first, sink)` calls sink(source, target, weight) for the edges from number `first` on until one
  // returns false, and returns the number of that one, or of edges if there is none. `supply.release(end)` is told that
  // edges before `end` are not needed again.
  template <class Supply>
  Arrived operator()(Supply& supply, Workers& workers) {
    count(supply, workers);
    std::uint64_t at = 0;
    const std::uint64_t end = num_edges_;
    do {
      workers.step_at(kSending, at, end);
      workers.check();
      at = fill(supply, at, boxes_);
      supply.release(at);
    } while (send(boxes_, at < end));
    workers.step_at(kSending, at, end);
    return std::move(arrived_);
  }

 private:
  static constexpr const char* kSending = "sending";
  using Bytes = std::vector<std::uint8_t>;
  struct Head {
    std::uint64_t num_bytes, has_more;
  };

  template <class Supply>
  void count(Supply& supply, Workers& workers) {
    std::vector<std::uint64_t> counts(size_), coming(size_);
    num_edges_ = 0;
    supply.walk(0, [&](VertexId, VertexId target, const std::uint8_t*) {
      ++counts[static_cast<std::size_t>(ownership_.owner(target))];
      if ((++num_edges_ & 0xfffff) == 0) workers.check();
      return true;
    });
    communicator_.all_to_all(reinterpret_cast<const std::uint8_t*>(counts.data()),
                             reinterpret_cast<std::uint8_t*>(coming.data()), 8);
    std::uint64_t sum = 0;
    next_.resize(size_);
    for (std::size_t r = 0; r < size_; ++r) {
      next_[r] = sum;
      sum += coming[r];
    }
    arrived_ = {Writable<VertexId>(sum), Writable<VertexId>(sum), Writable<std::uint8_t>(sum * weight_bytes_)};
  }

  // Until a box is full.
  template <class Supply>
  std::uint64_t fill(Supply& supply, std::uint64_t at, std::vector<Bytes>& boxes) {
    boxes.resize(size_);
    for (Bytes& box : boxes) box.clear();
    return supply.walk(at, [&](VertexId source, VertexId target, const std::uint8_t* weight) {
      const auto to = static_cast<std::size_t>(ownership_.owner(target));
      if (to == rank_) {
        put(next_[to]++, source, target, weight);
        return true;
      }
      Bytes& box = boxes[to];
      const std::size_t place = box.size();
      if (place + record_ > most_in_box_) return false;
      box.resize(place + record_);
      std::memcpy(box.data() + place, &source, 4);
      std::memcpy(box.data() + place + 4, &target, 4);
      if (weight_bytes_ > 0) std::memcpy(box.data() + place + 8, weight, weight_bytes_);
      return true;
    });
  }

  void put(std::uint64_t e, VertexId source, VertexId target, const std::uint8_t* weight) {
    arrived_.sources[e] = source;
    arrived_.targets[e] = target;
    if (weight_bytes_ > 0) std::memcpy(arrived_.weights.data() + e * weight_bytes_, weight, weight_bytes_);
  }

  // False: this was the last round of all.
  bool send(const std::vector<Bytes>& boxes, bool has_more) {
    std::vector<Head> heads(size_), others(size_);
    for (std::size_t r = 0; r < size_; ++r) heads[r] = {boxes[r].size(), has_more};
    communicator_.all_to_all(reinterpret_cast<const std::uint8_t*>(heads.data()),
                             reinterpret_cast<std::uint8_t*>(others.data()), sizeof(Head));
    std::vector<Box> sent(size_);
    std::vector<std::uint64_t> expected(size_);
    bool goes_on = false;
    for (std::size_t r = 0; r < size_; ++r) {
      sent[r] = {boxes[r].data(), boxes[r].size()};
      expected[r] = others[r].num_bytes;
      goes_on |= others[r].has_more != 0;
    }
    communicator_.begin_boxes(sent, expected);
    const std::vector<const std::uint8_t*>& received = communicator_.end_boxes();
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      for (std::uint64_t at = 0; at < expected[r]; at += record_) {
        VertexId ends[2];
        std::memcpy(ends, received[r] + at, 8);
        put(next_[r]++, ends[0], ends[1], received[r] + at + 8);
      }
    }
    return goes_on;
  }

  Communicator& communicator_;
  const Ownership& ownership_;
  const std::uint32_t weight_bytes_;
  const std::uint64_t record_;
  const std::size_t size_, rank_;
  const std::uint64_t most_in_box_;
  std::uint64_t num_edges_ = 0;
  std::vector<std::uint64_t> next_;  // place of the next edge from each rank
  std::vector<Bytes> boxes_;
  Arrived arrived_;
};

}  // namespace detail
}  // namespace gaspipe
