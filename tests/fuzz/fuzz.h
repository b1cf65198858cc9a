// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. A target takes any bytes: the first few choose options, the rest is
// the file. It throws Violation where the reader breaks a promise; whatever else leaves it is a fault too, but for the
// errors a reader may end in. libFuzzer runs the targets (main.cpp.in), and so does a test (replay_test.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace fuzz {

using Target = void (*)(const std::uint8_t* data, std::size_t size);

void edge_list(const std::uint8_t* data, std::size_t size);
void dimacs9(const std::uint8_t* data, std::size_t size);
void matrix_market(const std::uint8_t* data, std::size_t size);
void metis(const std::uint8_t* data, std::size_t size);
void blocks(const std::uint8_t* data, std::size_t size);
void checkpoint(const std::uint8_t* data, std::size_t size);
void xclbin(const std::uint8_t* data, std::size_t size);
void boxes(const std::uint8_t* data, std::size_t size);

struct Violation : std::logic_error {
  using std::logic_error::logic_error;
};

// Of an input; fewer where executions count (GASPIPE_FUZZ_THREADS): to hand work to a thread takes longer than to read.
inline int most_threads = 3;

// The options' bytes in front of the text.
constexpr std::size_t kNumOptions = 3;

struct Options {
  int num_threads = 1;     // 1 to most_threads
  unsigned choice = 0;     // of the target: relabel, header, dialect, ...
  std::size_t pieces = 0;  // length of the pieces the text is fed in; 0: lengths of all kinds
  std::size_t sizes = 0;   // how small the reader's buffers are
};

inline Options options_of(const std::uint8_t* data) {
  Options options;
  options.num_threads = std::min(1 + data[0] % 3, most_threads);
  options.choice = data[0] / 4;
  options.pieces = data[1] % 24;
  options.sizes = data[2];
  return options;
}

// Hands the text over in pieces.
template <class Parser>
void feed(Parser& parser, const std::string& text, std::size_t pieces) {
  std::size_t step = pieces;
  for (std::size_t at = 0; at < text.size(); at += step) {
    if (pieces == 0) step = 1 + (7 * at + 3) % 61;
    const std::string piece = text.substr(at, step);  // of its own, so that reading past its end shows
    parser.feed(piece.data(), piece.size());
  }
}

template <class T>
std::string bytes_of(const Array<T>& array) {
  const auto* const first = reinterpret_cast<const char*>(array.data());
  return array.size() == 0 ? std::string() : std::string(first, array.size() * sizeof(T));
}

inline std::string bytes_of(const Weights& weights) {
  return char('0' + weights.index()) +
         std::visit(
             [](const auto& values) -> std::string {
               if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
                 return "";
               } else {
                 return bytes_of(values);
               }
             },
             weights);
}

// All weights as doubles, empty where there are none: what the plain readers compare.
inline std::vector<double> decimals_of(const Weights& weights) {
  return std::visit(
      [](const auto& values) -> std::vector<double> {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          return {};
        } else {
          return {values.begin(), values.end()};
        }
      },
      weights);
}

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Violation(what);
}

// What a reader made of a text: `read` gives the arrays as bytes; an error its message, which begins with the file.
template <class Read>
std::string outcome_of(const Read& read) {
  try {
    return "graph " + read();
  } catch (const GraphFormatError& error) {
    require(std::strncmp(error.what(), "file", 4) == 0, std::string("the message names no file: ") + error.what());
    return std::string("GraphFormatError ") + error.what();
  } catch (const InputError& error) {
    return std::string("InputError ") + error.what();
  } catch (const CapacityError& error) {
    return std::string("CapacityError ") + error.what();
  }
}

inline bool is_graph(const std::string& outcome) { return outcome.compare(0, 6, "graph ") == 0; }

// For messages: the arrays of a graph are no text.
inline std::string shown(const std::string& outcome) { return is_graph(outcome) ? "a graph" : outcome; }

inline void require_same(const std::string& whole, const std::string& pieces) {
  require(whole == pieces, "in pieces the text means something else: " + shown(whole) + " | " + shown(pieces));
}

// Lines without their ends, as the plain readers see them.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t first = 0;
  while (first < text.size()) {
    std::size_t last = text.find('\n', first);
    if (last == std::string::npos) last = text.size();
    lines.push_back(text.substr(first, last - first));
    first = last + 1;
  }
  return lines;
}

// What a stream would give word by word, in a tenth of the time.
inline std::vector<std::string> words_of(const std::string& line) {
  constexpr const char* kBlanks = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (std::size_t first = line.find_first_not_of(kBlanks); first != std::string::npos;) {
    const std::size_t last = line.find_first_of(kBlanks, first);
    words.push_back(line.substr(first, last - first));
    first = line.find_first_not_of(kBlanks, last);
  }
  return words;
}

// An error names a line of the text, or the one after it.
inline void require_line(const std::string& outcome, const std::string& text) {
  const std::size_t at = outcome.find("file:");
  if (is_graph(outcome) || at == std::string::npos || outcome[at + 5] == ' ') return;
  const unsigned long line = std::strtoul(outcome.c_str() + at + 5, nullptr, 10);
  require(line >= 1 && line <= lines_of(text).size() + 1, "there is no such line: " + outcome);
}

// Rows can be built from the edges; not tried where a few edges have very many vertices.
inline void require_valid(const EdgeList& edges) {
  if (edges.num_vertices == 0) return;
  Workers workers(1);
  validate(edges, edges.num_vertices, workers);
  if (edges.num_vertices > 100000) return;
  const Csr csr = build_csr(edges, edges.num_vertices, workers);
  validate(csr, workers);
  require(csr.num_edges() == edges.sources.size(), "the rows have another number of edges");
}

}  // namespace fuzz
}  // namespace gaspipe
