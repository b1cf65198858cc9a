// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cpp/src/graph/each_row.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/code.h"

namespace gaspipe {
namespace pe_array {
namespace {

int checked_pes(int num_pes) {
  if (num_pes == 2 || num_pes == 4 || num_pes == 8) return num_pes;
  throw InputError(message("workers is ", num_pes, "; the kernel of method=\"local_store\" has 2, 4 or 8 PEs"));
}

std::uint64_t words_of_list(EdgeCount degree) {
  return degree == 0 ? 0 : 1 + (degree + kCodesPerWord - 1) / kCodesPerWord;
}

}  // namespace

DeviceLists::DeviceLists(const Csr& csr, int num_pes, Workers& workers)
    : owners_(csr.num_rows, checked_pes(num_pes)), num_edges_(csr.num_edges()) {
  if (owners_.share() > kMostOwned) {
    throw CapacityError(
        message("each of ", num_pes, " PEs would own ", owners_.share(), " of ", csr.num_rows,
                " vertices, and a vertex code counts to ", kMostOwned,
                num_pes < kMostPes ? "; use more workers, 8 at the most, or device=\"cpu\"" : "; use device=\"cpu\""));
  }
  const Writable<std::uint64_t> codes(csr.num_rows);
  std::vector<Writable<Line>> lists;
  for (int pe = 0; pe < num_pes; ++pe) {
    std::uint64_t place = 0;
    const VertexId first = owners_.first(pe);
    for (VertexId v = first; v < first + owners_.count(pe); ++v) {
      const EdgeCount degree = csr.degree(v);
      const std::uint64_t num_words = words_of_list(degree);
      if (degree > std::numeric_limits<std::uint32_t>::max() ||
          place + num_words > std::numeric_limits<std::uint32_t>::max()) {
        throw CapacityError(message("vertex ", v, " has ", degree, " out-edges, and PE ", pe, " of ", num_pes, " ",
                                    place, " words of lists before it; allowed are up to ",
                                    std::numeric_limits<std::uint32_t>::max(), " of either; use device=\"cpu\""));
      }
      codes[v] = make_list_code(v - first, static_cast<std::uint32_t>(num_words), static_cast<std::uint32_t>(place));
      place += num_words;
    }
    lists.emplace_back(place);
  }
  detail::each_row(csr.offsets, workers, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint32_t next[kMostPes];
    for (std::uint64_t v = begin; v < end; ++v) {
      const EdgeCount first = csr.offsets[v], last = csr.offsets[v + 1];
      if (first == last) continue;
      const int own = owners_.of(static_cast<VertexId>(v));
      // Owners in the order in which a PE sends to them.
      const auto turn = [&](VertexId target) { return (owners_.of(target) - own + num_pes) % num_pes; };
      ListHeader header = {};
      for (EdgeCount e = first; e < last; ++e) ++header.end[turn(csr.targets[e])];
      std::uint32_t sum = 0;
      for (int s = 0; s < kMostPes; ++s) {
        next[s] = sum;
        header.end[s] = sum += header.end[s];
      }
      header.vertex = static_cast<VertexId>(v);
      header.num_words = static_cast<std::uint32_t>(words_of_list(last - first));
      Line* const list = lists[own].data() + code_place(codes[v]);
      list[0] = to_word(header);
      list[header.num_words - 1] = {};
      for (EdgeCount e = first; e < last; ++e) {
        const std::uint32_t at = next[turn(csr.targets[e])]++;
        list[1 + at / kCodesPerWord].lane[at % kCodesPerWord] = codes[csr.targets[e]];
      }
    }
  });
  codes_ = codes.freeze();
  for (const Writable<Line>& one : lists) lists_.push_back(one.freeze());
}

EdgeCount DeviceLists::degree(VertexId v) const {
  if (code_words(codes_[v]) == 0) return 0;
  return list_header(lists_[owners_.of(v)][code_place(codes_[v])]).end[kMostPes - 1];
}

std::uint64_t DeviceLists::num_bytes() const {
  std::uint64_t num_words = 0;
  for (const Array<Line>& one : lists_) num_words += one.size();
  return num_words * sizeof(Line);
}

}  // namespace pe_array
}  // namespace gaspipe
