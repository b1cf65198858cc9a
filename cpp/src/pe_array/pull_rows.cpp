// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "cpp/src/graph/each_row.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/pull.h"

namespace gaspipe {
namespace pe_array {
namespace {

std::vector<std::uint32_t> in_degrees(const Csr& csr) {
  std::vector<std::uint32_t> degrees(csr.num_rows, 0);
  for (const VertexId target : csr.targets) ++degrees[target];
  return degrees;
}

// Vertices by falling degree, those of one degree as they are numbered.
std::vector<VertexId> by_falling(const std::vector<std::uint32_t>& degrees) {
  const std::uint32_t most = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
  std::vector<std::uint64_t> next(std::size_t(most) + 2, 0);
  for (const std::uint32_t degree : degrees) ++next[most - degree + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<VertexId> order(degrees.size());
  for (VertexId v = 0; v < degrees.size(); ++v) order[next[most - degrees[v]]++] = v;
  return order;
}

std::uint64_t rounded_up(std::uint64_t number, std::uint64_t to) { return (number + to - 1) / to * to; }

Csr renumbered(const Csr& csr, const Array<VertexId>& places, VertexId num_places, Workers& workers) {
  const Writable<std::uint64_t> offsets(std::size_t(num_places) + 1);
  std::fill_n(offsets.data(), offsets.size(), 0);
  for (VertexId v = 0; v < csr.num_rows; ++v) offsets[std::size_t(places[v]) + 1] = csr.degree(v);
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  const Writable<VertexId> targets(csr.num_edges());
  detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      std::uint64_t to = offsets[places[v]];
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) targets[to++] = places[csr.targets[e]];
    }
  });
  Csr made;
  made.num_rows = made.num_columns = num_places;
  made.offsets = Offsets(offsets.freeze());
  made.targets = targets.freeze();
  return made;
}

}  // namespace

PullRows::PullRows(const Csr& csr, int num_pes, Workers& workers) {
  const std::vector<std::uint32_t> degrees = in_degrees(csr);
  const std::vector<VertexId> order = by_falling(degrees);
  const std::uint64_t num = csr.num_rows, pes = static_cast<std::uint64_t>(num_pes);
  const std::uint64_t share = std::max<std::uint64_t>(rounded_up((num + pes - 1) / pes, kMarksPerWord), kMarksPerWord);
  if (share * pes > kMostVertices) {
    throw CapacityError(message("the PEs number vertices up to ", kMostVertices, ", and ", num,
                                " in ranges of whole words would take ", share * pes, "; use device=\"cpu\""));
  }
  const Writable<VertexId> places(num), vertices(share * pes);
  std::fill_n(vertices.data(), vertices.size(), kNoVertex);
  for (std::uint64_t i = 0; i < num; ++i) {
    const auto place = static_cast<VertexId>(i % pes * share + i / pes);
    places[order[i]] = place;
    vertices[place] = order[i];
    num_headed_ += degrees[order[i]] != 0;
  }
  places_ = places.freeze();
  vertices_ = vertices.freeze();
  num_groups_ = static_cast<std::uint32_t>(rounded_up((num_headed_ + pes - 1) / pes, kHeadsPerGroup) / kHeadsPerGroup);

  const Csr forward = renumbered(csr, places_, static_cast<VertexId>(share * pes), workers);
  lists_ = std::make_unique<DeviceLists>(forward, num_pes, workers);
  const Csr reverse = transpose(forward, workers);
  std::vector<Writable<SourceWord>> rows;
  const Writable<std::uint32_t> words(vertices_.size());
  for (std::uint64_t pe = 0; pe < pes; ++pe) {
    std::uint64_t place = std::uint64_t(num_groups_) * kHeadWordsPerGroup;
    for (std::uint64_t v = pe * share; v < (pe + 1) * share; ++v) {
      const EdgeCount degree = reverse.degree(static_cast<VertexId>(v));
      const std::uint64_t num_words = degree == 0 ? 0 : (degree - 1 + kSourcesPerWord - 1) / kSourcesPerWord;
      if (degree > std::uint64_t(kMostRowSources) + 1 ||
          place + num_words > std::numeric_limits<std::uint32_t>::max()) {
        throw CapacityError(message("vertex ", vertices_[v], " has ", degree, " in-edges, and PE ", pe, " of ", pes,
                                    " ", place, " words of rows before it; allowed are ", kMostRowSources + 1,
                                    " in-edges and ", std::numeric_limits<std::uint32_t>::max(),
                                    " of all; use device=\"cpu\""));
      }
      words[v] = static_cast<std::uint32_t>(place);
      place += num_words;
    }
    rows.emplace_back(place);
  }
  workers.each(vertices_.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t index = v % share;
      SourceWord* const own = rows[v / share].data();
      const VertexId* const begin = reverse.targets.data() + reverse.offsets[v];
      const VertexId* const end = reverse.targets.data() + reverse.offsets[v + 1];
      // The likeliest source, and of a vertex without any itself, which is in the frontier only when it has its mark.
      const VertexId* const likeliest =
          std::max_element(begin, end, [&](VertexId a, VertexId b) { return forward.degree(a) < forward.degree(b); });
      const auto num_others = begin == end ? 0 : static_cast<std::uint64_t>(end - begin - 1);
      SourceWord* const row = own + words[v];
      std::uint64_t at = 0;
      for (const VertexId* source = begin; source != end; ++source) {
        if (source == likeliest) continue;
        row[at / kSourcesPerWord].lane[at % kSourcesPerWord] = *source;
        ++at;
      }
      for (; at % kSourcesPerWord != 0; ++at) row[at / kSourcesPerWord].lane[at % kSourcesPerWord] = 0;
      if (index >= std::uint64_t(num_groups_) * kHeadsPerGroup) continue;
      std::uint32_t* const head = own[index / kHeadsPerWord].lane + index % kHeadsPerWord * HeadLane::kNum;
      const std::uint64_t code = lists_->code(static_cast<VertexId>(v));
      head[HeadLane::kSource] = begin == end ? static_cast<VertexId>(v) : *likeliest;
      head[HeadLane::kRow] = words[v];
      head[HeadLane::kPlace] = code_place(code);
      head[HeadLane::kLengths] = static_cast<std::uint32_t>(num_others << kListWordsBits) | code_words(code);
    }
  });
  for (const Writable<SourceWord>& one : rows) rows_.push_back(one.freeze());
}

PullRows::Head PullRows::head(VertexId place) const {
  const VertexId share = lists_->owners().share(), index = place % share;
  const SourceWord* const own = rows_[place / share].data();
  const std::uint32_t* const head = own[index / kHeadsPerWord].lane + index % kHeadsPerWord * HeadLane::kNum;
  return {head[HeadLane::kSource], head[HeadLane::kLengths] >> kListWordsBits, own + head[HeadLane::kRow]};
}

std::uint64_t PullRows::num_bytes() const {
  std::uint64_t num_words = 0;
  for (const Array<SourceWord>& one : rows_) num_words += one.size();
  return num_words * sizeof(SourceWord);
}

}  // namespace pe_array
}  // namespace gaspipe
