// SPDX-License-Identifier: Apache-2.0
// Format: R. F. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935,
// 1996.
#include "matrix_market.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "edge_block.h"
#include "gaspipe/csr.h"
#include "gaspipe/error.h"
#include "scan.h"

namespace gaspipe {
namespace detail {
namespace {

// Where the text of the line [first, last) ends.
const char* text_end(const char* first, const char* last) {
  return last - (last - first > 1 && last[-2] == '\r' ? 2 : 1);
}

}  // namespace

std::string read_banner(const char* at, const char* last, std::size_t longest_line, MatrixMarket& matrix) {
  const char* const line = at;
  const char* const end = text_end(line, last);
  std::vector<std::string> words;
  while (words.size() < 5 && !is_line_end(at = skip_blanks(at))) {
    const char* const word = at;
    while (!is_blank(*at) && !is_line_end(at)) ++at;
    words.emplace_back(word, at);
  }
  const bool has_nul = std::memchr(line, '\0', std::size_t(last - line)) != nullptr;
  if (words.empty() || words[0] != "%%MatrixMarket" || has_nul || std::size_t(end - line) > longest_line) {
    return describe_line(line, end, "", kBanner, longest_line);
  }
  words.resize(5);
  for (std::string& word : words) {
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  }
  if (words[2] == "array") return "found a dense matrix (array); a graph is a sparse one (coordinate)";
  const auto find = [](const std::string& word, const std::initializer_list<const char*>& allowed) {
    const auto found = std::find(allowed.begin(), allowed.end(), word);
    return std::size_t(found - allowed.begin());
  };
  const std::initializer_list<const char*> kAllowed[] = {
      {"matrix"}, {"coordinate"}, {"pattern", "integer", "real", "double"}, {"general", "symmetric", "skew-symmetric"}};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string& word = words[i + 1];
    if (find(word, kAllowed[i]) < kAllowed[i].size()) continue;
    std::string allowed;
    for (const char* other : kAllowed[i]) allowed += (allowed.empty() ? "" : ", ") + std::string(other);
    return message("found ", quote(word.data(), word.data() + word.size()), ", allowed here: ", allowed);
  }
  matrix.values = static_cast<MatrixMarket::Values>(std::min<std::size_t>(find(words[3], kAllowed[2]), 2));
  matrix.symmetry = static_cast<MatrixMarket::Symmetry>(find(words[4], kAllowed[3]));
  return "";
}

std::string read_size_line(const char* at, const char* last, std::size_t longest_line, MatrixMarket& matrix) {
  const char* const line = at;
  const char* const end = text_end(line, last);
  bool is_good = std::size_t(end - line) <= longest_line;
  for (std::uint64_t* const size : {&matrix.num_rows, &matrix.num_columns, &matrix.num_entries}) {
    at = skip_blanks(at);
    is_good = is_good && is_digit(*at) && scan_digits(at, last, kLargestId, *size);
    is_good = is_good && (is_blank(*at) || is_line_end(at));
  }
  if (!is_good || !is_line_end(skip_blanks(at))) return describe_line(line, end, "", kSizeLine, longest_line);
  matrix.has_sizes = true;
  const std::uint64_t rows = matrix.num_rows, columns = matrix.num_columns;
  if (matrix.symmetry != MatrixMarket::Symmetry::kGeneral && rows != columns) {
    return message("a ", matrix.symmetry == MatrixMarket::Symmetry::kSkew ? "skew-" : "", "symmetric matrix of ", rows,
                   " x ", columns, "; it must be square");
  }
  if (std::max(rows, columns) > kMostVertices) {
    return message("found ", rows, " x ", columns, "; at most ", kMostVertices, " rows and columns");
  }
  return "";
}

}  // namespace detail
}  // namespace gaspipe
