// SPDX-License-Identifier: Apache-2.0
// What a domain gives the others at the end of a super-step, in boxes: the values of its own vertices that are ghosts
// there. A program that sends all values in every super-step has boxes of known sizes, with its sums behind the values,
// and needs one exchange; or two, the first of which travels while the program computes the rest. Others send what has
// changed, in the form that takes least: (place, value) pairs, a bit for each place and the values, or all values. One
// value stands for all where they are the same, as in a search.
// Boxes that are small travel with the words that announce them.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "cpp/src/clock.h"
#include "cpp/src/domain/unfilled.h"
#include "gaspipe/abi.h"
#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/domain_stats.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class Exchange {
 public:
  static constexpr std::uint64_t kWorthOverlap = std::uint64_t(1) << 16;  // values of a rank, to all others

  // All domains construct theirs together; what is given outlives this. `overlap` is "on", "off" or "auto".
  Exchange(const Domain& domain, Communicator& communicator, const std::string& overlap, Workers& workers);

  const abi::Domain* table() const { return &table_; }
  // What ended the run, if it was the exchange.
  const std::exception_ptr& failure() const { return failure_; }
  // Of the first exchanges, the very first of which is that before the first super-step: a run may have millions.
  static constexpr std::size_t kKept = (1 << 16) + 1;
  const std::vector<ExchangeStats>& stats() const { return stats_; }
  std::int32_t value_bytes() const { return value_bytes_; }  // of the last exchange

  // Values by own vertex become values by vertex, ghosts included. All domains call this together.
  void fill_ghosts(void* values, std::int32_t value_bytes);
  // Of all domains together: whether any has.
  bool any(bool has);

 private:
  using Bytes = detail::Unfilled<std::uint8_t>;

  void run(abi::Exchange& what);
  void send_all(abi::Exchange& what);
  void send_changed(abi::Exchange& what);
  void list_changed(const abi::Exchange& what);
  void list_few();
  void list_many(const std::uint64_t* changed_bits);
  bool have_same_value(const abi::Exchange& what, const std::uint64_t* changed_bits) const;
  void write_box(std::size_t rank, const abi::Exchange& what, Bytes& box);
  // Both: Error for what cannot be of this domain's ghosts.
  void check_box(std::size_t rank, std::uint32_t form, std::uint32_t count, std::uint64_t num_bytes,
                 std::uint64_t most_bytes, std::int32_t value_bytes) const;
  void read_box(std::size_t rank, std::uint32_t form, std::uint32_t count, const std::uint8_t* box,
                const abi::Exchange& what);
  void agree_on_overlap(const std::string& overlap);
  void begin_early(const void* values, std::int32_t value_bytes);
  void end_early(const abi::Exchange& what);
  // Values for a rank, from the first'th on.
  void pack(std::size_t rank, std::uint64_t first, const void* values, std::int32_t value_bytes, std::uint8_t* to,
            std::uint64_t count);
  // The same of ghosts, as they came.
  void unpack(std::size_t rank, std::uint64_t first, const std::uint8_t* from, std::uint64_t count,
              const abi::Exchange& what);
  std::uint64_t num_mirrors(std::size_t rank) const {
    return domain_.mirror_first[rank + 1] - domain_.mirror_first[rank];
  }
  std::uint64_t num_ghosts(std::size_t rank) const { return domain_.ghost_first[rank + 1] - domain_.ghost_first[rank]; }

  const Domain& domain_;
  Communicator& communicator_;
  Workers& workers_;
  const std::size_t size_, rank_;
  abi::Domain table_{};
  std::vector<Bytes> boxes_;  // by rank
  // By rank: how many of the mirrors, and of the ghosts, travel early.
  std::vector<std::uint64_t> early_mirrors_, early_ghosts_;
  bool overlaps_ = false, has_begun_ = false;
  double begin_seconds_ = 0;
  // What has changed: the mirrors' places of few, by rank, or a bit for every mirror.
  struct Place {
    std::uint32_t place;
    VertexId vertex;
  };
  std::vector<std::vector<Place>> places_;
  std::vector<detail::Unfilled<std::uint64_t>> marks_;
  std::vector<std::uint64_t> num_marked_;
  std::vector<VertexId> few_;
  bool are_many_ = false;
  bool are_same_ = false;  // all have one value
  std::vector<std::uint64_t> changed_bits_;
  detail::Unfilled<VertexId> arrived_;  // the first num_arrived_
  std::uint64_t num_arrived_ = 0;
  Bytes words_, other_words_;
  std::vector<ExchangeStats> stats_;
  ExchangeStats now_;  // of the exchange under way
  std::int32_t value_bytes_ = 0;
  Clock::time_point last_ = Clock::now();
  std::exception_ptr failure_;
};

}  // namespace gaspipe
