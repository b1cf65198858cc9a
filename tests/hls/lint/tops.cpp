// SPDX-License-Identifier: Apache-2.0
// Instances of kernels' regions whose tasks no rendered top has, for compilers and tests/hls/lint to read as Vitis
// would.
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/delta_stepping.h"
#include "hls/kernel/graphops_bfs.h"
#include "hls/kernel/graphops_conductance.h"
#include "hls/kernel/graphops_pagerank.h"
#include "hls/kernel/graphops_replicate.h"
#include "hls/kernel/graphops_spmv.h"
#include "hls/kernel/graphops_sssp.h"
#include "hls/kernel/graphops_vertex_cover.h"
#include "hls/kernel/local_store_bfs.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/pull_bfs.h"
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
                            std::uint32_t num_state_words, std::uint32_t level) {
  const Word<std::uint64_t>* const queue[] = {queue_0, queue_1};
  const Word<std::uint64_t>* const lists[] = {lists_0, lists_1};
  Word<std::uint64_t>* const next_queue[] = {next_queue_0, next_queue_1};
  local_store_bfs<Config<8, 8, 1 << 21>, 2>(queue, lists, lists, next_queue, num_state_words, level);
}
void pull_bfs_of_two(const Word<std::uint64_t>* queue_0, const Word<std::uint64_t>* queue_1,
                     const Word<VertexId>* rows_0, const Word<VertexId>* rows_1, Word<std::uint64_t>* next_queue_0,
                     Word<std::uint64_t>* next_queue_1, std::uint32_t num_state_words, std::uint32_t level,
                     std::uint32_t num_groups) {
  const Word<std::uint64_t>* const queue[] = {queue_0, queue_1};
  const Word<VertexId>* const rows[] = {rows_0, rows_1};
  Word<std::uint64_t>* const next_queue[] = {next_queue_0, next_queue_1};
  pull_bfs<Config<8, 8, 1 << 21>, 2>(queue, rows, rows, next_queue, num_state_words, level, num_groups);
}
void delta_stepping_of_two(const Word<std::uint64_t>* distances_0, const Word<std::uint64_t>* distances_1,
                           const Word<std::uint64_t>* heads_0, const Word<std::uint64_t>* heads_1,
                           const Word<std::uint64_t>* edges_0, const Word<std::uint64_t>* edges_1,
                           Word<std::uint64_t>* next_distances_0, Word<std::uint64_t>* next_distances_1,
                           std::uint32_t num_words, std::uint32_t limit) {
  const Word<std::uint64_t>* const distances[] = {distances_0, distances_1};
  const Word<std::uint64_t>* const heads[] = {heads_0, heads_1};
  const Word<std::uint64_t>* const edges[] = {edges_0, edges_1};
  Word<std::uint64_t>* const next_distances[] = {next_distances_0, next_distances_1};
  delta_stepping<Config<8, 8, 1 << 20>, 2, std::uint32_t>(distances, heads, edges, next_distances, num_words, limit);
  delta_stepping<Config<8, 8, 1 << 20>, 2, float>(distances, heads, edges, next_distances, num_words, limit);
}
void bfs_of_blocks(const Word<std::uint64_t>* set, const Word<std::uint64_t>* offsets, const Word<VertexId>* targets,
                   const Word<std::uint32_t>* replicas, const Word<std::uint32_t>* properties,
                   Word<std::uint32_t>* updated, Word<std::uint64_t>* next_set, Word<std::uint64_t>* ends,
                   std::uint32_t num_groups, VertexId root, std::uint32_t level, VertexId num_vertices) {
  graphops_bfs<Bfs<std::uint32_t>>(set, offsets, targets, replicas, properties, updated, next_set, ends, num_groups,
                                   root, level, num_vertices);
}
void sssp_of_blocks(const Word<std::uint64_t>* set, const Word<std::uint64_t>* offsets, const Word<VertexId>* targets,
                    const Word<std::uint64_t>* replicas, const Word<std::uint64_t>* weights,
                    const Word<std::uint64_t>* owners, const Word<std::uint64_t>* properties,
                    Word<std::uint64_t>* updated, Word<std::uint64_t>* next_set, Word<std::uint64_t>* ends,
                    std::uint32_t num_groups, VertexId root) {
  graphops_sssp<Sssp<std::uint64_t>>(set, offsets, targets, replicas, weights, owners, properties, updated, next_set,
                                     ends, num_groups, root);
}
void pagerank_of_blocks(const Word<std::uint64_t>* offsets, const Word<std::uint32_t>* replicas,
                        const Word<std::uint32_t>* gathered, Word<std::uint32_t>* updated, Word<std::uint64_t>* ends,
                        VertexId num_vertices) {
  graphops_pagerank<algorithm::pagerank::Hooks<Fixed<32>>>(offsets, replicas, gathered, updated, ends, num_vertices);
}
void spmv_of_blocks(const Word<std::uint64_t>* offsets, const Word<float>* replicas, const Word<float>* weights,
                    const Word<float>* gathered, Word<float>* updated, Word<std::uint64_t>* ends,
                    VertexId num_vertices) {
  graphops_spmv<algorithm::spmv::Hooks<float>>(offsets, replicas, weights, gathered, updated, ends, num_vertices);
}
void replicate_of_blocks(const Word<VertexId>* targets, const Word<std::uint32_t>* properties,
                         Word<std::uint32_t>* replicas, Word<std::uint64_t>* ends, std::uint32_t num_lines) {
  graphops_replicate<Bfs<std::uint32_t>>(targets, properties, replicas, ends, num_lines);
}
void conductance_of_blocks(const Word<std::uint32_t>* properties, const Word<std::uint64_t>* offsets,
                           const Word<std::uint32_t>* replicas, Word<std::uint64_t>* ends, VertexId num_vertices) {
  graphops_conductance<std::uint32_t>(properties, offsets, replicas, ends, num_vertices);
}
void vertex_cover_of_blocks(const Word<std::uint64_t>* offsets, const Word<std::uint64_t>* elements,
                            Word<std::uint64_t>* ends, VertexId num_vertices) {
  graphops_vertex_cover<std::uint64_t>(offsets, elements, ends, num_vertices);
}

}  // namespace gaspipe
