// SPDX-License-Identifier: Apache-2.0
// Lines of an edge list, a DIMACS-9 or a Matrix Market file to columns.
#include "edge_block.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <system_error>

#include "gaspipe/csr.h"
#include "gaspipe/error.h"
#include "scan.h"

namespace gaspipe {
namespace detail {
namespace {

bool scan_id(const char*& at, const char* last, std::uint64_t& id, std::string& finding) {
  const char* const first = at;
  if (!is_digit(*at)) return false;
  if (scan_digits(at, last, kLargestId, id)) return true;
  finding = message("found vertex id ", quote(first, token_end(first)), "; allowed are 0 to ", kLargestId);
  return false;
}

// A decimal of few digits, from its point on: both numbers are doubles as they are, so their quotient is rounded once,
// as from_chars would round (Clinger 1990). False, and nothing moved, where that does not hold.
bool scan_short_decimal(const char*& at, const char* last, std::uint64_t whole, double& decimal) {
  constexpr std::uint64_t kPowers[] = {1,
                                       10,
                                       100,
                                       1000,
                                       10000,
                                       100000,
                                       1000000,
                                       10000000,
                                       100000000,
                                       1000000000,
                                       10000000000,
                                       100000000000,
                                       1000000000000,
                                       10000000000000,
                                       100000000000000,
                                       1000000000000000};
  constexpr std::uint64_t kMostExact = std::uint64_t(1) << 53;
  const char* end = at + 1;
  std::uint64_t fraction;
  if (FLT_EVAL_METHOD != 0 || !is_digit(*end) || !scan_digits(end, last, kMostExact, fraction)) return false;
  const auto num_digits = std::size_t(end - at - 1);
  if (num_digits >= std::size(kPowers) || !(is_blank(*end) || is_line_end(end))) return false;
  const std::uint64_t power = kPowers[num_digits];
  if (whole >= kMostExact / power) return false;
  decimal = static_cast<double>(whole * power + fraction) / static_cast<double>(power);
  at = end;
  return true;
}

bool scan_weight(const char*& at, const char* last, Weight& weight, std::string& finding) {
  const char* const first = at;
  const bool is_negative = *at == '-';
  if (is_negative || *at == '+') ++at;
  const char* const digits = at;
  std::uint64_t magnitude;
  const bool fits = scan_digits(at, last, kLargestId + is_negative, magnitude);
  while (is_digit(*at)) ++at;
  weight.is_integer = at != digits && (is_blank(*at) || is_line_end(at));
  if (weight.is_integer) {
    weight.integer = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
    if (!fits) {
      finding = message("found weight ", quote(first, token_end(first)), "; integers take at most 64 bits, ",
                        "write decimals (1e20) for larger ones");
    }
    return fits;
  }
  if (fits && *at == '.' && scan_short_decimal(at, last, magnitude, weight.decimal)) {
    if (is_negative) weight.decimal = -weight.decimal;
    return true;
  }
  if (*digits == '-') return false;  // from_chars would take it for the sign
  const auto [end, error] = std::from_chars(digits, last, weight.decimal);
  if (error == std::errc::result_out_of_range) {
    finding = message("found weight ", quote(first, token_end(first)), "; it is out of the range of a double");
  }
  if (is_negative) weight.decimal = -weight.decimal;
  at = end;
  return error == std::errc();
}

bool is_token_end(const char* at) { return is_blank(*at) || is_line_end(at); }

const char* blank_end(const char* at) {
  while (!is_token_end(at)) ++at;
  return at;
}

// Row or column of a Matrix Market file.
bool scan_index(const char*& at, const char* last, const char* what, std::uint64_t most, std::uint64_t& index,
                std::string& finding) {
  const char* const first = at;
  if (!is_digit(*at)) return false;
  const bool fits = scan_digits(at, last, kLargestId, index);
  if (fits && !is_token_end(at)) return false;
  if (fits && index - 1 < most) return true;  // 0 - 1 is the largest number
  finding = message("found ", what, " ", quote(first, blank_end(first)), "; the size line allows 1 to ", most);
  return false;
}

bool scan_integer(const char*& at, const char* last, std::int64_t& value, std::string& finding) {
  const char* const first = at;
  const bool is_negative = *at == '-';
  if (is_negative || *at == '+') ++at;
  const char* const digits = at;
  std::uint64_t magnitude;
  const bool fits = scan_digits(at, last, kLargestId + is_negative, magnitude);
  while (is_digit(*at)) ++at;
  if (at == digits || !is_token_end(at)) return false;
  value = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
  if (!fits) {
    finding = message("found value ", quote(first, at), "; integers take at most 64 bits, say real in the banner for ",
                      "larger ones");
  }
  return fits;
}

bool scan_real(const char*& at, const char* last, double& value, std::string& finding) {
  const char* const first = at;
  Weight weight;
  if (scan_weight(at, last, weight, finding) && is_token_end(at)) {
    value = weight.is_integer ? static_cast<double>(weight.integer) : weight.decimal;
    return true;
  }
  // Integers of more than 64 bits are numbers too, and Fortran writes the exponents of doubles with d.
  at = blank_end(first);
  std::string token(first + (*first == '+'), at);
  std::replace_if(token.begin(), token.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool is_number = end == token.data() + token.size() && !(*first == '+' && token[0] == '-');
  finding = is_number && error == std::errc::result_out_of_range
                ? message("found value ", quote(first, at), "; it is out of the range of a double")
                : "";
  return is_number && error == std::errc();
}

std::string show_size(std::size_t num_bytes) {
  return num_bytes % (1 << 20) == 0 ? message(num_bytes >> 20, " MiB") : message(num_bytes, " bytes");
}

}  // namespace

std::string describe_line(const char* first, const char* last, const std::string& finding, const char* wanted,
                          std::size_t longest) {
  const bool is_long = std::size_t(last - first) > longest;
  if (is_long) last = first + longest;
  const bool is_binary = std::any_of(first, last, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\v' && c != '\f') || c == 0x7f;
  });
  if (is_binary) return message("the file looks binary, found ", quote(first, last), "; ", wanted, " as text");
  if (is_long)
    return message("the line is longer than ", show_size(longest), ", it starts ", quote(first, last), "; ", wanted);
  if (!finding.empty()) return finding;
  return message(wanted, ", found ", quote(first, last));
}

void EdgeBlock::parse(const char* at, const char* last) {
  while (at != last && !is_bad()) {
    ++num_lines;
    const char* const line = at;
    bool is_good = true;
    at = skip_blanks(at);
    if (is_comment(at, syntax)) {
      const char* const comment = at;
      at = static_cast<const char*>(std::memchr(at, '\n', std::size_t(last - at)));
      is_good = std::memchr(comment, '\0', std::size_t(at - comment)) == nullptr;
    } else if (!is_line_end(at)) {
      is_good = syntax == EdgeSyntax::kMatrixMarket ? parse_entry(at, last) : parse_edge(at, last);
    }
    if (is_good && *at == '\r') ++at;
    if (!is_good || std::size_t(at - line) > longest_line) {
      const char* end = static_cast<const char*>(std::memchr(at, '\n', std::size_t(last - at)));
      if (end != line && end[-1] == '\r') --end;
      const bool is_long = std::size_t(end - line) > longest_line;
      if (is_long) forget_columns();
      if (is_long || !is_good) fault = describe_line(line, end, fault, expected(syntax, matrix), longest_line);
    }
    ++at;
  }
}

// Of a line that is too long nothing else is said: were it cut, its columns would not be known.
void EdgeBlock::forget_columns() {
  other_num_columns = 0;
  if (first_edge_line == num_lines) num_columns = 0;
}

// Moves to the line's end; false if the line is no edge, with a fault if that is not all there is to say.
bool EdgeBlock::parse_edge(const char*& at, const char* last) {
  if (syntax == EdgeSyntax::kDimacs9) {
    if (*at == 'p') fault = "found a second problem line; allowed is one, before the arcs";
    if (*at != 'a' || !is_blank(at[1])) return false;
    at = skip_blanks(at + 1);
  }
  std::uint64_t source, destination;
  if (!scan_id(at, last, source, fault) || !skip_gap(at) || !scan_id(at, last, destination, fault)) return false;
  Weight weight;
  int columns = 2;
  if (!is_line_end(skip_blanks(at))) {
    if (!skip_gap(at) || !scan_weight(at, last, weight, fault)) return false;
    columns = 3;
  }
  at = skip_blanks(at);
  if (!is_line_end(at)) return false;
  if (syntax == EdgeSyntax::kDimacs9) {
    if (columns != 3) return false;
    for (const std::uint64_t id : {source, destination}) {
      if (id - 1 < last_id) continue;  // 0 - 1 is the largest number
      fault = message("found vertex id ", id, "; the problem line allows 1 to ", last_id);
      return false;
    }
  }
  if (num_columns == 0) {
    num_columns = columns;
    first_edge_line = num_lines;
  } else if (columns != num_columns) {
    other_num_columns = columns;
    return true;
  }
  append(source, destination);
  if (columns == 3) append(weight);
  return true;
}

// As parse_edge, for a line of a Matrix Market file.
bool EdgeBlock::parse_entry(const char*& at, const char* last) {
  using Values = MatrixMarket::Values;
  using Symmetry = MatrixMarket::Symmetry;
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
  const char* const first = at;
  std::uint64_t row, column;
  if (!scan_index(at, last, "row", matrix.num_rows, row, fault)) return false;
  at = skip_blanks(at);
  if (!scan_index(at, last, "column", matrix.num_columns, column, fault)) return false;
  at = skip_blanks(at);
  Weight value;
  value.is_integer = matrix.values == Values::kInteger;
  if (matrix.values == Values::kInteger && !scan_integer(at, last, value.integer, fault)) return false;
  if (matrix.values == Values::kReal && !scan_real(at, last, value.decimal, fault)) return false;
  at = skip_blanks(at);
  if (!is_line_end(at)) return false;
  if (num_columns == 0) {
    num_columns = matrix.values == Values::kNone ? 2 : 3;
    first_edge_line = num_lines;
  }
  append(row, column);
  if (num_columns == 3) append(value);
  if (matrix.symmetry == Symmetry::kGeneral) return true;
  const bool is_skew = matrix.symmetry == Symmetry::kSkew;
  if (row == column) {
    if (!is_skew || (num_columns == 3 && value.integer == 0 && value.decimal == 0)) return true;
    fault = message("found ", quote(first, at), " on the diagonal; that of a skew-symmetric matrix is zero");
    return false;
  }
  if (is_skew && value.integer == kSmallest) {
    fault = message("found value ", kSmallest, "; in the other triangle of a skew-symmetric matrix it exceeds 64 bits");
    return false;
  }
  if (is_skew) {
    value.integer = -value.integer;
    value.decimal = -value.decimal;
  }
  append(column, row);
  if (num_columns == 3) append(value);
  ++num_mirrored;
  return true;
}

void EdgeBlock::append(std::uint64_t source, std::uint64_t destination) {
  const std::uint64_t larger = std::max(source, destination);
  if (larger > largest.id || largest.line == 0) {
    largest = {larger, num_lines};
    if (larger >= kMostVertices && beyond_vertices.line == 0) {
      beyond_vertices = {source >= kMostVertices ? source : destination, num_lines};
    }
  }
  auto* narrow = std::get_if<std::vector<std::uint32_t>>(&ids);
  if (narrow && larger <= 0xffffffff) {
    narrow->push_back(static_cast<std::uint32_t>(source));
    narrow->push_back(static_cast<std::uint32_t>(destination));
  } else {
    auto& wide = as<std::uint64_t>(ids);
    wide.push_back(source);
    wide.push_back(destination);
  }
}

void EdgeBlock::append(const Weight& weight) {
  const auto narrow = static_cast<std::int32_t>(weight.integer);
  if (!weight.is_integer || std::holds_alternative<std::vector<double>>(weights)) {
    as<double>(weights).push_back(weight.is_integer ? static_cast<double>(weight.integer) : weight.decimal);
  } else if (narrow != weight.integer || std::holds_alternative<std::vector<std::int64_t>>(weights)) {
    as<std::int64_t>(weights).push_back(weight.integer);
  } else {
    as<std::int32_t>(weights).push_back(narrow);
  }
}

}  // namespace detail
}  // namespace gaspipe
