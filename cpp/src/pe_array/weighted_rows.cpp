// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "cpp/src/graph/each_row.h"
#include "cpp/src/graph/weights.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/code.h"
#include "hls/local_store/length.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr double kFirstWidth = 0.5;  // of the first bucket, in mean weights per mean degree

constexpr std::int64_t kMostWeight = Length<std::uint32_t>::kFarthest - 1;

bool is_length(float weight) { return weight >= 0 && std::isfinite(weight); }
template <class Integer>
bool is_length(Integer weight) {
  return weight >= 0 && static_cast<std::int64_t>(weight) <= kMostWeight;
}
// InputError for the first weight that the kernel has not; their sum.
template <class Weight>
double sum_of(const Csr& csr, const Weight* weights) {
  double sum = 0;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) {
    if (!is_length(weights[e])) {
      VertexId source = 0;
      while (csr.offsets[std::uint64_t(source) + 1] <= e) ++source;
      const std::string allowed =
          std::is_same_v<Weight, float> ? "finite numbers from 0 on" : message("integers from 0 to ", kMostWeight);
      throw InputError(message("edge ", source, " -> ", csr.targets[e], " has weight ", weights[e],
                               "; method=\"delta_stepping\" takes ", allowed, "; use device=\"cpu\""));
    }
    sum += static_cast<double>(weights[e]);
  }
  return sum;
}
std::uint32_t length_of(float weight) { return to_bits(weight + 0.0f); }  // of -0, too, the bits of 0
template <class Integer>
std::uint32_t length_of(Integer weight) {
  return static_cast<std::uint32_t>(weight);
}

std::uint64_t words_of(EdgeCount num_edges) { return (num_edges + kEdgesPerWord - 1) / kEdgesPerWord; }

}  // namespace

WeightedRows::WeightedRows(const Csr& csr, int num_pes, Workers& workers)
    : num_vertices_(csr.num_rows), num_edges_(csr.num_edges()), num_pes_(num_pes) {
  if (num_pes != 2 && num_pes != 4 && num_pes != 8) {
    throw InputError(message("workers is ", num_pes, "; the kernel of method=\"delta_stepping\" has 2, 4 or 8 PEs"));
  }
  const auto pes = static_cast<VertexId>(num_pes);
  std::vector<Writable<Line>> heads, edges;
  for (VertexId pe = 0; pe < pes; ++pe) {
    heads.emplace_back(std::uint64_t(num_words()) * kHeadLines);
    std::fill_n(heads.back().data(), heads.back().size(), Line{});
    std::uint64_t place = 0;
    for (VertexId v = pe, index = 0; v < num_vertices_; v += pes, ++index) {
      const EdgeCount degree = csr.degree(v);
      const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
      if (degree > most || place + words_of(degree) > most) {
        throw CapacityError(message("vertex ", v, " has ", degree, " out-edges, and PE ", pe, " of ", num_pes, " ",
                                    place, " words of rows before it; allowed are up to ", most,
                                    " of either; use device=\"cpu\""));
      }
      heads.back()[index / kHeadsPerLine].lane[index % kHeadsPerLine] =
          to_head(static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(degree));
      place += words_of(degree);
    }
    edges.emplace_back(place);
  }
  double sum = static_cast<double>(num_edges_);  // of edges that are 1 long
  std::visit(
      [&](const auto& weights) {
        using Type = typename detail::ElementOf<std::decay_t<decltype(weights)>>::Type;
        if constexpr (std::is_same_v<Type, double>) {
          throw InputError(
              "the weights are float64; method=\"delta_stepping\" takes integers and float32; use device=\"cpu\", or "
              "convert them");
        } else {
          constexpr bool is_weighted = detail::is_weighted_v<decltype(weights)>;
          is_floating_ = std::is_same_v<Type, float>;
          if constexpr (is_weighted) sum = sum_of(csr, weights.data());
          detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t v = first; v < last; ++v) {
              const std::uint64_t index = v / pes;
              const std::uint64_t head = heads[v % pes][index / kHeadsPerLine].lane[index % kHeadsPerLine];
              Line* const row = edges[v % pes].data() + (head >> 32);
              const EdgeCount begin = csr.offsets[v], num = csr.offsets[v + 1] - begin;
              if (num != 0) row[words_of(num) - 1] = {};
              for (EdgeCount e = 0; e < num; ++e) {
                std::uint32_t weight = 1;
                if constexpr (is_weighted) weight = length_of(weights[begin + e]);
                row[e / kEdgesPerWord].lane[e % kEdgesPerWord] = to_edge(csr.targets[begin + e], weight);
              }
            }
          });
        }
      },
      csr.weights);
  for (const Writable<Line>& one : heads) heads_.push_back(one.freeze());
  for (const Writable<Line>& one : edges) edges_.push_back(one.freeze());
  // The mean weight per mean degree is the theory's choice up to a factor; the kernel widens buckets by itself.
  const double degree = std::max(1.0, static_cast<double>(num_edges_) / std::max(num_vertices_, VertexId(1)));
  const double mean = num_edges_ == 0 ? 1 : sum / static_cast<double>(num_edges_);
  const double width = kFirstWidth * mean / degree;
  width_ = is_floating_ ? to_bits(static_cast<float>(width)) : static_cast<std::uint32_t>(std::max(1.0, width));
  // A PE takes an edge a cycle; in a phase it reads its cells twice and writes them once, a word a cycle.
  balance_ = 1 + static_cast<std::uint32_t>(3.0 * num_words() * num_pes / degree);
}

VertexId WeightedRows::share() const {
  const auto pes = static_cast<VertexId>(num_pes_);
  return std::max(num_vertices_ / pes + (num_vertices_ % pes != 0), VertexId(1));
}
std::uint32_t WeightedRows::num_words() const { return (share() + kCellsPerWord - 1) / kCellsPerWord; }

std::uint64_t WeightedRows::num_bytes() const {
  std::uint64_t num_lines = 0;
  for (const Array<Line>& one : heads_) num_lines += one.size();
  for (const Array<Line>& one : edges_) num_lines += one.size();
  return num_lines * sizeof(Line);
}

}  // namespace pe_array
}  // namespace gaspipe
