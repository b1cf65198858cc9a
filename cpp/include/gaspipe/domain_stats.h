// SPDX-License-Identifier: Apache-2.0
// What a run over several domains did, domain by domain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaspipe {

// Of one exchange of one rank, and of the super-step before it.
struct ExchangeStats {
  std::uint64_t bytes_sent = 0, bytes_received = 0;  // in boxes: values, and what tells whose they are
  std::uint64_t values_sent = 0, values_received = 0;
  double computing_seconds = 0, exchanging_seconds = 0, waiting_seconds = 0;  // waiting: for other ranks
};

struct DomainStats {
  int rank = 0;
  std::string device;
  std::uint64_t num_own = 0, num_ghosts = 0, num_edges = 0;
  int value_bytes = 0;                   // of a vertex's value in a box
  std::vector<std::uint64_t> edges;      // by super-step
  std::vector<ExchangeStats> exchanges;  // before the first super-step; then one for every one
};

}  // namespace gaspipe
