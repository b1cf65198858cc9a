// SPDX-License-Identifier: Apache-2.0
// One pass over the numbers, on one thread: a line may be as long as the largest degree makes it, so text is held only
// up to the last whole number. What needs all lines (counts, both ends list an edge) is checked at the end.
#include "gaspipe/metis.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "gaspipe/error.h"
#include "scan.h"
#include "symmetry.h"

namespace gaspipe {
namespace {

constexpr std::size_t kLongestToken = 64;
constexpr std::uint64_t kMostUndeclared = std::uint64_t(1) << 20;  // neighbours; fewer are counted to the end
constexpr const char* kHeader = "expected \"vertices edges [fmt [ncon]]\"";
constexpr const char* kOneWay = "; if the file lists each edge one way, read it with directed=True";

bool is_space(char c) { return detail::is_blank(c) || c == '\n' || c == '\r'; }

template <class T>
Array<T> take_over(std::vector<T>& values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  const std::size_t size = owner->size();
  return Array<T>(std::move(owner), data, size);
}

}  // namespace

MetisParser::MetisParser(std::string file_name, Workers& workers, MetisDialect dialect, std::size_t buffer_size,
                         bool is_directed)
    : file_name_(std::move(file_name)),
      workers_(workers),
      dialect_(dialect),
      buffer_size_(buffer_size),
      is_directed_(is_directed) {}

void MetisParser::fail(std::uint64_t line, const std::string& what) const {
  throw GraphFormatError(message(file_name_, ":", line, ": ", what));
}

void MetisParser::feed(const char* data, std::size_t size) {
  text_.reserve(buffer_size_);
  while (size > 0) {
    const std::size_t taken = std::min(size, buffer_size_ - text_.size());
    text_.insert(text_.end(), data, data + taken);
    ended_line_ = text_.back() == '\n';
    data += taken;
    size -= taken;
    if (text_.size() == buffer_size_) parse_text();
  }
}

void MetisParser::fail_long(const char* token, const char* end) const {
  fail(line_, message("found ", detail::quote(token, end), "; allowed are numbers of at most 19 digits"));
}

// Parses up to the last number that is whole; of what remains, no more than a long number is kept.
void MetisParser::parse_text() {
  workers_.check();
  const char* const first = text_.data();
  const char* const end = first + text_.size();
  const char* last = end;
  while (last != first && !is_space(last[-1])) --last;
  parse(first, last);
  // No file has more than two for an edge; where there are many more, they would only take memory.
  if (targets_.size() > kMostUndeclared && (targets_.size() - kMostUndeclared) / 2 > num_edges_) {
    fail(header_line_, message("the header says ", num_edges_, " edges, and there are ", targets_.size(),
                               " neighbours before the file ends"));
  }
  if (!in_comment_ && num_tokens_ == 0 && last != end && *last == '%') in_comment_ = true;
  if (in_comment_) {
    check_comment(last, end);
    last = end;
  } else if (std::size_t(end - last) > kLongestToken) {
    fail_long(last, end);
  }
  text_.erase(text_.begin(), text_.begin() + (last - first));
}

void MetisParser::check_comment(const char* at, const char* end) const {
  if (std::memchr(at, '\0', std::size_t(end - at))) fail(line_, "found a NUL byte in a comment; allowed is text");
}

// [at, last) ends with a space or line end, or is inside a comment.
void MetisParser::parse(const char* at, const char* last) {
  while (at != last) {
    if (in_comment_) {
      const auto* const end = static_cast<const char*>(std::memchr(at, '\n', std::size_t(last - at)));
      check_comment(at, end == nullptr ? last : end);
      if (end == nullptr) return;
      at = end;
    }
    const char* const token = at;
    if (*at == '\n') {
      end_line();
      ++at;
    } else if (is_space(*at)) {
      ++at;
    } else if (*at == '%' && num_tokens_ == 0) {
      in_comment_ = true;
    } else {
      std::uint64_t number = 0;
      const bool fits = detail::is_digit(*at) && detail::scan_digits(at, last, detail::kLargestId, number);
      if (!fits || !is_space(*at) || std::size_t(at - token) > kLongestToken) {
        while (!is_space(*at)) ++at;
        if (std::size_t(at - token) > kLongestToken) fail_long(token, at);
        fail(line_, message("found ", detail::quote(token, at), "; allowed are integers from 0 to ", detail::kLargestId,
                            ", and % before a comment"));
      }
      take(number);
    }
  }
}

inline void MetisParser::take(std::uint64_t number) {
  const std::uint64_t place = num_tokens_++;
  if (header_line_ == 0) {
    if (place == 4) fail(line_, message(kHeader, ", found more than 4 numbers"));
    header_.push_back(number);
    return;
  }
  const std::uint64_t row = offsets_.size() - 1;
  if (row == num_vertices_) {
    fail(line_,
         message("found a line more than the ", num_vertices_, " vertices that line ", header_line_, " declares"));
  }
  if (place >= num_before_ && (!is_weighted_ || (place - num_before_) % 2 == 0)) {
    if (number - 1 >= num_vertices_) {  // 0 - 1 is the largest number
      fail(line_, message("found vertex id ", number, "; allowed are 1 to ", num_vertices_));
    }
    if (number - 1 == row) first_loop_ = std::min(first_loop_, row);
    targets_.push_back(static_cast<VertexId>(number - 1));
  } else if (place >= num_before_) {
    take_weight(number);
  } else if (has_sizes_ && place == 0) {
    sizes_.push_back(static_cast<std::int64_t>(number));
  } else {
    vertex_weights_.push_back(static_cast<std::int64_t>(number));
  }
}

void MetisParser::take_weight(std::uint64_t number) {
  if (number == 0) fail(line_, message("found edge weight 0; allowed are 1 to ", detail::kLargestId));
  if (wide_weights_.empty() && number <= std::uint64_t(std::numeric_limits<std::int32_t>::max())) {
    weights_.push_back(static_cast<std::int32_t>(number));
    return;
  }
  if (wide_weights_.empty()) {
    wide_weights_.assign(weights_.begin(), weights_.end());
    weights_ = {};
  }
  wide_weights_.push_back(static_cast<std::int64_t>(number));
}

void MetisParser::end_line() {
  const std::uint64_t row = offsets_.size() - 1;
  if (in_comment_) {
    in_comment_ = false;
    if (header_line_ != 0) comments_.push_back(row);
  } else if (header_line_ == 0) {
    if (num_tokens_ > 0) take_header();
  } else if (row < num_vertices_) {
    if (is_ambiguous_ && num_tokens_ == 0) {
      sizes_.push_back(-1);
    } else if (num_tokens_ < num_before_) {
      fail(line_, message("found ", num_tokens_, " numbers for vertex ", row + 1, "; line ", header_line_, " needs ",
                          has_sizes_ ? "a size and " : "", num_constraints_, " weights before the neighbours"));
    } else if (is_weighted_ && (num_tokens_ - num_before_) % 2 != 0) {
      fail(line_, message("found no weight after the last neighbour of vertex ", row + 1, "; line ", header_line_,
                          " says that edges have weights"));
    }
    offsets_.push_back(targets_.size());
  }
  ++line_;
  num_tokens_ = 0;
}

void MetisParser::take_header() {
  header_line_ = line_;
  if (header_.size() < 2) fail(line_, message(kHeader, ", found 1 number"));
  num_vertices_ = header_[0];
  num_edges_ = header_[1];
  if (num_vertices_ == 0 || num_vertices_ > kMostVertices) {
    fail(line_, message("found ", num_vertices_, " vertices; allowed are 1 to ", kMostVertices));
  }
  const std::uint64_t fmt = header_.size() > 2 ? header_[2] : 0;
  if (fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1) {
    fail(line_, message("found fmt ", fmt, "; allowed are 0, 1, 10, 11, 100, 101, 110, 111"));
  }
  const std::uint64_t ncon = header_.size() > 3 ? header_[3] : 0;
  const bool has_vertex_weights = fmt / 10 % 10 == 1;
  if (ncon != 0 && !has_vertex_weights) {
    fail(line_, message("found ncon ", ncon, ", but fmt ", fmt, " says that vertices have no weights; allowed is 0"));
  }
  is_weighted_ = fmt % 10 == 1;
  num_constraints_ = has_vertex_weights ? std::max<std::uint64_t>(ncon, 1) : 0;
  is_multigraph_ = fmt >= 100 && dialect_ == MetisDialect::kDimacs10;
  has_sizes_ = fmt >= 100 && !is_multigraph_;
  is_ambiguous_ = fmt == 100 && dialect_ == MetisDialect::kAuto;
  num_before_ = num_constraints_ + has_sizes_;
}

// Entries that the header's number of edges makes.
std::uint64_t MetisParser::num_entries_declared() const {
  return is_multigraph_ || is_directed_ ? num_edges_ : 2 * num_edges_;
}

// fmt=100: without the sizes there are two entries per edge (one if directed), in DIMACS-10 one per edge and no size.
void MetisParser::settle_dialect() {
  if (!is_ambiguous_) return;
  const std::uint64_t num_rows = sizes_.size();
  const std::uint64_t num_firsts = num_rows - std::uint64_t(std::count(sizes_.begin(), sizes_.end(), -1));
  const std::uint64_t num_entries = targets_.size();
  if (num_firsts == num_rows && num_entries == num_entries_declared()) return;
  if (num_entries + num_firsts != num_edges_) {
    fail(header_line_, message("fmt 100 fits neither METIS (a size per line and ", num_entries_declared(),
                               " neighbours; found ", num_firsts, " and ", num_entries, ") nor DIMACS-10 (", num_edges_,
                               " neighbours; found ", num_entries + num_firsts, ")"));
  }
  std::vector<VertexId> targets;
  targets.reserve(num_edges_);
  for (std::uint64_t row = 0; row < num_rows; ++row) {
    const std::uint64_t first = offsets_[row];
    offsets_[row] = targets.size();
    if (sizes_[row] < 0) continue;
    const auto id = static_cast<std::uint64_t>(sizes_[row]);
    if (id - 1 >= num_vertices_) {
      fail(line_of(row), message("found vertex id ", id, "; allowed are 1 to ", num_vertices_));
    }
    targets.push_back(static_cast<VertexId>(id - 1));
    targets.insert(targets.end(), targets_.begin() + std::ptrdiff_t(first),
                   targets_.begin() + std::ptrdiff_t(offsets_[row + 1]));
  }
  offsets_.back() = targets.size();
  targets_ = std::move(targets);
  sizes_.clear();
  has_sizes_ = false;
  is_multigraph_ = true;
}

void MetisParser::check_counts() const {
  const std::uint64_t wanted = num_entries_declared();
  if (targets_.size() != wanted) {
    const char* const why = is_directed_ ? " with directed=True" : is_multigraph_ ? " in DIMACS-10's fmt 100" : "";
    const char* const remedy = is_directed_ && targets_.size() == 2 * num_edges_       ? ", as without it"
                               : wanted != num_edges_ && targets_.size() == num_edges_ ? kOneWay
                                                                                       : "";
    fail(header_line_, message("the header says ", num_edges_, " edges, which ", wanted, " neighbours make", why,
                               "; found ", targets_.size(), remedy));
  }
  if (is_directed_) return;
  if (!is_multigraph_ && first_loop_ < num_vertices_) {
    fail(line_of(first_loop_),
         message("vertex ", first_loop_ + 1, " lists itself; loops are allowed only in fmt 100 of dialect 'dimacs10'"));
  }
}

// Lines count from 1; comments among the rows take one each.
std::uint64_t MetisParser::line_of(std::uint64_t row) const {
  const auto before = std::upper_bound(comments_.begin(), comments_.end(), row) - comments_.begin();
  return header_line_ + 1 + row + std::uint64_t(before);
}

void MetisParser::check_symmetry(const Csr& csr) const {
  const auto unpaired = detail::find_unpaired(csr, {is_multigraph_, !is_multigraph_}, workers_);
  if (!unpaired) return;
  const std::uint64_t u = unpaired->source, v = unpaired->target;
  using Reason = detail::Unpaired::Reason;
  if (unpaired->reason == Reason::kMissing) {
    fail(line_of(u),
         message("vertex ", u + 1, " lists ", v + 1, " more often than vertex ", v + 1, " (line ", line_of(v),
                 ") lists ", u + 1, "; an edge is in the lines of both its ends", is_multigraph_ ? kOneWay : ""));
  }
  if (unpaired->reason == Reason::kParallel) {
    fail(line_of(u), message("vertex ", u + 1, " lists ", v + 1,
                             " twice; parallel edges are allowed only in fmt 100 of dialect 'dimacs10'"));
  }
  fail(line_of(u), message("the edge of vertices ", u + 1, " and ", v + 1, " has another weight on line ", line_of(v),
                           "; both ends must give the same"));
}

ParsedRows MetisParser::finish() {
  const bool is_cut = !ended_line_;  // the final newline is missing, or that of an empty last line
  if (is_cut) text_.push_back('\n');
  parse_text();
  if (header_line_ == 0) {
    throw GraphFormatError(message(file_name_, ": found no header in ", line_ - 1, " lines; ", kHeader));
  }
  const bool is_complete = is_ambiguous_ || targets_.size() == num_entries_declared();
  if (!is_cut && offsets_.size() == num_vertices_ && is_complete && num_before_ <= is_ambiguous_) end_line();
  if (offsets_.size() != num_vertices_ + 1) {
    fail(line_ - 1, message("the file ends after the lines of ", offsets_.size() - 1, " vertices; line ", header_line_,
                            " declares ", num_vertices_, " (an isolated vertex has an empty line)"));
  }
  settle_dialect();
  check_counts();
  ParsedRows parsed;
  Csr& csr = parsed.csr;
  csr.num_rows = csr.num_columns = static_cast<VertexId>(num_vertices_);
  if (targets_.size() <= std::numeric_limits<std::uint32_t>::max()) {
    const Writable<std::uint32_t> narrow(offsets_.size());
    std::copy(offsets_.begin(), offsets_.end(), narrow.data());
    csr.offsets = Offsets(narrow.freeze());
  } else {
    csr.offsets = Offsets(take_over(offsets_));
  }
  csr.targets = take_over(targets_);
  if (!wide_weights_.empty()) {
    csr.weights = take_over(wide_weights_);
  } else if (is_weighted_) {
    csr.weights = take_over(weights_);
  }
  if (!is_directed_) check_symmetry(csr);
  parsed.num_constraints = num_constraints_;
  parsed.vertex_weights = take_over(vertex_weights_);
  parsed.has_vertex_sizes = has_sizes_;
  parsed.vertex_sizes = take_over(sizes_);
  return parsed;
}

}  // namespace gaspipe
