// SPDX-License-Identifier: Apache-2.0
// What tests of the engine's parts need without a run: threads, and a CSR as the engine sees it.
#pragma once

#include <set>
#include <vector>

#include "gaspipe/engine/workers.h"
#include "gaspipe/workers.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

class Threads {
 public:
  explicit Threads(int number) : threads_(number), host_(host_of(*this)), workers_(host_) {}
  Threads(const Threads&) = delete;
  engine::Workers& workers() { return workers_; }

 private:
  static abi::Host host_of(Threads& threads) {
    abi::Host host{};
    host.self = &threads;
    host.num_threads = threads.threads_.size();
    host.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                           void (*body)(void* context, std::uint64_t first, std::uint64_t last, std::int32_t worker),
                           void* context) -> std::int32_t {
      static_cast<Threads*>(self)->threads_.each(
          n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { body(context, first, last, worker); });
      return 0;
    };
    host.poll = [](void*, std::int32_t) -> std::int32_t { return 0; };
    return host;
  }

  Workers threads_;
  const abi::Host host_;
  engine::Workers workers_;
};

// Shares the arrays of `csr`, which has int32 weights or none.
inline abi::Csr abi_csr(const Csr& csr) {
  const auto* weights = std::get_if<Array<std::int32_t>>(&csr.weights);
  return {csr.num_rows,       csr.num_edges(),
          csr.offsets.data(), csr.offsets.is_wide() ? 8 : 4,
          csr.targets.data(), weights == nullptr ? nullptr : weights->data()};
}
inline Csr widened(Csr csr) {
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < csr.offsets.size(); ++i) offsets.push_back(csr.offsets[i]);
  csr.offsets = Offsets(array(offsets));
  return csr;
}
inline Csr weighted(Csr csr, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<std::int32_t>(random() % 1000));
  csr.weights = array(weights);
  return csr;
}

// Every vertex with probability 1 / one_in.
inline std::set<VertexId> random_vertices(VertexId num_vertices, unsigned one_in, unsigned seed) {
  std::mt19937 random(seed);
  std::set<VertexId> chosen;
  for (VertexId v = 0; v < num_vertices; ++v) {
    if (random() % one_in == 0) chosen.insert(v);
  }
  return chosen;
}

}  // namespace testing
}  // namespace gaspipe
