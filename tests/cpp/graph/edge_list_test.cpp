// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace gaspipe {
namespace {

using Ids = std::vector<std::uint64_t>;
constexpr std::size_t kMiB = std::size_t(1) << 20;

ParsedEdges parse(const std::string& text, bool relabel = false, int num_threads = 1, std::size_t step = 0) {
  Workers workers(num_threads);
  EdgeListParser parser("web.txt", workers);
  if (step == 0) step = text.size() + 1;
  for (std::size_t i = 0; i < text.size(); i += step) parser.feed(text.data() + i, std::min(step, text.size() - i));
  return parser.finish(relabel);
}

// "source>target " per edge, with the weight of each edge where there are weights.
std::string show(const ParsedEdges& parsed) {
  std::ostringstream text;
  for (std::size_t i = 0; i < parsed.edges.sources.size(); ++i) {
    text << parsed.edges.sources[i] << '>' << parsed.edges.targets[i];
    std::visit(
        [&](const auto& weights) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) text << '=' << weights[i];
        },
        parsed.edges.weights);
    text << ' ';
  }
  return text.str();
}

std::string error_of(const std::string& text, bool relabel = false, int num_threads = 1, std::size_t step = 0) {
  try {
    parse(text, relabel, num_threads, step);
  } catch (const GraphFormatError& error) {
    return error.what();
  } catch (const InputError& error) {
    return std::string("InputError ") + error.what();
  }
  return "no error";
}

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

template <class T>
std::vector<T> list(const Array<T>& array) {
  return std::vector<T>(array.begin(), array.end());
}

template <class T>
std::vector<T> weights_of(const std::string& text) {
  return list(std::get<Array<T>>(parse(text).edges.weights));
}

TEST(EdgeList, ReadsSourceAndDestinationAndCountsVerticesFromTheLargestId) {
  const ParsedEdges parsed = parse("0 1\n2 0\n0 7\n");
  EXPECT_EQ(show(parsed), "0>1 2>0 0>7 ");
  EXPECT_EQ(parsed.edges.num_vertices, 8u);
  EXPECT_EQ(parsed.labels.size(), 0u);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(parsed.edges.weights));
}

TEST(EdgeList, KeepsLoopsAndParallelEdgesInFileOrder) {
  EXPECT_EQ(show(parse("4 4\n1 2\n1 2\n0 0\n")), "4>4 1>2 1>2 0>0 ");
}

TEST(EdgeList, AcceptsBlanksTabsCommasCommentsAndBlankLines) {
  EXPECT_EQ(show(parse("# a\n  # b\n% c\n\n \t \n 1\t 2 \n3,4\n5 , 6\t\n#7 8\n007 08\n")), "1>2 3>4 5>6 7>8 ");
  EXPECT_EQ(show(parse("1,2,3\n1 2 4\n1\t2 ,5\n")), "1>2=3 1>2=4 1>2=5 ");
}

TEST(EdgeList, ReadsIdsAndWeightsOfAnyNumberOfDigits) {
  std::string digits;
  for (int num_digits = 1; num_digits <= 18; ++num_digits) {
    digits += static_cast<char>('0' + (20 - num_digits) % 10);  // 9, 98, 987, ...
    for (const std::string& text :
         {"0 " + digits, digits + " 0\n0 0", digits + " 0\r\n1 2\n", "00000000" + digits + ",0\n0 0\n"}) {
      const ParsedEdges parsed = parse(text, true);
      EXPECT_EQ(std::to_string(parsed.labels[parsed.labels.size() - 1]), digits) << text;
    }
    EXPECT_EQ(show(parse("1 2 -" + digits)), "1>2=-" + digits + " ");
    EXPECT_EQ(show(parse("1 2 " + digits + "\n3 4 0\n")), "1>2=" + digits + " 3>4=0 ");
  }
}

TEST(EdgeList, AcceptsCarriageReturnsAndAMissingFinalNewline) {
  EXPECT_EQ(show(parse("# c\r\n\r\n1 2\r\n3 4 \r\n5 6")), "1>2 3>4 5>6 ");
  EXPECT_EQ(show(parse("1 2 -3\r\n3 4 5\r")), "1>2=-3 3>4=5 ");
}

TEST(EdgeList, AcceptsCommentsInAnyEncoding) { EXPECT_EQ(show(parse("# \xc3\xa9t\xe9 \x01\n1 2\n# \xff")), "1>2 "); }

TEST(EdgeList, DoesNotDependOnHowTheTextIsCut) {
  const std::string text = "# head\r\n10 2 3\r\n\n 4\t5 -6\n%x\n7 , 8 , 9.5e0\r\n0 1 +1";
  const std::string whole = show(parse(text));
  EXPECT_EQ(whole, "10>2=3 4>5=-6 7>8=9.5 0>1=1 ");
  for (std::size_t step = 1; step < text.size(); ++step) EXPECT_EQ(show(parse(text, false, 2, step)), whole) << step;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Workers workers(1);
    EdgeListParser parser("web.txt", workers);
    parser.feed(text.data(), cut);
    parser.feed(text.data() + cut, 0);
    parser.feed(text.data() + cut, text.size() - cut);
    EXPECT_EQ(show(parser.finish(false)), whole) << cut;
  }
}

TEST(EdgeList, StoresIntegerWeightsInTheNarrowestTypeThatHoldsAll) {
  EXPECT_EQ(weights_of<std::int32_t>("0 1 2147483647\n0 1 -2147483648\n0 1 +7\n0 1 0\n"),
            (std::vector<std::int32_t>{2147483647, std::numeric_limits<std::int32_t>::min(), 7, 0}));
  EXPECT_EQ(weights_of<std::int64_t>("0 1 5\n0 1 2147483648\n0 1 6\n"), (std::vector<std::int64_t>{5, 2147483648, 6}));
  EXPECT_EQ(
      weights_of<std::int64_t>("0 1 9223372036854775807\n0 1 -9223372036854775808\n"),
      (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}));
}

TEST(EdgeList, OneDecimalMakesAllWeightsDouble) {
  EXPECT_EQ(weights_of<double>("0 1 3\n0 1 4294967296\n0 1 0.1\n0 1 -2\n"),
            (std::vector<double>{3, 4294967296, 0.1, -2}));
  EXPECT_EQ(weights_of<double>("0 1 1e3\n0 1 +.5\n0 1 -5.\n0 1 -1E-2\n0 1 inf\n0 1 -Infinity\n"),
            (std::vector<double>{1000, 0.5, -5, -0.01, HUGE_VAL, -HUGE_VAL}));
  EXPECT_TRUE(std::isnan(weights_of<double>("0 1 NaN\n")[0]));
  EXPECT_EQ(weights_of<double>("0 1 99999999999999999999.5\n0 1 5e-324\n"), (std::vector<double>{1e20, 5e-324}));
}

// Short decimals are not left to from_chars; strtod must round them to the same bits.
TEST(EdgeList, RoundsDecimalsAsStrtodDoes) {
  const unsigned seed = 17;
  std::mt19937_64 random(seed);
  std::vector<std::string> words{"0.1",
                                 "-0.0",
                                 ".5",
                                 "-.5",
                                 "+.25",
                                 "5.",
                                 "9007199254740991.5",
                                 "900719925474099.2",
                                 "8.999999999999999",
                                 "9.000000000000001",
                                 "0.000000000000001",
                                 "0.0000000000000001",
                                 "1.7976931348623157e308",
                                 "0.3e1"};
  for (int i = 0; i < 20000; ++i) {
    const std::string digits = std::to_string(random() >> random() % 60);
    const std::size_t point = random() % (digits.size() + 1);
    words.push_back((i % 2 ? "-" : "") + digits.substr(0, point) + "." + std::string(random() % 3, '0') +
                    digits.substr(point));
  }
  std::string text;
  for (const std::string& word : words) text += "0 1 " + word + "\n";
  const std::vector<double> weights = weights_of<double>(text);
  ASSERT_EQ(weights.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double wanted = std::strtod(words[i].c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&weights[i], &wanted, sizeof(wanted)), 0) << words[i] << " seed " << seed;
  }
}

TEST(EdgeList, OneDecimalInAnotherBlockMakesAllWeightsDouble) {
  std::string text;
  const int n = 100000;  // 7 blocks
  for (int i = 0; i < n; ++i) text += "1 2 " + std::to_string(i) + "\n";
  const auto all_integers = weights_of<std::int32_t>(text);
  const auto wide = weights_of<std::int64_t>(text + "1 2 10000000000\n");
  const auto decimal = weights_of<double>("1 2 10000000000\n" + text + "1 2 0.5\n");
  ASSERT_EQ(all_integers.size(), std::size_t(n));
  ASSERT_EQ(decimal.size(), std::size_t(n + 2));
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(all_integers[i], i);
    ASSERT_EQ(wide[i], i);
    ASSERT_EQ(decimal[i + 1], i);
  }
}

TEST(EdgeList, RelabelsIdsInAscendingOrder) {
  const ParsedEdges parsed = parse("30 1412\n3 30\n1412 0\n", true);
  EXPECT_EQ(show(parsed), "2>3 1>2 3>0 ");
  EXPECT_EQ(parsed.edges.num_vertices, 4u);
  EXPECT_EQ(list(parsed.labels), (std::vector<std::int64_t>{0, 3, 30, 1412}));
}

TEST(EdgeList, RelabelsIdsUpTo63Bits) {
  const ParsedEdges parsed = parse("9223372036854775807 5 0.5\n4294967296 4294967295 2\n5 4294967294 1\n", true);
  EXPECT_EQ(show(parsed), "4>0=0.5 3>2=2 0>1=1 ");
  EXPECT_EQ(list(parsed.labels),
            (std::vector<std::int64_t>{5, 4294967294, 4294967295, 4294967296, 9223372036854775807}));
}

TEST(EdgeList, RelabelsLargeListsTheSameWayWhetherIdsAreDenseOrSparse) {
  const unsigned seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (const int bits : {17, 34, 62}) {
    std::mt19937_64 random(seed);
    Ids pool(50000), ends(200000);
    for (auto& id : pool) id = random() >> (64 - bits);
    for (auto& id : ends) id = pool[random() % pool.size()];
    std::string text;
    for (std::size_t i = 0; i < ends.size(); i += 2)
      text += std::to_string(ends[i]) + " " + std::to_string(ends[i + 1]) + "\n";
    std::map<std::uint64_t, VertexId> places;
    for (const auto id : ends) places[id] = 0;
    VertexId next = 0;
    for (auto& place : places) place.second = next++;
    for (const int num_threads : {1, 2}) {
      const ParsedEdges parsed = parse(text, true, num_threads);
      ASSERT_EQ(parsed.edges.num_vertices, places.size());
      ASSERT_EQ(parsed.labels.size(), places.size());
      for (const auto& [id, place] : places) ASSERT_EQ(std::uint64_t(parsed.labels[place]), id);
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        ASSERT_EQ(parsed.edges.sources[i / 2], places[ends[i]]);
        ASSERT_EQ(parsed.edges.targets[i / 2], places[ends[i + 1]]);
      }
    }
  }
}

// The edges of a text that are taken as it is read, those of `finish` last.
struct Taken {
  std::vector<std::string> shown;
  ParsedEdges last;
};

Taken take_all(const std::string& text, Header header = Header::kAuto, std::size_t step = 7) {
  Workers workers(2);
  EdgeText syntax;
  syntax.header = header;
  syntax.sizes = {32, 8, 16};
  EdgeListParser parser("web.txt", workers, syntax);
  Taken taken;
  for (std::size_t i = 0; i < text.size(); i += step) {
    parser.feed(text.data() + i, std::min(step, text.size() - i));
    const std::string shown = show(parser.take(false));
    if (!shown.empty()) taken.shown.push_back(shown);
  }
  taken.last = parser.finish(false);
  return taken;
}

TEST(EdgeList, HandsOverEdgesAsTheyAreRead) {
  std::string text, edges;
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(i) + " " + std::to_string(100 - i) + "\n";
    edges += std::to_string(i) + ">" + std::to_string(100 - i) + " ";
  }
  const Taken taken = take_all(text, Header::kAbsent);
  EXPECT_GT(taken.shown.size(), 10u);
  std::string joined;
  for (const std::string& shown : taken.shown) joined += shown;
  EXPECT_EQ(joined + show(taken.last), edges);
  EXPECT_EQ(taken.last.edges.num_vertices, 101u);
}

TEST(EdgeList, TellsAHeaderFromAnEdgeAlsoWhereEdgesHaveBeenTaken) {
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += std::to_string(i) + " 0\n";
  EXPECT_EQ(take_all("40 30\n" + lines).last.edges.num_vertices, 40u);
  const Taken edge = take_all("40 29\n" + lines);  // an edge after all
  EXPECT_EQ(edge.last.edges.num_vertices, 41u);
  EXPECT_EQ(show(edge.last).substr(0, 6), "40>29 ");
  EXPECT_EQ(take_all("29 30\n" + lines).last.edges.num_vertices, 31u);  // an id is too large for it
  EXPECT_EQ(take_all("30 30\n" + lines).last.edges.num_vertices, 30u);
  EXPECT_THROW(take_all("29 30\n" + lines, Header::kPresent), GraphFormatError);
  EXPECT_THROW(take_all("0 1\n1 2\n5000000000 3\n" + lines), GraphFormatError);
}

TEST(EdgeList, RelabelsEachLotThatIsTakenByItself) {
  Workers workers(1);
  EdgeText syntax;
  syntax.header = Header::kAbsent;
  syntax.sizes = {32, 8, 16};
  EdgeListParser parser("web.txt", workers, syntax);
  const std::string text = "900 5000000000\n5000000000 7\n1 900\n7 1\n";
  parser.feed(text.data(), text.size());
  ParsedEdges lot = parser.take(true);
  EXPECT_EQ(show(lot), "1>2 2>0 ");
  EXPECT_EQ(list(lot.labels), (std::vector<std::int64_t>{7, 900, 5000000000}));
  lot = parser.finish(true);
  EXPECT_EQ(show(lot), "0>2 1>0 ");
  EXPECT_EQ(list(lot.labels), (std::vector<std::int64_t>{1, 7, 900}));
}

TEST(EdgeList, ReadsTextLargerThanItsBufferOnAnyNumberOfThreads) {
  std::string text = "# head\n";
  const std::uint32_t n = 700000;
  for (std::uint32_t i = 0; i < n; ++i)
    text += std::to_string(i) + "\t" + std::to_string(n - i) + (i % 3 ? "\n" : "\r\n");
  ASSERT_GT(text.size(), std::size_t(9) << 20);
  std::vector<VertexId> ascending(n), descending(n);
  std::iota(ascending.begin(), ascending.end(), 0u);
  std::iota(descending.rbegin(), descending.rend(), 1u);
  const auto first_difference = [](const auto& found, const auto& expected) {
    return std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin();
  };
  for (const int num_threads : {1, 2}) {
    for (const std::size_t step : {std::size_t(0), std::size_t(65537)}) {
      const ParsedEdges parsed = parse(text, false, num_threads, step);
      ASSERT_EQ(parsed.edges.sources.size(), n);
      ASSERT_EQ(parsed.edges.num_vertices, n + 1);
      ASSERT_EQ(first_difference(parsed.edges.sources, ascending), n);
      ASSERT_EQ(parsed.edges.targets.size(), n);
      ASSERT_EQ(first_difference(parsed.edges.targets, descending), n);
    }
  }
}

TEST(EdgeList, ReportsWhatItFoundAndWhatItExpected) {
  const std::string expected = "web.txt:2: expected \"source destination [weight]\", found ";
  EXPECT_EQ(error_of("1 2\n12 abc\n"), expected + "\"12 abc\"");
  for (const std::string line :
       {"1",      "1,",  ",1",      "1,,2",    "1 2 3 4", "1 2,",     "-1 2",      "+1 2",     "1.0 2", "1 2 x",
        "1 2 1e", "1;2", "1 2 +-5", "1 2 --5", "1 2 .",   "1 2 0x10", "1 2 1.5.5", "1 2 infx", "a b",   "1 2#"}) {
    EXPECT_EQ(error_of("0 1\n" + line + "\n0 1\n"), expected + '"' + line + '"');
    EXPECT_EQ(error_of("0 1\n" + line + "\r\n0 1\n"), expected + '"' + line + '"');
    EXPECT_EQ(error_of("0 1\n" + line), expected + '"' + line + '"');
  }
  EXPECT_EQ(error_of("0 1\n1 2\r3 4\n"), expected + "\"1 2\\r3 4\"");
  EXPECT_EQ(error_of("0 1\n1\t\xc3\xa9\n"), expected + "\"1\\t\\xc3\\xa9\"");
  EXPECT_EQ(error_of("0 1\n" + std::string(50, 'x')), expected + '"' + std::string(40, 'x') + "...\"");
}

TEST(EdgeList, ReportsNumbersOutOfRange) {
  EXPECT_EQ(error_of("9223372036854775807 0\n0 9223372036854775808\n", true),
            "web.txt:2: found vertex id \"9223372036854775808\"; allowed are 0 to 9223372036854775807");
  EXPECT_TRUE(starts(error_of("0 1 99999999999999999999\n"), "web.txt:1: found weight \"99999999999999999999\"; "));
  EXPECT_TRUE(
      starts(error_of("0 1 0.5\n0 1 -9223372036854775809"), "web.txt:2: found weight \"-9223372036854775809\"; "));
  EXPECT_TRUE(starts(error_of("0 1 1e999\n"), "web.txt:1: found weight \"1e999\"; "));
}

TEST(EdgeList, NamesBothColumnCountsWhenTheyDiffer) {
  EXPECT_EQ(error_of("#\n1 2\n3 4\n5 6 7\n"),
            "web.txt:4: found 3 columns, but 2 on line 2; all edge lines need the same number");
  EXPECT_EQ(error_of("1 2 3\n\n3 4\n"),
            "web.txt:3: found 2 columns, but 3 on line 1; all edge lines need the same number");
}

TEST(EdgeList, ReportsTheFirstBadLineOfTheFileOnAnyNumberOfThreads) {
  std::string text = "#\n";
  for (int i = 1; i < 200000; ++i) text += "12345 67890123456\n";  // 3.6 MB: many blocks
  const auto at = [](std::uint64_t line) { return (line - 2) * 18 + 2; };
  const auto put = [&](std::uint64_t line, const char* edge) { return std::string(text).replace(at(line), 17, edge); };
  for (const int num_threads : {1, 2}) {
    for (const std::size_t step : {std::size_t(0), kMiB + 3}) {
      for (const std::uint64_t line : {2, 7284, 200000}) {
        const std::string prefix = "web.txt:" + std::to_string(line) + ": ";
        EXPECT_TRUE(starts(error_of(put(line, "1 2 x            "), true, num_threads, step), prefix + "expected"));
        if (line == 2) continue;
        const std::string columns = error_of(put(line, "1 2 3            "), true, num_threads, step);
        EXPECT_TRUE(starts(columns, prefix + "found 3 columns, but 2 on line 2")) << columns;
        std::string two = put(line, "1 2 3            ");
        two.replace(at(200000), 17, "x                ");
        if (line != 200000) {
          EXPECT_EQ(error_of(two, true, num_threads, step), columns);
        }
      }
      std::string many = text;
      for (std::uint64_t line = 50000; line < 200000; line += 1000) many.replace(at(line), 1, "x");
      EXPECT_TRUE(starts(error_of(many, true, num_threads, step), "web.txt:50000: expected"));
    }
  }
}

TEST(EdgeList, SaysThatAFileLooksBinary) {
  using std::string_literals::operator""s;
  EXPECT_TRUE(starts(error_of("0 1\n\x7f"
                              "ELF\x02\n"),
                     "web.txt:2: the file looks binary, found \"\\x7fELF\\x02\"; "));
  for (const std::string& text : {"1\0 2\n"s, "# a\0b\n1 2\n"s, "\0\0\0\0"s, std::string(3 * kMiB, '\0')}) {
    for (const std::size_t step : {std::size_t(0), kMiB / 2}) {
      EXPECT_TRUE(starts(error_of(text, false, 1, step), "web.txt:1: the file looks binary")) << error_of(text);
    }
  }
}

TEST(EdgeList, RefusesLinesLongerThanOneMiB) {
  const std::string longest = "1 2" + std::string(kMiB - 3, ' ');
  EXPECT_EQ(show(parse("#" + std::string(kMiB - 1, 'x') + "\n" + longest + "\n3 4\n")), "1>2 3>4 ");
  EXPECT_EQ(show(parse("0 1\n" + longest)), "0>1 1>2 ");
  for (const std::string& line : {longest + " ", "#" + std::string(kMiB, 'x'), std::string(20 * kMiB, '1')}) {
    for (const std::string& text : {"0 1\n" + line + "\n0 1\n", "0 1\n" + line}) {
      for (const std::size_t step : {std::size_t(0), kMiB / 3}) {
        EXPECT_TRUE(starts(error_of(text, false, 2, step), "web.txt:2: the line is longer than 1 MiB"));
      }
    }
  }
}

TEST(EdgeList, RefusesTextWithoutEdges) {
  for (const std::string text : {"", "\n", "# only\r\n% comments", "\r\n\r\n  "}) {
    for (const bool relabel : {false, true}) EXPECT_TRUE(starts(error_of(text, relabel), "web.txt: no edges found"));
  }
}

TEST(EdgeList, RefusesIdsBeyondVerticesUnlessRelabelled) {
  const std::string advice = "; allowed are 0 to 4294967294, or use relabel=True to number only the ids that occur";
  EXPECT_EQ(error_of("1 2\n4294967295 9999999999\n5000000000 1\n"), "web.txt:2: found vertex id 4294967295" + advice);
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "1 2\n";
  EXPECT_EQ(error_of(text + "3 9223372036854775807\n"), "web.txt:100001: found vertex id 9223372036854775807" + advice);
  EXPECT_EQ(parse(text + "3 9223372036854775807\n", true).edges.num_vertices, 4u);
}

TEST(EdgeList, RefusesFarMoreVerticesThanEdgesUnlessRelabelled) {
  EXPECT_EQ(error_of("0 1\n7 4294967294\n1 0\n"),
            "InputError web.txt:2: vertex id 4294967294 makes a graph of 4294967295 vertices for 3 edges; use "
            "relabel=True to number only the ids that occur");
  EXPECT_EQ(parse("0 16777215\n").edges.num_vertices, 16777216u);
  EXPECT_TRUE(starts(error_of("0 16777216\n"), "InputError web.txt:1: "));
  std::string text;
  for (int i = 0; i < 262144; ++i) text += "0 1\n";
  EXPECT_EQ(parse("5 16777216\n" + text).edges.num_vertices, 16777217u);  // 64 per edge
}

std::string show_counts(const ParsedEdges& parsed) {
  return std::to_string(parsed.edges.num_vertices) + ": " + show(parsed);
}

ParsedEdges parse_as(const EdgeText& kind, const std::string& text, bool relabel = false, std::size_t step = 0) {
  Workers workers(2);
  EdgeListParser parser("web.txt", workers, kind);
  if (step == 0) step = text.size() + 1;
  for (std::size_t i = 0; i < text.size(); i += step) parser.feed(text.data() + i, std::min(step, text.size() - i));
  return parser.finish(relabel);
}

std::string error_as(const EdgeText& kind, const std::string& text, bool relabel = false) {
  try {
    parse_as(kind, text, relabel);
  } catch (const GraphFormatError& error) {
    return error.what();
  } catch (const InputError& error) {
    return std::string("InputError ") + error.what();
  }
  return "no error";
}

EdgeText with(Header header) {
  EdgeText kind;
  kind.header = header;
  return kind;
}

EdgeText dimacs9() {
  EdgeText kind;
  kind.syntax = EdgeSyntax::kDimacs9;
  return kind;
}

TEST(EdgeList, TakesAFirstLineForAHeaderExactlyWhereItsCountsHold) {
  EXPECT_EQ(show_counts(parse("# c\n\n9 2\n0 1\n# c\n5 4\n")), "9: 0>1 5>4 ");
  EXPECT_EQ(show_counts(parse("9 2\r\n0 1 7\r\n5 4 8")), "9: 0>1=7 5>4=8 ");
  EXPECT_EQ(show_counts(parse("1000 0\n")), "1000: ");
  EXPECT_EQ(show_counts(parse("1 0")), "1: ");
  EXPECT_EQ(show_counts(parse("9 3\n0 1\n5 4\n")), "10: 9>3 0>1 5>4 ");  // another number of lines
  EXPECT_EQ(show_counts(parse("5 2\n0 1\n5 4\n")), "6: 5>2 0>1 5>4 ");   // an id beyond it
  EXPECT_EQ(show_counts(parse("0 1\n0 0\n")), "2: 0>1 0>0 ");            // no vertices
  EXPECT_EQ(show_counts(parse("0 0\n")), "1: 0>0 ");
  EXPECT_EQ(show_counts(parse("9 2\n7 1\n5 7\n", true)), "3: 2>0 1>2 ");
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i % 1000) + " 7\n";
  for (const std::size_t step : {std::size_t(0), std::size_t(1000)}) {
    const ParsedEdges headed = parse_as({}, "2000 300000\n" + text, false, step);
    EXPECT_EQ(headed.edges.num_vertices, 2000u);
    EXPECT_EQ(headed.edges.sources.size(), 300000u);
    const ParsedEdges plain = parse_as({}, "2000 300001\n" + text, false, step);
    EXPECT_EQ(plain.edges.num_vertices, 300002u);
    EXPECT_EQ(plain.edges.sources.size(), 300001u);
    EXPECT_EQ(plain.edges.sources[0], 2000u);
    EXPECT_EQ(plain.edges.sources[300000], 999u);
  }
}

TEST(EdgeList, SaysWhyAFirstLineIsNoHeaderWhereItIsNoEdgeEither) {
  EXPECT_EQ(
      error_of("9 3\n0 1 7\n5 4 8\n"),
      "web.txt:2: found 3 columns, but 2 on line 1; all edge lines need the same number. As a header, line 1 says 3 "
      "edges, but 2 edge lines follow");
  EXPECT_TRUE(starts(error_of("3 2\n0 1 7\n5 4 8\n"), "web.txt:2: found 3 columns, but 2 on line 1"));
  EXPECT_TRUE(starts(error_of("0 2\n0 1 7\n5 4 8\n"), "web.txt:2: found 3 columns, but 2 on line 1"));
  EXPECT_TRUE(starts(error_of("9 2\n0 1\n5 4 8\n"), "web.txt:3: found 3 columns, but 2 on line 1"));
  EXPECT_TRUE(starts(error_of("9 2\nx\n"), "web.txt:2: expected \"source destination [weight]\", found \"x\""));
  EXPECT_TRUE(starts(error_of("x\n9 2\n"), "web.txt:1: expected \"source destination [weight]\", found \"x\""));
  EXPECT_TRUE(starts(error_of("4000000000 1\n0 1\n"), "InputError web.txt:1: the header makes a graph of 4000000000"));
}

TEST(EdgeList, HoldsAHeaderThatMustBeThereToItsCounts) {
  const EdgeText kind = with(Header::kPresent);
  EXPECT_EQ(show_counts(parse_as(kind, "9 2\n0 1\n5 4\n")), "9: 0>1 5>4 ");
  EXPECT_EQ(error_as(kind, "#\n9 3\n0 1\n5 4\n"), "web.txt:2: the header says 3 edges, but 2 edge lines follow");
  EXPECT_EQ(error_as(kind, "5 3\n0 1\n4 5\n1 1\n"), "web.txt:3: found vertex id 5; the header on line 1 allows 0 to 4");
  EXPECT_EQ(show_counts(parse_as(kind, "3 2\n70 10\n50 70\n", true)), "3: 2>0 1>2 ");
  EXPECT_EQ(error_as(kind, "2 2\n70 10\n50 70\n", true),
            "web.txt:1: the header says 2 vertices, but 3 different ids follow");
  EXPECT_TRUE(starts(error_as(kind, "0 1 7\n"), "web.txt:1: expected the header \"vertices edges\", found 3 columns"));
  EXPECT_TRUE(starts(error_as(kind, "0 1\n0 0\n"), "web.txt:1: the header says 0 vertices; allowed are 1 to"));
  EXPECT_TRUE(starts(error_as(kind, "# none\n"), "web.txt: no edges found"));
}

TEST(EdgeList, TakesNoHeaderWhereThereIsNone) {
  EXPECT_EQ(show_counts(parse_as(with(Header::kAbsent), "9 2\n0 1\n5 4\n")), "10: 9>2 0>1 5>4 ");
  EXPECT_EQ(show_counts(parse_as(with(Header::kAbsent), "1 0\n")), "2: 1>0 ");
  EdgeText empty = with(Header::kAbsent);
  empty.may_be_empty = true;
  EXPECT_EQ(show_counts(parse_as(empty, "#\n")), "0: ");
  EXPECT_EQ(show_counts(parse_as(empty, "", true)), "0: ");
}

TEST(Dimacs9, ReadsArcsWithIdsFromOne) {
  const std::string text = "c roads\nc\n\np sp 4 3\r\na 1 2 803\r\nc\tmore\na 2 1 7\n  a 3 3 9";
  EXPECT_EQ(show_counts(parse_as(dimacs9(), text)), "4: 0>1=803 1>0=7 2>2=9 ");
  EXPECT_EQ(show_counts(parse_as(dimacs9(), text, false, 1)), "4: 0>1=803 1>0=7 2>2=9 ");
  EXPECT_EQ(show_counts(parse_as(dimacs9(), "p sp 4 0\n")), "4: ");
  std::string many = "p sp 1000 300000\n";
  for (int i = 0; i < 300000; ++i) many += "a " + std::to_string(i % 1000 + 1) + " 1000 " + std::to_string(i) + "\n";
  const ParsedEdges parsed = parse_as(dimacs9(), many);
  EXPECT_EQ(parsed.edges.sources[299999], 999u);
  EXPECT_EQ(parsed.edges.targets[299999], 999u);
}

TEST(Dimacs9, NamesTheLineOfWhatIsWrong) {
  const auto error = [](const std::string& text) { return error_as(dimacs9(), text); };
  const std::string problem = "expected the problem line \"p sp vertices arcs\"";
  EXPECT_EQ(error("c x\n"), "web.txt: found no problem line in 1 lines; expected \"p sp vertices arcs\"");
  for (const std::string line : {"p tw 4 3", "a 1 2 3", "p sp 4", "p sp 4 x", "p sp 4 3 2", "psp 4 3", "p spx 4 3",
                                 "p s", "p", "p sp 4 -3", "p sp 99999999999999999999 1", "0 1"}) {
    EXPECT_EQ(error("c\n" + line + "\n"), "web.txt:2: " + problem + ", found \"" + line + "\"");
  }
  EXPECT_TRUE(starts(error("p sp 0 0\n"), "web.txt:1: found 0 vertices; allowed are 1 to"));
  EXPECT_TRUE(starts(error("p sp 4 1\na 1 5 3\n"), "web.txt:2: found vertex id 5; the problem line allows 1 to 4"));
  EXPECT_TRUE(starts(error("p sp 4 1\na 0 1 3\n"), "web.txt:2: found vertex id 0; the problem line allows 1 to 4"));
  EXPECT_EQ(error("p sp 4 2\na 1 2 3\n"), "web.txt:1: the header says 2 edges, but 1 edge lines follow");
  EXPECT_EQ(error("p sp 4 1\na 1 2 3\na 1 2 3\n"), "web.txt:1: the header says 1 edges, but 2 edge lines follow");
  EXPECT_TRUE(starts(error("p sp 4 1\np sp 4 1\n"), "web.txt:2: found a second problem line"));
  for (const std::string line : {"a 1 2", "a 1 2 x", "1 2 3", "e 1 2 3", "a1 2 3", "cx", "a 1 2 3 4", "# x"}) {
    EXPECT_EQ(error("p sp 4 1\n" + line + "\n"),
              "web.txt:2: expected \"a source destination weight\", found \"" + line + "\"");
  }
  EXPECT_TRUE(starts(error("p sp 4000000000 0\n"), "InputError web.txt:1: the header makes a graph of 4000000000"));
}

// With buffers of a few lines, the last line of one is cut; with large ones, none is.
TEST(EdgeList, SaysTheSameOfLongLinesWhereverTheBufferEnds) {
  const std::string blanks(34, ' ');
  for (const auto& [kind, text, wanted] : std::vector<std::tuple<EdgeText, std::string, std::string>>{
           {with(Header::kAuto), "0 1\n1 2 3" + blanks + " \n", "web.txt:2: the line is longer than 38 bytes"},
           {with(Header::kAuto), "0 1\n" + blanks + " 1 2 3\n", "web.txt:2: the line is longer than 38 bytes"},
           {with(Header::kAuto), "0 1\n1 2" + blanks + " \r\n1 2\n", "no error"},
           {with(Header::kAuto), "0 1\n1 x" + blanks + " \r\n1 2\n", "web.txt:2: expected \"source destination"},
           {with(Header::kAuto), "0 1\n1 2" + blanks + "  \r\n1 2\n", "web.txt:2: the line is longer than 38 bytes"},
           {dimacs9(), "c\np sp 1 0" + blanks + "\n", "web.txt:2: the line is longer than 38 bytes, it starts "}}) {
    for (const std::size_t buffer : {40, 41, 42, 43, 44, 45, 46, 47, 48, 60, 1000}) {
      EdgeText cut = kind;
      cut.sizes = {buffer, 1, 38};
      const std::string found = error_as(cut, text);
      EXPECT_TRUE(starts(found, wanted)) << buffer << ' ' << text << found;
    }
  }
}

// Any bytes end in edges or in an error; the sanitizers see the rest.
TEST(EdgeList, SurvivesChangedBytes) {
  const unsigned seed = 13;
  std::mt19937 random(seed);
  const std::string edges = "# c\n9 3\n0 1 7\n\n5 4 8.5\n5,4,1e3\n", arcs = "c x\np sp 4 2\na 1 2 803\nc\na 2 1 7\n";
  const std::string bytes("0123456789 \n\r%\t-xcap,\0", 22);
  for (int round = 0; round < 2000; ++round) {
    EdgeText kind = random() % 2 ? dimacs9() : with(static_cast<Header>(random() % 3));
    kind.may_be_empty = random() % 4 == 0;
    std::string text = kind.syntax == EdgeSyntax::kDimacs9 ? arcs : edges;
    for (int changes = 1 + int(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 5 == 0) text.resize(std::max<std::size_t>(at, 1));
      text.insert(random() % text.size(), random() % 2, bytes[random() % bytes.size()]);
      text[random() % text.size()] = bytes[random() % bytes.size()];
    }
    EXPECT_NE(error_as(kind, text, random() % 2), "") << "seed " << seed;
  }
}

TEST(EdgeList, StopsWhenCancelled) {
  Workers workers(1);
  EdgeListParser parser("web.txt", workers);
  workers.cancel();
  const std::string text(9 * kMiB, '\n');
  EXPECT_THROW(parser.feed(text.data(), text.size()), Cancelled);
}

}  // namespace
}  // namespace gaspipe
