// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/host_kernels.h"

#include <algorithm>
#include <cstring>

#include "cpp/src/backend/kernel_table.h"
#include "hls/edge_codec.h"
#include "hls/kernel/units.h"
#include "hls/module/activity.h"

namespace gaspipe {
namespace {

void run_fast(const abi::Kernel& kernel, const std::vector<abi::Buffer>& buffers,
              const std::vector<std::uint32_t>& scalars) {
  const abi::KernelCall call = {buffers.data(), scalars.data(), 1, 0};
  abi::Emulation surroundings{};
  surroundings.execution = abi::kFast;
  surroundings.stopped = [](void*) -> std::int32_t { return 0; };
  kernel.run(&call, &surroundings);
}

template <class Word>
abi::Buffer all_of(const std::vector<Word>& words) {
  return {const_cast<Word*>(words.data()), words.size() * sizeof(Word)};
}

}  // namespace

void HostKernels::gather(VertexId num_vertices, const Lines& sources, Lines& gathered) const {
  constexpr VertexId kIds = Word<VertexId>::kSize;
  const VertexId num_words = (num_vertices + kIds - 1) / kIds;
  std::vector<Word<VertexId>> from(num_words, Word<VertexId>{}), to(num_words);
  for (VertexId v = 0; v < num_words * kIds; ++v) {
    const bool is_edge = v < num_vertices;
    from[v / kIds].lane[v % kIds] = is_edge ? v : 0;
    to[v / kIds].lane[v % kIds] = is_edge ? v : PlainEdgeCodec::kPadding;
  }
  run_fast(find_kernel(instance_, "gather_scatter"), {all_of(from), all_of(to), all_of(sources), all_of(gathered)},
           {num_words, 0, num_vertices});
}

std::size_t HostKernels::num_sums() const { return static_cast<std::size_t>(std::max(1, instance_.num_extras)); }

Lines HostKernels::apply(VertexId first, VertexId last, const Vertices& vertices, const void* arg) const {
  Lines counts((num_sums() + 7) / 8 + sizeof(ActivityWord) / sizeof(Lines::value_type));
  std::vector<std::uint32_t> scalars{first, last};
  const auto* words = static_cast<const std::uint32_t*>(arg);
  scalars.insert(scalars.end(), words, words + kArgWords);
  std::vector<abi::Buffer> buffers{vertices.gathered, vertices.properties};
  buffers.insert(buffers.end(), vertices.aux.begin(), vertices.aux.end());
  buffers.push_back(vertices.updated);
  buffers.push_back(all_of(counts));
  run_fast(find_kernel(instance_, "apply"), buffers, scalars);
  return counts;
}

void HostKernels::add_counts(const Lines& counts, void* sums) const {
  for (std::size_t k = 0; k < num_sums(); ++k) {
    const std::uint64_t bits = counts[k / 8].lane[k % 8];
    if (instance_.sum_type == abi::kFloat64) {
      double term;
      std::memcpy(&term, &bits, 8);
      static_cast<double*>(sums)[k] += term;
    } else {
      static_cast<std::uint64_t*>(sums)[k] += bits;
    }
  }
}

}  // namespace gaspipe
