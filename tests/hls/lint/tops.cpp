// SPDX-License-Identifier: Apache-2.0
// Instances of kernels' regions whose tasks no rendered top has, for compilers and tests/hls/lint to read as Vitis
// would.
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/sssp.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/local_store_bfs.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/thundergp/kernel.h"
#include "hls/thundergp/memory.h"

namespace gaspipe {

template <class Number>
using Bfs = algorithm::bfs::Hooks<Number>;
template <class Number>
using Sssp = algorithm::sssp::Hooks<Number>;

void thundergp_bfs(const Word<VertexId>* sources, const Word<VertexId>* destinations,
                   const Word<std::uint32_t>* weights, const Word<std::uint32_t>* properties,
                   Word<std::uint32_t>* gathered, std::uint32_t num_words, VertexId first, VertexId last,
                   std::uint32_t num_lines, std::uint32_t log_block_lines) {
  thundergp::gather_scatter<Bfs<std::uint32_t>, Config<8, 16, 1 << 19>, false>(
      sources, destinations, weights, properties, gathered, num_words, first, last, num_lines, log_block_lines);
}
void thundergp_sssp(const Word<VertexId>* sources, const Word<VertexId>* destinations,
                    const Word<std::uint64_t>* weights, const Word<std::uint64_t>* properties,
                    Word<std::uint64_t>* gathered, std::uint32_t num_words, VertexId first, VertexId last,
                    std::uint32_t num_lines, std::uint32_t log_block_lines) {
  thundergp::gather_scatter<Sssp<std::uint64_t>, Config<8, 16, 1 << 20>, true>(
      sources, destinations, weights, properties, gathered, num_words, first, last, num_lines, log_block_lines);
}
void packed_bfs(const Word<std::uint32_t>* edges, const Word<std::uint32_t>* weights,
                const Word<std::uint32_t>* properties, const Word<std::uint32_t>* sub_partitions,
                Word<std::uint32_t>* gathered, std::uint32_t num_sub_partitions, std::uint32_t num_cleared) {
  packed_gather_scatter<Bfs<std::uint32_t>, Config<16, 16, 1 << 19>, false>(edges, weights, properties, sub_partitions,
                                                                            gathered, num_sub_partitions, num_cleared);
}
void packed_sssp(const Word<std::uint32_t>* edges, const Word<std::uint64_t>* weights,
                 const Word<std::uint64_t>* properties, const Word<std::uint32_t>* sub_partitions,
                 Word<std::uint64_t>* gathered, std::uint32_t num_sub_partitions, std::uint32_t num_cleared) {
  packed_gather_scatter<Sssp<std::uint64_t>, Config<8, 8, 1 << 16>, true>(edges, weights, properties, sub_partitions,
                                                                          gathered, num_sub_partitions, num_cleared);
}
void thundergp_apply(const Word<std::uint32_t>* gathered_0, const Word<std::uint32_t>* gathered_1,
                     const Word<std::uint32_t>* properties, const Word<std::uint32_t>* aux,
                     Word<std::uint32_t>* updated_0, Word<std::uint32_t>* updated_1, Word<std::uint64_t>* sums,
                     VertexId first, VertexId last, const std::uint32_t* arg) {
  const Word<std::uint32_t>* const gathered[] = {gathered_0, gathered_1};
  const Word<std::uint32_t>* const inputs[] = {aux};
  Word<std::uint32_t>* const updated[] = {updated_0, updated_1};
  apply<Bfs<std::uint32_t>, thundergp::BufferedMemory, 2>(2, gathered, properties, inputs, updated, sums, first, last,
                                                          arg);
}
void local_store_bfs_of_two(const Word<std::uint64_t>* queue_0, const Word<std::uint64_t>* queue_1,
                            const Word<std::uint64_t>* lists_0, const Word<std::uint64_t>* lists_1,
                            Word<std::uint64_t>* next_queue_0, Word<std::uint64_t>* next_queue_1,
                            std::uint32_t num_state_words, std::uint32_t turn) {
  const Word<std::uint64_t>* const queue[] = {queue_0, queue_1};
  const Word<std::uint64_t>* const lists[] = {lists_0, lists_1};
  Word<std::uint64_t>* const next_queue[] = {next_queue_0, next_queue_1};
  local_store_bfs<Config<8, 8, 1 << 21>, 2>(queue, lists, lists, next_queue, num_state_words, turn);
}

}  // namespace gaspipe
