// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/metis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "gaspipe/error.h"
#include "tests/cpp/whole.h"

namespace gaspipe {
namespace {

ParsedRows parse(const std::string& text, MetisDialect dialect = MetisDialect::kAuto, std::size_t step = 0) {
  Workers workers(1);
  MetisParser parser("web.graph", workers, dialect);
  if (step == 0) step = text.size() + 1;
  for (std::size_t i = 0; i < text.size(); i += step) parser.feed(text.data() + i, std::min(step, text.size() - i));
  return parser.finish();
}

// "row: target=weight ..." per row, ids from 0, then weights and sizes of vertices.
std::string show(const ParsedRows& parsed) {
  std::ostringstream text;
  const Csr& csr = parsed.csr;
  for (VertexId row = 0; row < csr.num_rows; ++row) {
    text << row << ':';
    for (EdgeCount e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
      text << ' ' << csr.targets[e];
      if (const auto* weights = std::get_if<Array<std::int32_t>>(&csr.weights)) text << '=' << (*weights)[e];
      if (const auto* weights = std::get_if<Array<std::int64_t>>(&csr.weights)) text << "=L" << (*weights)[e];
    }
    text << '\n';
  }
  if (parsed.num_constraints != 0) {
    text << 'w';
    for (const std::int64_t weight : parsed.vertex_weights) text << ' ' << weight;
  }
  if (parsed.has_vertex_sizes) {
    text << 's';
    for (const std::int64_t size : parsed.vertex_sizes) text << ' ' << size;
  }
  return text.str();
}

std::string error_of(const std::string& text, MetisDialect dialect = MetisDialect::kAuto, std::size_t step = 0) {
  try {
    parse(text, dialect, step);
  } catch (const GraphFormatError& error) {
    return error.what();
  }
  return "no error";
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

const char* const kTriangle = "0: 1 2\n1: 0 2\n2: 0 1\n";

TEST(Metis, ReadsALinePerVertexWithIdsFromOne) {
  EXPECT_EQ(show(parse("3 3\n2 3\n1 3\n1 2\n")), kTriangle);
  EXPECT_EQ(show(parse("3 3 0\n 2\t3 \r\n1 3\r\n1 2")), kTriangle);
  EXPECT_EQ(show(parse("\n% a\n3 3 000\n%b\n2 3\n1 3\n  % c 9 9\n1 2\n\n\n")), kTriangle);
}

TEST(Metis, TakesAnEmptyLineForAnIsolatedVertexAlsoWithoutAFinalNewline) {
  EXPECT_EQ(show(parse("4 1\n\n3\n2\n\n")), "0:\n1: 2\n2: 1\n3:\n");
  EXPECT_EQ(show(parse("4 1\n\n3\n2\n")), "0:\n1: 2\n2: 1\n3:\n");
  EXPECT_EQ(show(parse("1 0\n")), "0:\n");
  EXPECT_PRED2(starts_with, error_of("4 1\n\n3\n2"),
               "web.graph:4: the file ends after the lines of 3 vertices; line 1 declares 4");
}

TEST(Metis, ReadsEveryFmt) {
  EXPECT_EQ(show(parse("2 1 1\n2 7\n1 7\n")), "0: 1=7\n1: 0=7\n");
  EXPECT_EQ(show(parse("2 1 001\n2 5000000000\n1 5000000000\n")), "0: 1=L5000000000\n1: 0=L5000000000\n");
  EXPECT_EQ(show(parse("2 1 10\n5 2\n0 1\n")), "0: 1\n1: 0\nw 5 0");
  EXPECT_EQ(show(parse("2 1 010 3\n5 6 7 2\n0 1 2 1\n")), "0: 1\n1: 0\nw 5 6 7 0 1 2");
  EXPECT_EQ(show(parse("2 1 11 2\n5 6 2 9\n0 1 1 9\n")), "0: 1=9\n1: 0=9\nw 5 6 0 1");
  EXPECT_EQ(show(parse("2 1 100\n40 2\n50 1\n")), "0: 1\n1: 0\ns 40 50");
  EXPECT_EQ(show(parse("2 1 101\n40 2 9\n50 1 9\n")), "0: 1=9\n1: 0=9\ns 40 50");
  EXPECT_EQ(show(parse("2 1 110\n40 1 2\n50 2 1\n")), "0: 1\n1: 0\nw 1 2s 40 50");
  EXPECT_EQ(show(parse("2 1 111 2\n40 1 2 2 9\n50 3 4 1 9\n")), "0: 1=9\n1: 0=9\nw 1 2 3 4s 40 50");
}

TEST(Metis, TellsTheTwoMeaningsOfFmt100ByTheNumberOfEntries) {
  const std::string loops = "3 5 100\n1 2\n1 3\n2\n";
  EXPECT_EQ(show(parse(loops)), "0: 0 1\n1: 0 2\n2: 1\n");
  EXPECT_EQ(show(parse(loops, MetisDialect::kDimacs10)), "0: 0 1\n1: 0 2\n2: 1\n");
  EXPECT_PRED2(starts_with, error_of(loops, MetisDialect::kMetis),
               "web.graph:1: the header says 5 edges, which 10 neighbours make");
  EXPECT_EQ(show(parse("3 4 100\n2 2\n1 1\n\n")), "0: 1 1\n1: 0 0\n2:\n");
  EXPECT_EQ(show(parse("3 4 100\n2 2\n1 1\n")), "0: 1 1\n1: 0 0\n2:\n");
  const std::string sizes = "2 1 100\n1 2\n1 1\n";
  EXPECT_EQ(show(parse(sizes)), "0: 1\n1: 0\ns 1 1");
  EXPECT_PRED2(starts_with, error_of(sizes, MetisDialect::kDimacs10),
               "web.graph:1: the header says 1 edges, which 1 neighbours");
  EXPECT_PRED2(starts_with, error_of("2 2 100\n2\n1 1\n"), "web.graph:1: fmt 100 fits neither METIS");
  EXPECT_PRED2(starts_with, error_of("2 3 100\n9\n1 1\n"), "web.graph:2: found vertex id 9; allowed are 1 to 2");
  EXPECT_EQ(show(parse("2 3 101\n1 4 2 5\n1 5\n", MetisDialect::kDimacs10)), "0: 0=4 1=5\n1: 0=5\n");
}

TEST(Metis, NamesTheLineOfWhatIsWrong) {
  EXPECT_PRED2(starts_with, error_of(""), "web.graph: found no header in 0 lines");
  EXPECT_PRED2(starts_with, error_of("% x\n"), "web.graph: found no header in 1 lines");
  EXPECT_PRED2(starts_with, error_of("3\n"), "web.graph:1: expected \"vertices edges [fmt [ncon]]\", found 1 number");
  EXPECT_PRED2(starts_with, error_of("3 3 1 1 1\n"),
               "web.graph:1: expected \"vertices edges [fmt [ncon]]\", found more");
  EXPECT_PRED2(starts_with, error_of("0 0\n"), "web.graph:1: found 0 vertices; allowed are 1 to");
  EXPECT_PRED2(starts_with, error_of("5000000000 0\n"), "web.graph:1: found 5000000000 vertices; allowed are 1 to");
  EXPECT_PRED2(starts_with, error_of("3 3 12\n"), "web.graph:1: found fmt 12; allowed are 0, 1, 10");
  EXPECT_PRED2(starts_with, error_of("3 3 1000\n"), "web.graph:1: found fmt 1000; allowed");
  EXPECT_PRED2(starts_with, error_of("3 3 1 2\n"), "web.graph:1: found ncon 2, but fmt 1 says");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 4\n1 2\n"), "web.graph:3: found vertex id 4; allowed are 1 to 3");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 0\n1 2\n"), "web.graph:3: found vertex id 0; allowed are 1 to 3");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 x3\n1 2\n"), "web.graph:3: found \"x3\"; allowed are integers");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 -3\n1 2\n"), "web.graph:3: found \"-3\"; allowed are integers");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 3.5\n1 2\n"), "web.graph:3: found \"3.5\"; allowed are integers");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 3%\n1 2\n"), "web.graph:3: found \"3%\"; allowed are integers");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 99999999999999999999\n"),
               "web.graph:2: found \"99999999999999999999\"; allowed");
  EXPECT_PRED2(starts_with, error_of("3 3\n2 3\n1 3\n1 2\n\n1\n"),
               "web.graph:6: found a line more than the 3 vertices");
  EXPECT_PRED2(starts_with, error_of("4 3\n2 3\n1 3\n1 2\n% e"),
               "web.graph:5: the file ends after the lines of 3 vertices");
  EXPECT_PRED2(starts_with, error_of("3 4\n2 3\n1 3\n1 2\n"),
               "web.graph:1: the header says 4 edges, which 8 neighbours make; found 6");
  EXPECT_PRED2(starts_with, error_of("2 1 1\n2 7\n1\n"),
               "web.graph:3: found no weight after the last neighbour of vertex 2");
  EXPECT_PRED2(starts_with, error_of("2 1 1\n2 0\n1 0\n"), "web.graph:2: found edge weight 0; allowed are 1 to");
  EXPECT_PRED2(starts_with, error_of("2 1 110 2\n3 1 2 2\n\n"),
               "web.graph:3: found 0 numbers for vertex 2; line 1 needs a size and 2");
}

TEST(Metis, RefusesWhatTheTwoEndsOfAnEdgeDoNotAgreeOn) {
  EXPECT_PRED2(starts_with, error_of("3 2\n%\n2\n%\n%\n1 3\n1\n"),
               "web.graph:6: vertex 2 lists 3 more often than vertex 3 (line 7) lists 2");
  EXPECT_PRED2(starts_with, error_of("3 2\n2\n1 3 1\n\n"), "web.graph:3: vertex 2 lists 1 twice");
  EXPECT_PRED2(starts_with, error_of("3 2\n3 2\n1 3\n\n"), "web.graph:2: vertex 1 lists 3 more often than");
  EXPECT_PRED2(starts_with, error_of("4 2\n4\n\n\n3 2 1\n"),
               "web.graph:5: vertex 4 lists 2 more often than vertex 2 (line 3)");
  EXPECT_PRED2(starts_with, error_of("2 1 1\n2 7\n1 8\n"),
               "web.graph:2: the edge of vertices 1 and 2 has another weight on line 3");
  EXPECT_PRED2(starts_with, error_of("2 1\n1 2\n\n"), "web.graph:2: vertex 1 lists itself; loops are allowed only");
  EXPECT_PRED2(starts_with, error_of("2 2\n2 2\n1 1\n"),
               "web.graph:2: vertex 1 lists 2 twice; parallel edges are allowed only");
  EXPECT_PRED2(starts_with, error_of("2 3 100\n2 2\n1\n"), "web.graph:2: vertex 1 lists 2 more often than vertex 2");
}

TEST(Metis, ReadsEdgesThatAreListedOneWayWhereToldSo) {
  const auto directed = [](const std::string& text) {
    Workers workers(1);
    MetisParser parser("web.graph", workers, MetisDialect::kAuto, 1 << 20, true);
    parser.feed(text.data(), text.size());
    return parser.finish();
  };
  EXPECT_EQ(show(directed("3 4 100\n2 3 1\n\n2\n")), "0: 1 2 0\n1:\n2: 1\n");
  EXPECT_EQ(show(directed("2 2 1\n2 7\n1 8\n")), "0: 1=7\n1: 0=8\n");
  EXPECT_EQ(show(directed("2 1 100\n40 2\n50\n")), "0: 1\n1:\ns 40 50");
  EXPECT_THROW(directed("3 3\n2 3\n1 3\n1 2\n"), GraphFormatError);
  EXPECT_NE(error_of("3 2\n2 3\n\n\n").find("directed=True"), std::string::npos);
}

TEST(Metis, RefusesNumbersOfVeryManyDigitsWhereverTheBufferEnds) {
  const std::string number = std::string(70, '0') + '1';
  for (const std::string& before : {std::string("1 0\n"), "% " + std::string((1 << 20) - 40, 'x') + "\n1 0\n"}) {
    const std::string line = before.size() > 4 ? "3" : "2";
    const std::string found = error_of(before + number + "\n");
    EXPECT_PRED2(starts_with, found,
                 "web.graph:" + line +
                     ": found \"0000000000000000000000000000000000000000...\"; allowed are "
                     "numbers of at most 19 digits");
  }
}

TEST(Metis, RefusesNulBytesAlsoInComments) {
  for (const std::size_t step : {1, 7, 1000}) {
    EXPECT_PRED2(starts_with, error_of(std::string("1 0\n% a\n%\0\n\n", 12), MetisDialect::kAuto, step),
                 "web.graph:3: found a NUL");
    EXPECT_PRED2(starts_with, error_of(std::string("1 0\n% a\n\0\n\n", 11), MetisDialect::kAuto, step),
                 "web.graph:3: found \"\\x00\"; allowed are integers");
  }
}

TEST(Metis, CountsALineOfBlanksHoweverItIsCut) {
  Workers workers(1);
  for (const std::size_t buffer_size : {65, 1000}) {
    MetisParser parser("web.graph", workers, MetisDialect::kAuto, buffer_size);
    const std::string blanks(130, ' ');
    parser.feed(blanks.data(), blanks.size());
    try {
      parser.finish();
      FAIL() << "no error";
    } catch (const GraphFormatError& error) {
      EXPECT_PRED2(starts_with, std::string(error.what()), "web.graph: found no header in 1 lines");
    }
  }
}

TEST(Metis, ReadsTheSameHoweverTheTextIsCut) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  const std::uint32_t n = 200;
  std::vector<std::vector<std::pair<unsigned, unsigned>>> rows(n);
  std::size_t num_edges = 0;
  for (unsigned u = 0; u < n; ++u) {
    for (unsigned v = u + 1; v < n; ++v) {
      if (random() % 20 != 0) continue;
      const unsigned weight = 1 + random() % 100000;
      rows[u].push_back({v, weight});
      rows[v].push_back({u, weight});
      ++num_edges;
    }
  }
  std::ostringstream text, wanted;
  text << "% " << std::string(300, 'x') << '\n' << n << ' ' << num_edges << " 1\n";
  for (unsigned u = 0; u < n; ++u) {
    std::shuffle(rows[u].begin(), rows[u].end(), random);
    wanted << u << ':';
    for (const auto& [v, weight] : rows[u]) {
      text << v + 1 << ' ' << weight << "  ";
      wanted << ' ' << v << '=' << weight;
    }
    text << '\n';
    wanted << '\n';
  }
  for (const std::size_t step : {0, 1, 7, 64, 1000}) {
    EXPECT_EQ(show(parse(text.str(), MetisDialect::kAuto, step)), wanted.str()) << "seed " << seed << " step " << step;
  }
}

TEST(Metis, HoldsNoMoreOfTheTextThanANumber) {
  const std::size_t size = std::size_t(5) << 20;
  EXPECT_EQ(show(parse("%" + std::string(size, 'x') + "\n2 1\n" + std::string(size, ' ') + "2\n1\n")), "0: 1\n1: 0\n");
  EXPECT_PRED2(starts_with, error_of("2 1\n" + std::string(size, '1') + "\n1\n"), "web.graph:2: found \"1111");
  EXPECT_PRED2(starts_with, error_of("2 1\n" + std::string(size, '\0')), "web.graph:2: found \"\\x00");
}

// Any bytes end in rows or in GraphFormatError; the sanitizers see the rest.
TEST(Metis, SurvivesChangedBytes) {
  const unsigned seed = 12;
  std::mt19937 random(seed);
  const std::vector<std::string> texts = {"3 3\n2 3\n1 3\n1 2\n", "2 1 111 2\n40 1 2 2 9\n50 3 4 1 9\n",
                                          "3 5 100\n1 2\n1 3\n2\n", "% c\n4 1 1\n\n3 5\n2 5\n\n"};
  const std::string bytes("0123456789 \n\r%\t-x\0", 18);
  for (int round = 0; round < (testing::whole() ? 20000 : 3000); ++round) {
    std::string text = texts[random() % texts.size()];
    for (int changes = 1 + int(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1 + random() % 3, byte);
          break;
        default:
          text.resize(std::max<std::size_t>(at, 1));
      }
    }
    const auto dialect = static_cast<MetisDialect>(random() % 3);
    EXPECT_NE(error_of(text, dialect, random() % 5), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace gaspipe
