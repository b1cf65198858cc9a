// SPDX-License-Identifier: Apache-2.0
// Runs of a card's kernels, started and waited for.
#pragma once

#include <cstring>
#include <string>

#include "cpp/src/backend/card/parts.h"
#include "cpp/src/clock.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// The first bytes of a buffer, on the card too.
inline void write(CardBuffer& buffer, const void* data, std::uint64_t num_bytes) {
  if (num_bytes == 0) return;
  std::memcpy(buffer.data(), data, num_bytes);
  buffer.to_card(0, num_bytes);
}

// Of what is in an xclbin. What is unknown of the board is assumed.
Haste haste_of(const CardDesign& design);

class Launches {
 public:
  Launches(LoadedCard& card, Workers& workers) : parts_(card.parts()), workers_(workers) {}

  // A super-step; seconds are counted from here on.
  void begin() { begun_ = Clock::now(); }
  double seconds() const { return seconds_since(begun_); }
  void start(Launch& launch);
  // A super-step's argument, whose words are arguments from `first` on; those that have changed are told.
  static void set_arg(Launch& launch, int first, const void* arg);
  // DeviceError where it fails, or takes far too long. One that was not started is over.
  void wait(Launch& launch, bool may_stop);
  // Waits for all that is under way.
  void finish(CardGraph& graph);
  // Likewise, without telling of a failure; after one not for ever.
  void settle(CardGraph& graph, bool failed) noexcept;

 private:
  std::string name_of(const Launch& launch) const;

  LoadedCard::Parts& parts_;
  Workers& workers_;
  Clock::time_point begun_;
};

}  // namespace gaspipe
