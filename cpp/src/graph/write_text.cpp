// SPDX-License-Identifier: Apache-2.0
// Items (starts of rows and edges) are cut into equal chunks, so that hubs and empty rows cost alike; workers format
// chunks into buffers of their own, which are joined in order to a piece.
#include "gaspipe/write_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "gaspipe/find_first.h"
#include "symmetry.h"
#include "weights.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kItemsPerChunk = 2048;
constexpr std::uint64_t kChunksPerPiece = 64;
constexpr std::size_t kLongestNumber = 26;                // -1.7976931348623157e+308, or an integer below it with ".0"
constexpr std::size_t kLongestLine = 4 * kLongestNumber;  // `a source destination weight`, with what stands between

using detail::is_weighted_v;

char* put_integer(char* at, std::uint64_t number) { return std::to_chars(at, at + kLongestNumber, number).ptr; }

template <class T>
char* put_weight(char* at, T weight) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(weight)) return std::copy_n("nan", 3, at);
    char* const end = std::to_chars(at, at + kLongestNumber, static_cast<double>(weight)).ptr;
    const bool is_integer = std::all_of(at, end, [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
    return is_integer ? std::copy_n(".0", 2, end) : end;
  } else {
    return std::to_chars(at, at + kLongestNumber, weight).ptr;
  }
}

// Integers from 1 to 2^63 - 1, whatever their type.
template <class T>
bool is_metis_weight(T weight) {
  if constexpr (std::is_floating_point_v<T>) {
    return weight >= 1 && weight < static_cast<T>(9223372036854775808.0) && std::trunc(weight) == weight;
  } else {
    return weight >= 1;
  }
}

template <class T>
std::string weight_text(T weight) {
  char text[kLongestNumber + 1];
  return std::string(text, put_weight(text, weight));
}

}  // namespace

GraphText::GraphText(std::shared_ptr<const Csr> csr, TextOptions options, Workers& workers)
    : csr_(std::move(csr)), options_(std::move(options)), workers_(workers) {
  const std::uint64_t n = csr_->num_rows;
  num_items_ = n + csr_->num_edges();
  first_id_ = options_.format != TextFormat::kEdgeList;
  if (options_.names.size() != 0 && options_.names.size() != n) {
    throw InputError(message("found ", options_.names.size(), " names for ", n, " vertices; the two must be equal"));
  }
  const std::uint64_t negative =
      find_first(options_.names.size(), workers_, [&](std::uint64_t v) { return options_.names[v] < 0; });
  if (negative < options_.names.size()) {
    throw InputError(message("vertex ", negative, " has the label ", options_.names[negative],
                             "; ids in an edge list are 0 or larger"));
  }
  if (options_.format == TextFormat::kDimacs9 && !csr_->is_weighted()) {
    throw InputError("the graph has no weights, and every arc of a DIMACS-9 file has one; give the edges weights of 1");
  }
  if (options_.format == TextFormat::kMetis) {
    check_metis();
    has_sizes_ = options_.vertex_sizes.size() != 0;
    num_before_ = options_.num_constraints + has_sizes_;
  }
  items_per_chunk_ = std::max<std::uint64_t>(1, kItemsPerChunk / (1 + num_before_));
}

void GraphText::check_metis() const {
  const std::uint64_t n = csr_->num_rows;
  const auto check_column = [&](const char* what, const Array<std::int64_t>& values, std::uint64_t width) {
    if (values.size() != n * width) {
      throw InputError(message("found ", values.size(), " ", what, "s of vertices; ", n, " vertices need ", n * width));
    }
    const std::uint64_t bad = find_first(values.size(), workers_, [&](std::uint64_t i) { return values[i] < 0; });
    if (bad < values.size()) {
      throw InputError(message("vertex ", bad / width, " has the ", what, " ", values[bad],
                               "; those in a METIS file are 0 or larger"));
    }
  };
  check_column("weight", options_.vertex_weights, options_.num_constraints);
  if (options_.vertex_sizes.size() != 0) check_column("size", options_.vertex_sizes, 1);
  if (options_.vertex_sizes.size() != 0 && options_.is_multigraph) {
    throw InputError("vertices have sizes, which dialect 'dimacs10' cannot say: its fmt 100 means something else");
  }
  std::visit(
      [&](const auto& weights) {
        if constexpr (is_weighted_v<decltype(weights)>) {
          const EdgeCount bad =
              find_first(weights.size(), workers_, [&](std::uint64_t e) { return !is_metis_weight(weights[e]); });
          if (bad == weights.size()) return;
          throw InputError(message("edge ", source_of(bad), " -> ", csr_->targets[bad], " has the weight ",
                                   weight_text(weights[bad]),
                                   "; weights in a METIS file are integers from 1 to 2^63 - 1"));
        }
      },
      csr_->weights);
  const Csr& csr = *csr_;
  const std::uint64_t loop = options_.is_multigraph ? n : find_first(n, workers_, [&](std::uint64_t v) {
    const auto first = csr.targets.begin() + csr.offsets[v], last = csr.targets.begin() + csr.offsets[v + 1];
    return std::find(first, last, v) != last;
  });
  if (loop < n) {
    throw InputError(message("vertex ", loop, " has an edge to itself, and METIS files hold none; use simplify(), or ",
                             "dialect='dimacs10' to keep loops"));
  }
  const detail::Pairing pairing{options_.is_multigraph, true};
  const auto unpaired = detail::find_unpaired(*csr_, pairing, workers_);
  if (!unpaired) return;
  using Reason = detail::Unpaired::Reason;
  const std::string edge = message("edge ", unpaired->source, " -> ", unpaired->target);
  const char* const remedy = "; use symmetrize() or another format";
  if (unpaired->reason == Reason::kMissing) {
    throw InputError(message(edge, " has no edge back, and a METIS file holds undirected graphs", remedy));
  }
  if (unpaired->reason == Reason::kWeight) {
    throw InputError(
        message(edge, " has another weight than the edge back, and a METIS file holds undirected graphs", remedy));
  }
  throw InputError(message(edge, " is there twice; use simplify(), or dialect='dimacs10' to keep parallel edges"));
}

std::string GraphText::head() const {
  const std::uint64_t n = csr_->num_rows, m = csr_->num_edges();
  switch (options_.format) {
    case TextFormat::kEdgeList:
      return options_.header ? message(n, options_.separator, m, '\n') : "";
    case TextFormat::kMatrixMarket: {
      const std::size_t type = csr_->weights.index();  // none, two of integers, two of floating-point numbers
      const bool is_cut = options_.num_rows != 0 || options_.num_columns != 0;
      return message("%%MatrixMarket matrix coordinate ",
                     type == 0   ? "pattern"
                     : type <= 2 ? "integer"
                                 : "real",
                     " general\n", is_cut ? options_.num_rows : n, ' ',
                     is_cut ? options_.num_columns : csr_->num_columns, ' ', m, '\n');
    }
    case TextFormat::kDimacs9:
      return message("p sp ", n, ' ', m, '\n');
    default: {
      const int fmt =
          100 * (options_.is_multigraph || has_sizes_) + 10 * (options_.num_constraints != 0) + csr_->is_weighted();
      std::string line = message(n, ' ', options_.is_multigraph ? m : m / 2);
      if (fmt != 0) line += message(' ', fmt);
      if (options_.num_constraints > 1) line += message(' ', options_.num_constraints);
      return line + '\n';
    }
  }
}

std::uint64_t GraphText::source_of(EdgeCount edge) const {
  std::uint64_t low = 0, high = csr_->num_rows;  // the last row that starts at or before it is in [low, high)
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (csr_->offsets[middle] <= edge ? low : high) = middle;
  }
  return low;
}

// The row that an item belongs to.
std::uint64_t GraphText::row_at(std::uint64_t item) const {
  std::uint64_t low = 0, high = csr_->num_rows;  // the last row that starts at or before it is in [low, high)
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (csr_->offsets[middle] + middle <= item ? low : high) = middle;
  }
  return low;
}

char* GraphText::put_id(char* at, std::uint64_t vertex) const {
  const bool is_named = options_.names.size() != 0;
  return put_integer(at, is_named ? static_cast<std::uint64_t>(options_.names[vertex]) : vertex + first_id_);
}

// What a METIS line starts with.
char* GraphText::put_vertex(char* at, std::uint64_t vertex) const {
  char* const start = at;
  const auto put = [&](std::int64_t number) {
    if (at != start) *at++ = ' ';
    at = put_integer(at, static_cast<std::uint64_t>(number));
  };
  if (has_sizes_) put(options_.vertex_sizes[vertex]);
  const std::uint64_t ncon = options_.num_constraints;
  for (std::uint64_t i = vertex * ncon; i < (vertex + 1) * ncon; ++i) put(options_.vertex_weights[i]);
  return at;
}

template <class WeightArray>
void GraphText::put(const WeightArray& weights, std::uint64_t first, std::uint64_t last, Chunk& chunk) const {
  const std::size_t most = (last - first) * (kLongestLine + num_before_ * kLongestNumber);
  if (chunk.capacity < most) {
    chunk.text.reset(new char[most]);
    chunk.capacity = most;
  }
  const bool is_metis = options_.format == TextFormat::kMetis;
  const char separator = options_.format == TextFormat::kEdgeList ? options_.separator : ' ';
  char* at = chunk.text.get();
  std::uint64_t row = row_at(first);
  for (std::uint64_t item = first; item < last; ++row) {
    const EdgeCount begin = csr_->offsets[row], end = csr_->offsets[row + 1];
    if (item == begin + row) {
      if (is_metis) at = put_vertex(at, row);
      ++item;
    }
    const EdgeCount stop = std::min<EdgeCount>(end, last - row - 1);
    char start[kLongestLine];
    std::size_t start_size = 0;
    if (!is_metis && item - row - 1 < stop) {
      char* to = start;
      if (options_.format == TextFormat::kDimacs9) to = std::copy_n("a ", 2, to);
      to = put_id(to, row);
      *to++ = separator;
      start_size = std::size_t(to - start);
    }
    for (EdgeCount e = item - row - 1; e < stop; ++e) {
      if (!is_metis) {
        std::memcpy(at, start, start_size);
        at += start_size;
      } else if (e != begin || num_before_ != 0) {
        *at++ = ' ';
      }
      at = put_id(at, csr_->targets[e]);
      if constexpr (is_weighted_v<WeightArray>) {
        *at++ = separator;
        at = is_metis ? put_integer(at, static_cast<std::uint64_t>(weights[e])) : put_weight(at, weights[e]);
      }
      if (!is_metis) *at++ = '\n';
    }
    item = stop + row + 1;
    if (is_metis && stop == end) *at++ = '\n';
  }
  chunk.size = std::size_t(at - chunk.text.get());
}

std::string_view GraphText::next() {
  text_.clear();
  if (!is_started_) {
    is_started_ = true;
    const std::string line = head();
    text_.insert(text_.end(), line.begin(), line.end());
  }
  // Text may be empty for long where rows are.
  do {
    const std::uint64_t first = next_item_;
    next_item_ = std::min(num_items_, first + kChunksPerPiece * items_per_chunk_);
    const std::uint64_t num_chunks = (next_item_ - first + items_per_chunk_ - 1) / items_per_chunk_;
    chunks_.resize(std::max<std::size_t>(chunks_.size(), num_chunks));
    workers_.each(num_chunks, 1, [&](std::uint64_t begin, std::uint64_t end, int) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t from = first + i * items_per_chunk_;
        const std::uint64_t to = std::min(next_item_, from + items_per_chunk_);
        std::visit([&](const auto& weights) { put(weights, from, to, chunks_[i]); }, csr_->weights);
      }
    });
    for (std::uint64_t i = 0; i < num_chunks; ++i) {
      text_.insert(text_.end(), chunks_[i].text.get(), chunks_[i].text.get() + chunks_[i].size);
    }
  } while (text_.empty() && next_item_ < num_items_);
  return std::string_view(text_.data(), text_.size());
}

}  // namespace gaspipe
