// SPDX-License-Identifier: Apache-2.0
// Weights that an algorithm cannot take.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "gaspipe/csr.h"
#include "gaspipe/error.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace algorithm {

// InputError names the first edge with is_bad(its weight as a double); `needs` completes the message.
template <class IsBad>
void refuse_weights(const Csr& csr, const IsBad& is_bad, const std::string& needs, Workers& workers) {
  std::visit(
      [&](const auto& weights) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          const EdgeCount bad = find_first(weights.size(), workers,
                                           [&](std::uint64_t e) { return is_bad(static_cast<double>(weights[e])); });
          if (bad == weights.size()) return;
          VertexId source = 0;
          while (csr.offsets[std::size_t(source) + 1] <= bad) ++source;
          throw InputError(
              message("edge ", source, " -> ", csr.targets[bad], " has weight ", weights[bad], "; ", needs));
        }
      },
      csr.weights);
}

// Weights must be finite, and not negative unless that is allowed.
inline void check_weights(const Csr& csr, bool may_be_negative, const std::string& needed_by, Workers& workers) {
  refuse_weights(
      csr, [&](double weight) { return !std::isfinite(weight) || (weight < 0 && !may_be_negative); },
      needed_by + " needs finite weights" + (may_be_negative ? "" : " >= 0") + ", or weights=False", workers);
}

}  // namespace algorithm
}  // namespace gaspipe
