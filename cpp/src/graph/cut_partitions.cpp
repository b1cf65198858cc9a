// SPDX-License-Identifier: Apache-2.0
#include "cut_partitions.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gaspipe {
namespace detail {
namespace {

// A piece of a partition where it lies: its edges, from `skip` edges behind the first of its runs on.
struct Piece {
  EdgeCount first_edge, num_edges;
  std::uint64_t first_run, num_runs;
  std::uint32_t skip, unit;
  EdgeCount to_edge = 0;  // where it will lie, counted in the partition
  std::uint64_t to_run = 0;
};

// Pieces without edges are left out.
std::vector<Piece> locate(const abi::Partition& part, const std::vector<PartitionPiece>& pieces) {
  std::vector<Piece> located;
  std::uint64_t run = 0;
  EdgeCount run_first = 0, edge = 0;
  for (const PartitionPiece& piece : pieces) {
    if (piece.num_edges == 0) continue;
    while (run_first + part.run_lengths[run] <= edge) run_first += part.run_lengths[run++];
    const std::uint64_t first_run = run;
    const auto skip = static_cast<std::uint32_t>(edge - run_first);
    const EdgeCount first_edge = std::exchange(edge, edge + piece.num_edges);
    while (run_first + part.run_lengths[run] < edge) run_first += part.run_lengths[run++];
    located.push_back({first_edge, piece.num_edges, first_run, run + 1 - first_run, skip, piece.unit});
  }
  return located;
}

std::vector<abi::SubPartition> sub_partitions_of(const std::vector<Piece>& pieces, std::uint32_t num_units) {
  std::vector<abi::SubPartition> units(num_units);
  auto piece = pieces.begin();
  EdgeCount edge = 0;
  for (std::uint32_t unit = 0; unit < num_units; ++unit) {
    units[unit] = {edge, edge, 0, 0};
    if (piece == pieces.end() || piece->unit != unit) continue;
    units[unit].first_run = piece->first_run;
    units[unit].skip = piece->skip;
    for (; piece != pieces.end() && piece->unit == unit; ++piece) edge += piece->num_edges;
    units[unit].last_edge = edge;
  }
  return units;
}

void copy(const abi::Partition& part, const Piece& piece, std::uint32_t* sources, std::uint32_t* lengths,
          std::uint8_t* destinations, std::uint8_t* weights, const PartitionArrays& sizes) {
  EdgeCount left = piece.num_edges;
  std::uint32_t skip = piece.skip;
  for (std::uint64_t i = 0; i < piece.num_runs; ++i) {
    const auto length =
        static_cast<std::uint32_t>(std::min<EdgeCount>(left, part.run_lengths[piece.first_run + i] - skip));
    sources[piece.to_run + i] = part.run_sources[piece.first_run + i];
    lengths[piece.to_run + i] = length;
    left -= length;
    skip = 0;
  }
  const auto copy_values = [&](std::uint8_t* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    std::memcpy(to + piece.to_edge * bytes, static_cast<const std::uint8_t*>(from) + piece.first_edge * bytes,
                piece.num_edges * bytes);
  };
  copy_values(destinations, part.destinations, sizes.destination_bytes);
  copy_values(weights, part.weights, sizes.weight_bytes);
}

// Where every piece will lie, with a unit's together and in their order. Returns the partition's runs then.
std::uint64_t place(std::vector<Piece>& pieces, std::uint32_t num_units) {
  EdgeCount edge = 0;
  std::uint64_t run = 0;
  for (std::uint32_t unit = 0; unit < num_units; ++unit) {
    for (Piece& piece : pieces) {
      if (piece.unit != unit) continue;
      piece.to_edge = std::exchange(edge, edge + piece.num_edges);
      piece.to_run = std::exchange(run, run + piece.num_runs);
    }
  }
  return run;
}

// As they lie after that.
void settle(std::vector<Piece>& pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.unit < b.unit; });
  for (Piece& piece : pieces) {
    piece.first_edge = piece.to_edge;
    piece.first_run = piece.to_run;
    piece.skip = 0;
  }
}

void lay_out_anew(std::vector<abi::Partition>& partitions, std::vector<std::vector<Piece>>& pieces,
                  PartitionArrays& arrays, std::uint32_t num_units, Workers& workers) {
  struct Of {
    std::size_t partition;
    const Piece* piece;
  };
  std::vector<std::uint64_t> first_runs;
  std::vector<EdgeCount> first_edges;
  std::vector<Of> all;
  std::uint64_t num_runs = 0;
  EdgeCount num_edges = 0;
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    first_runs.push_back(std::exchange(num_runs, num_runs + place(pieces[p], num_units)));
    first_edges.push_back(std::exchange(num_edges, num_edges + partitions[p].num_edges));
    for (const Piece& piece : pieces[p]) all.push_back({p, &piece});
  }
  const Writable<std::uint32_t> sources(num_runs), lengths(num_runs);
  PartitionArrays made{{}, {}, {}, {}, arrays.destination_bytes, arrays.weight_bytes};
  std::uint8_t* const destinations =
      allocate_bytes<std::uint8_t>(&made.destinations, num_edges * arrays.destination_bytes);
  std::uint8_t* const weights = allocate_bytes<std::uint8_t>(&made.weights, num_edges * arrays.weight_bytes);
  workers.step("dealing", num_edges);
  workers.each(all.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
    const auto& [p, piece] = all[i];
    copy(partitions[p], *piece, sources.data() + first_runs[p], lengths.data() + first_runs[p],
         destinations + first_edges[p] * arrays.destination_bytes, weights + first_edges[p] * arrays.weight_bytes,
         arrays);
  });
  made.run_sources = sources.freeze();
  made.run_lengths = lengths.freeze();
  arrays = std::move(made);
  first_runs.push_back(num_runs);
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    abi::Partition& part = partitions[p];
    part.num_runs = first_runs[p + 1] - first_runs[p];
    part.run_sources = arrays.run_sources.data() + first_runs[p];
    part.run_lengths = arrays.run_lengths.data() + first_runs[p];
    part.destinations = destinations + first_edges[p] * arrays.destination_bytes;
    part.weights = arrays.weight_bytes == 0 ? nullptr : weights + first_edges[p] * arrays.weight_bytes;
    settle(pieces[p]);
  }
}

}  // namespace

std::vector<abi::SubPartition> cut_partitions(std::vector<abi::Partition>& partitions, PartitionArrays& arrays, Cut cut,
                                              std::uint32_t num_units, Workers& workers) {
  std::vector<std::vector<Piece>> pieces(partitions.size());
  workers.each(partitions.size(), 1, [&](std::uint64_t p, std::uint64_t, int) {
    pieces[p] = locate(partitions[p], cut(partitions[p], num_units));
  });
  const bool follow = std::all_of(pieces.begin(), pieces.end(), [](const std::vector<Piece>& of_one) {
    return std::is_sorted(of_one.begin(), of_one.end(), [](const Piece& a, const Piece& b) { return a.unit < b.unit; });
  });
  if (!follow) lay_out_anew(partitions, pieces, arrays, num_units, workers);
  std::vector<abi::SubPartition> sub_partitions;
  for (const std::vector<Piece>& of_one : pieces) {
    const std::vector<abi::SubPartition> units = sub_partitions_of(of_one, num_units);
    sub_partitions.insert(sub_partitions.end(), units.begin(), units.end());
  }
  return sub_partitions;
}

}  // namespace detail
}  // namespace gaspipe
