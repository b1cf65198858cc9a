// SPDX-License-Identifier: Apache-2.0
// Transition probabilities in fixed point: the sums up to each edge of a row are rounded to fractions of 2^31, and an
// edge gets the difference of two of them, so that no rounding of a row's is left over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "compensated_sum.h"
#include "hls/fixed.h"

namespace gaspipe {

// Of the edges of a row, one after the other.
class FixedShares {
 public:
  // `sum` is that of the row's weights, all of which `is_last` completes.
  std::int64_t next(double weight, double sum, bool is_last) {
    so_far_.add(weight);
    const double share = is_last ? 1 : std::min(so_far_.value() / sum, 1.0);
    const auto given_now = static_cast<std::int64_t>(std::ldexp(share, kFractionBits) + 0.5);
    const std::int64_t found = std::max(given_now - given_, std::int64_t(0));
    given_ += found;
    return found;
  }

 private:
  CompensatedSum so_far_;
  std::int64_t given_ = 0;
};

}  // namespace gaspipe
