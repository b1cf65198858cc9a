// SPDX-License-Identifier: Apache-2.0
// What the tests of the local stores share: buffers, graphs with their split lists, and plain answers.
#pragma once

#include <cstdint>
#include <vector>

#include "cpp/src/local_store/arena.h"
#include "gaspipe/local_store/split_lists.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

// A buffer with memory of its own, and some behind it that blocks may be read from.
template <class T>
struct OwnBuffer {
  explicit OwnBuffer(std::size_t size, T value = T()) : memory(size + 16, value), size(size) {}
  operator local_store::Buffer<T>() { return {memory.data(), size}; }

  std::vector<T> memory;
  std::size_t size;
};

inline local_store::SplitLists split_lists(const Csr& csr, int num_workers, int code_bits = 0) {
  Workers workers(1);
  return local_store::SplitLists(csr, num_workers, workers, code_bits);
}

inline std::vector<std::int32_t> plain_levels(const Csr& csr, VertexId root) {
  std::vector<std::int32_t> depth(csr.num_rows, -1);
  std::vector<VertexId> queue = {root};
  depth[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (EdgeCount e = csr.offsets[queue[i]]; e < csr.offsets[queue[i] + 1]; ++e) {
      const VertexId v = csr.targets[e];
      if (depth[v] >= 0) continue;
      depth[v] = depth[queue[i]] + 1;
      queue.push_back(v);
    }
  }
  return depth;
}

}  // namespace testing
}  // namespace gaspipe
