// SPDX-License-Identifier: Apache-2.0
// Text gathers in a buffer, is cut at line ends into pieces, and each piece is parsed by itself into a block of
// columns; only the line that may hold the counts is looked at before. Blocks are accepted in file order, so the
// outcome does not depend on the number of threads.
#include "gaspipe/edge_list.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compact_ids.h"
#include "edge_block.h"
#include "gaspipe/error.h"
#include "join_blocks.h"
#include "matrix_market.h"
#include "scan.h"

namespace gaspipe {
namespace {

using detail::EdgeBlock;
using detail::for_each_block;
using detail::IdOnLine;

// More vertices than both: ids are sparse, and arrays by vertex would take far more memory than the file.
constexpr std::uint64_t kManyVertices = std::uint64_t(1) << 24;
constexpr std::uint64_t kManyVerticesPerEdge = 64;

}  // namespace

EdgeListParser::EdgeListParser(std::string file_name, Workers& workers, const EdgeText& text)
    : file_name_(std::move(file_name)), workers_(workers), syntax_(text) {}
EdgeListParser::~EdgeListParser() = default;

void EdgeListParser::fail(std::uint64_t line, const std::string& what) const {
  throw GraphFormatError(message(file_name_, ":", line, ": ", what));
}

// The next line, for messages.
const char* EdgeListParser::expected() const {
  const bool is_banner = syntax_.syntax == EdgeSyntax::kMatrixMarket && num_lines_ == 0;
  return is_banner ? detail::kBanner : detail::expected(syntax_.syntax, matrix_);
}

void EdgeListParser::feed(const char* data, std::size_t size) {
  text_.reserve(syntax_.sizes.buffer);
  while (size > 0) {
    const std::size_t taken = std::min(size, syntax_.sizes.buffer - text_.size());
    text_.insert(text_.end(), data, data + taken);
    data += taken;
    size -= taken;
    if (text_.size() == syntax_.sizes.buffer) parse_text();
  }
}

// Parses all complete lines; what remains is a line's beginning, far shorter than the buffer.
void EdgeListParser::parse_text() {
  const char* const first = text_.data();
  const char* last = first + text_.size();
  while (last != first && last[-1] != '\n') --last;
  std::vector<const char*> cuts{parse_start(first, last)};
  while (cuts.back() != last) {
    const char* cut = last;
    if (std::size_t(last - cuts.back()) > syntax_.sizes.piece) {
      cut = cuts.back() + syntax_.sizes.piece;
      cut = static_cast<const char*>(std::memchr(cut - 1, '\n', std::size_t(last - cut) + 1)) + 1;
    }
    cuts.push_back(cut);
  }
  std::vector<EdgeBlock> blocks(cuts.size() - 1);
  // Columns grow in a block that each worker keeps, and are copied at their size: fresh memory costs more than the
  // copy.
  std::vector<EdgeBlock> scratch(std::size_t(workers_.size()));
  for (EdgeBlock& block : scratch) {
    block.syntax = syntax_.syntax;
    block.longest_line = syntax_.sizes.longest_line;
    block.last_id = header_.vertices;
    block.matrix = matrix_;
  }
  workers_.each(blocks.size(), 1, [&](std::uint64_t begin, std::uint64_t end, int worker) {
    EdgeBlock& block = scratch[std::size_t(worker)];
    for (std::uint64_t i = begin; i < end; ++i) {
      block.clear();
      block.parse(cuts[i], cuts[i + 1]);
      blocks[i] = block;
    }
  });
  for (EdgeBlock& block : blocks) accept(block);
  const char* const end = first + text_.size();
  // A \r may belong to the line's end.
  if (end != last && std::size_t(end - last) > syntax_.sizes.longest_line + (end[-1] == '\r')) {
    fail(num_lines_ + 1, detail::describe_line(last, end, "", expected(), syntax_.sizes.longest_line));
  }
  text_.erase(text_.begin(), text_.begin() + (last - first));
}

// Takes the lines up to and with the first that is neither comment nor blank, which may say the counts. Returns where
// the others start.
const char* EdgeListParser::parse_start(const char* at, const char* last) {
  if (is_started_ || at == last) return at;
  workers_.check();
  const auto line_after = [&](const char* line) {
    return static_cast<const char*>(std::memchr(line, '\n', std::size_t(last - line))) + 1;
  };
  if (syntax_.syntax == EdgeSyntax::kMatrixMarket && num_lines_ == 0) {
    const char* const next = line_after(at);
    take_banner(at, next);
    at = next;
  }
  const char* line = at;
  while (line != last) {
    const char* const word = detail::skip_blanks(line);
    if (!detail::is_line_end(word) && !detail::is_comment(word, syntax_.syntax)) break;
    line = line_after(line);
  }
  EdgeBlock before;
  before.syntax = syntax_.syntax;
  before.longest_line = syntax_.sizes.longest_line;
  before.parse(at, line);
  accept(before);
  if (line == last) return last;
  is_started_ = true;
  const char* const next = line_after(line);
  if (syntax_.syntax == EdgeSyntax::kDimacs9) {
    take_problem_line(line, next);
  } else if (syntax_.syntax == EdgeSyntax::kMatrixMarket) {
    take_size_line(line, next);
  } else {
    EdgeBlock first;
    first.longest_line = syntax_.sizes.longest_line;
    first.parse(line, next);
    take_first_edge(first);
  }
  return next;
}

void EdgeListParser::take_banner(const char* at, const char* last) {
  ++num_lines_;
  const std::string fault = detail::read_banner(at, last, syntax_.sizes.longest_line, matrix_);
  if (!fault.empty()) fail(num_lines_, fault);
}

void EdgeListParser::take_size_line(const char* at, const char* last) {
  ++num_lines_;
  const std::string fault = detail::read_size_line(at, last, syntax_.sizes.longest_line, matrix_);
  if (!fault.empty()) fail(num_lines_, fault);
  header_ = {std::max(matrix_.num_rows, matrix_.num_columns), matrix_.num_entries, num_lines_};
}

void EdgeListParser::take_problem_line(const char* at, const char* last) {
  ++num_lines_;
  const char* const line = at;
  const char* const end = last - (last - line > 1 && last[-2] == '\r' ? 2 : 1);
  const auto scan_count = [&](std::uint64_t& count) {
    const char* const gap = at;
    at = detail::skip_blanks(at);
    return at != gap && detail::is_digit(*at) && detail::scan_digits(at, last, detail::kLargestId, count);
  };
  at = detail::skip_blanks(at);
  bool is_good = *at == 'p' && detail::is_blank(at[1]);
  if (is_good) at = detail::skip_blanks(at + 1);
  is_good = is_good && at[0] == 's' && at[1] == 'p';
  if (is_good) at += 2;
  is_good = is_good && scan_count(header_.vertices) && scan_count(header_.edges);
  const std::size_t longest = syntax_.sizes.longest_line;
  const bool is_long = std::size_t(end - line) > longest;
  if (is_long || !is_good || !detail::is_line_end(detail::skip_blanks(at))) {
    const char* const wanted = is_long ? expected() : "expected the problem line \"p sp vertices arcs\"";
    fail(num_lines_, detail::describe_line(line, end, "", wanted, longest));
  }
  header_.line = num_lines_;
  if (header_.vertices == 0 || header_.vertices > kMostVertices) {
    fail(num_lines_, message("found ", header_.vertices, " vertices; allowed are 1 to ", kMostVertices));
  }
}

// The first edge line may be a header; what it is shows at the end.
void EdgeListParser::take_first_edge(EdgeBlock& block) {
  if (block.is_bad()) return accept(block);
  const auto [vertices, edges] =
      std::visit([](const auto& ids) { return std::pair<std::uint64_t, std::uint64_t>(ids[0], ids[1]); }, block.ids);
  // 0 - 1 is the largest number.
  if (block.num_columns == 2 && vertices - 1 < kMostVertices && syntax_.header != Header::kAbsent) {
    header_ = {vertices, edges, ++num_lines_};
    block.first_edge_line = block.largest.line = num_lines_;
    if (block.beyond_vertices.line != 0) block.beyond_vertices.line = num_lines_;
    first_edge_.push_back(std::move(block));
    return;
  }
  if (syntax_.header == Header::kPresent) {
    fail(num_lines_ + 1, block.num_columns == 3
                             ? std::string("expected the header \"vertices edges\", found 3 columns")
                             : message("the header says ", vertices, " vertices; allowed are 1 to ", kMostVertices));
  }
  accept(block);
}

// With all lines read, makes what may be a header one, or else an edge.
void EdgeListParser::settle_header(bool relabel) {
  if (syntax_.syntax == EdgeSyntax::kMatrixMarket) return check_num_entries();
  if (header_.line == 0) return;
  const IdOnLine largest = largest_id();
  const bool is_dimacs9 = syntax_.syntax == EdgeSyntax::kDimacs9;  // where blocks check the ids
  const bool is_certain = is_dimacs9 || syntax_.header == Header::kPresent;
  const bool ids_fit = largest.line == 0 || is_dimacs9 || largest.id < header_.vertices;
  const std::string counts = message("says ", header_.edges, " edges, but ", num_edges_, " edge lines follow");
  if (is_certain && num_edges_ != header_.edges) fail(header_.line, "the header " + counts);
  if (is_certain && !ids_fit && !relabel) {
    fail(largest.line, message("found vertex id ", largest.id, "; the header on line ", header_.line, " allows 0 to ",
                               header_.vertices - 1));
  }
  if (is_certain || (num_edges_ == header_.edges && ids_fit)) return;
  if (num_columns_ == 3) {
    fail(first_edge_line_, message("found 3 columns, but 2 on line ", header_.line,
                                   "; all edge lines need the same number. As a header, ", "line ", header_.line, " ",
                                   num_edges_ != header_.edges ? counts : message("allows no vertex id ", largest.id)));
  }
  for (EdgeBlock& block : blocks_) ++block.first_edge;
  first_edge_.front().first_edge = num_taken_;
  blocks_.insert(blocks_.begin(), std::move(first_edge_.front()));
  num_columns_ = 2;
  ++num_edges_;
  header_ = {};
}

void EdgeListParser::check_num_entries() const {
  if (header_.line == 0) {
    fail(num_lines_ + 1, message("the file ends here; ", expected()));
  }
  const std::uint64_t found = num_edges_ - num_mirrored_;
  if (found == matrix_.num_entries) return;
  fail(header_.line, message("the size line says ", matrix_.num_entries, " entries, but ", found, " follow"));
}

void EdgeListParser::accept(EdgeBlock& block) {
  const auto fail_columns = [&](std::uint64_t line, int columns) {
    const std::uint64_t first_line = num_columns_ == 2 && header_.line != 0 ? header_.line : first_edge_line_;
    fail(line, message("found ", columns, " columns, but ", num_columns_, " on line ", first_line,
                       "; all edge lines need the same number"));
  };
  block.first_edge_line += num_lines_;
  block.largest.line += num_lines_;
  if (block.beyond_vertices.line != 0) block.beyond_vertices.line += num_lines_;
  if (num_columns_ == 0) {
    num_columns_ = block.num_columns;
    first_edge_line_ = block.first_edge_line;
  } else if (block.num_columns != 0 && block.num_columns != num_columns_) {
    fail_columns(block.first_edge_line, block.num_columns);
  }
  num_lines_ += block.num_lines;
  if (block.other_num_columns != 0) fail_columns(num_lines_, block.other_num_columns);
  if (!block.fault.empty()) fail(num_lines_, block.fault);
  block.first_edge = num_edges_;
  num_edges_ += block.num_edges();
  num_mirrored_ += block.num_mirrored;
  if (block.num_columns != 0) blocks_.push_back(std::move(block));
}

IdOnLine EdgeListParser::largest_id() const {
  IdOnLine largest = largest_taken_;
  for (const EdgeBlock& block : blocks_) {
    if (largest.line == 0 || block.largest.id > largest.id) largest = block.largest;
  }
  return largest;
}

void EdgeListParser::check_ids() const {
  for (const EdgeBlock& block : blocks_) {
    if (block.beyond_vertices.line != 0) {
      fail(block.beyond_vertices.line,
           message("found vertex id ", block.beyond_vertices.id, "; allowed are 0 to ", kMostVertices - 1,
                   ", or use relabel=True to number only the ids that occur"));
    }
  }
}

std::uint64_t EdgeListParser::count_vertices() const {
  const IdOnLine largest = largest_id();
  const bool is_declared = header_.line != 0;
  const std::uint64_t num_vertices = is_declared ? header_.vertices : num_edges_ == 0 ? 0 : largest.id + 1;
  if (num_vertices > kManyVertices && num_vertices > kManyVerticesPerEdge * (num_edges_ + 1)) {
    if (syntax_.syntax == EdgeSyntax::kMatrixMarket) {
      throw InputError(message(file_name_, ":", header_.line, ": a matrix of ", matrix_.num_rows, " x ",
                               matrix_.num_columns, " for ", num_edges_, " entries; if that is meant, read it with ",
                               "scipy.io.mmread and pass the result to gaspipe.Graph"));
    }
    if (is_declared) {
      throw InputError(message(file_name_, ":", header_.line, ": the header makes a graph of ", num_vertices,
                               " vertices for ", num_edges_, " edges; if that is meant, pass the edges and ",
                               "num_vertices= to gaspipe.Graph"));
    }
    throw InputError(message(file_name_, ":", largest.line, ": vertex id ", largest.id, " makes a graph of ",
                             num_vertices, " vertices for ", num_edges_,
                             " edges; use relabel=True to number only the ids that occur"));
  }
  return num_vertices;
}

ParsedEdges EdgeListParser::take(bool relabel) {
  if (!relabel) check_ids();
  largest_taken_ = largest_id();
  ParsedEdges parsed = join(relabel);
  num_taken_ = num_edges_;
  return parsed;
}

ParsedEdges EdgeListParser::finish(bool relabel) {
  if (!text_.empty() && text_.back() != '\n') text_.push_back('\n');
  parse_text();
  if (syntax_.syntax == EdgeSyntax::kDimacs9 && header_.line == 0) {
    throw GraphFormatError(
        message(file_name_, ": found no problem line in ", num_lines_, " lines; expected \"p sp vertices arcs\""));
  }
  settle_header(relabel);
  if (num_edges_ == 0 && !syntax_.may_be_empty && (header_.line == 0 || relabel)) {
    throw GraphFormatError(message(file_name_, ": no edges found in ", num_lines_, " lines; ", expected(), " lines"));
  }
  if (!relabel) check_ids();
  const std::uint64_t num_vertices = relabel ? 0 : count_vertices();
  ParsedEdges parsed = join(relabel);
  if (!relabel) parsed.edges.num_vertices = num_vertices;
  num_edges_ = 0;
  return parsed;
}

// The edges of the blocks at hand.
ParsedEdges EdgeListParser::join(bool relabel) {
  ParsedEdges parsed;
  EdgeList& edges = parsed.edges;
  const detail::Blocks from{blocks_, num_taken_, num_edges_, workers_};
  if (!relabel) {
    const std::uint64_t first_id = syntax_.syntax != EdgeSyntax::kPlain;
    join_ends(from, [=](std::uint64_t id) { return static_cast<VertexId>(id - first_id); }, edges);
  } else {
    std::uint64_t largest_id = 0;
    for (const EdgeBlock& block : blocks_) largest_id = std::max(largest_id, block.largest.id);
    if (detail::IdBits::suit(largest_id, from.size())) {
      const detail::IdBits places(from, largest_id);
      parsed.labels = places.ids<std::int64_t>();
      join_ends(from, places, edges);
    } else {
      detail::IdTables places(from);
      parsed.labels = places.place<std::int64_t>(workers_);
      join_ends(from, places, edges);
    }
    edges.num_vertices = parsed.labels.size();
    if (edges.num_vertices > kMostVertices) {
      throw CapacityError(message(file_name_, ": found ", edges.num_vertices, " vertices; at most ", kMostVertices));
    }
    if (header_.line != 0 && edges.num_vertices > header_.vertices) {
      fail(header_.line, message("the header says ", header_.vertices, " vertices, but ", edges.num_vertices,
                                 " different ids follow"));
    }
  }
  using Values = MatrixMarket::Values;
  // Matrices have the type that the banner says, whatever the values.
  if (num_columns_ == 3 || matrix_.values != Values::kNone) {
    const std::size_t widest = matrix_.values == Values::kInteger ? 1 : matrix_.values == Values::kReal ? 2 : 0;
    edges.weights = join_weights(from, widest);
  }
  parsed.matrix = matrix_;
  blocks_.clear();
  return parsed;
}

}  // namespace gaspipe
