// SPDX-License-Identifier: Apache-2.0
// What the example programs have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gaspipe/frontier.h"

namespace gaspipe {
namespace example {

struct ProgramOptions {
  FrontierOptions engine;
  std::uint64_t most_rounds = 0;                           // 0: as many as it takes
  std::function<void(const VertexSubset& front)> observe;  // called with the frontier at the start of every round
};

// Counts rounds and shows their frontiers.
class Rounds {
 public:
  explicit Rounds(const ProgramOptions& options) : options_(options) {}
  // False after the last round.
  bool next(const VertexSubset& front) {
    if (front.empty() || (options_.most_rounds > 0 && number_ == options_.most_rounds)) return false;
    ++number_;
    if (options_.observe) options_.observe(front);
    return true;
  }
  std::uint64_t number() const { return number_; }

 private:
  const ProgramOptions& options_;
  std::uint64_t number_ = 0;
};

template <class Value>
struct Answer {
  std::vector<Value> values;  // by vertex
  std::uint64_t num_rounds;
};

}  // namespace example
}  // namespace gaspipe
