// SPDX-License-Identifier: Apache-2.0
// What whole answers do not show: what hooks count, words at the ceiling, when programs end, and what they ask for.
#include <gtest/gtest.h>

#include <sstream>

#include "hls/algorithm/article_rank.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "hls/algorithm/wcc.h"
#include "hls/algorithm/weighted_pagerank.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

struct Listed {
  std::ostringstream text;
  template <class T>
  void operator()(const char* name, T& value, Allowed allowed, const char*) {
    text << name;
    if constexpr (std::is_arithmetic_v<T>) text << "=" << value;
    text << " " << (allowed.open_low ? "(" : "[") << allowed.low << ", " << allowed.high
         << (allowed.open_high ? ")" : "]") << "; ";
  }
};
template <class Parameters>
std::string listed() {
  Parameters parameters;
  Listed list;
  parameters.each(list);
  return list.text.str();
}

TEST(Hooks, ParametersHaveTheirDefaultsAndRanges) {
  EXPECT_EQ(listed<algorithm::bfs::Parameters>().substr(0, 7), "root=0 ");
  EXPECT_EQ(listed<algorithm::sssp::Parameters>().substr(0, 7), "root=0 ");
  EXPECT_EQ(listed<algorithm::spmv::Parameters>().substr(0, 2), "x ");
  EXPECT_EQ(listed<algorithm::closeness::Parameters>().substr(0, 9), "vertices ");
  EXPECT_NE(listed<algorithm::closeness::Parameters>().find("; wf_improved=1 "), std::string::npos);
  const std::string any = ", 1.79769e+308]; ";  // any finite number
  const std::string common = "damping=0.85 [0, 1]; tol=1e-06 [0" + any + "max_iter=100 [1" + any;
  const std::string personal = "personalization [0" + any;
  EXPECT_EQ(listed<algorithm::article_rank::Parameters>(), common);
  EXPECT_EQ(listed<algorithm::weighted_pagerank::Parameters>(), common + personal);
  const std::string all = listed<algorithm::pagerank::Parameters>();
  EXPECT_EQ(all.substr(0, all.find("weights=")), common + personal);
  EXPECT_EQ(all.substr(all.find("weights="), 10), "weights=0 ");
}

template <class Hooks>
void check_counts() {
  using Property = typename Hooks::Property;
  const Property none = 0;
  unsigned extra = 0;
  EXPECT_EQ(Hooks::applyFunc(5, 5, none, extra, 0), Property(5));
  EXPECT_EQ(Hooks::applyFunc(6, 5, none, extra, 0), Property(5));
  EXPECT_EQ(extra, 0u);
  EXPECT_EQ(Hooks::applyFunc(4, 5, none, extra, 0), Property(4));
  EXPECT_EQ(extra, 1u);
}
TEST(Hooks, CountVerticesThatChange) {
  check_counts<algorithm::bfs::Hooks<std::uint32_t>>();
  check_counts<algorithm::wcc::Hooks<std::uint32_t>>();
  check_counts<algorithm::sssp::Hooks<float>>();
}

constexpr std::uint32_t kMax = 0xffffffffu, kOne = 1u << 31, kHalf = 1u << 30;

TEST(Hooks, WeightedRanksStopAtTheCeiling) {
  using Hooks = algorithm::weighted_pagerank::Hooks<Fixed<32>>;
  const auto check = [](std::uint32_t update, std::uint32_t teleport, std::uint64_t source, std::uint32_t dangles,
                        Hooks::Arg arg, std::uint64_t rank, bool saturated) {
    const std::uint32_t aux[2] = {dangles, teleport};
    std::uint64_t extra[3] = {10, 20, 30};
    const auto found = Hooks::applyFunc(update, static_cast<std::uint32_t>(source), aux, extra, arg);
    EXPECT_EQ(found, rank) << update << ", " << teleport;
    EXPECT_EQ(extra[0], 10 + (rank > source ? rank - source : source - rank));
    EXPECT_EQ(extra[1], dangles != 0 ? 20u + rank : 20u);
    EXPECT_EQ(extra[2], 30u + saturated);
  };
  check(100, 60, 7, 1, {kHalf, kHalf}, 80, false);
  check(100, 60, 700, 0, {kHalf, kHalf}, 80, false);
  check(kMax - 3, 2, 5, 1, {kOne, kOne}, kMax - 1, false);
  check(kMax - 3, 3, 5, 1, {kOne, kOne}, kMax, true);
  check(kMax - 3, 9, 5, 0, {kOne, kOne}, kMax, true);
  check(kMax, 0, 5, 0, {kHalf, kHalf}, kMax, true);
  check(0, kMax, 5, 0, {kHalf, kHalf}, kMax, true);
}

TEST(Hooks, RanksStopAtTheCeiling) {
  using Hooks = algorithm::pagerank::Hooks<Fixed<32>>;
  const auto check = [](std::uint32_t update, std::uint32_t teleport, std::uint32_t out_degree, Hooks::Arg arg,
                        std::uint32_t contribution, std::uint64_t dangling, bool saturated) {
    const std::uint32_t aux[2] = {out_degree, teleport};
    std::uint64_t extra[3] = {10, 20, 30};
    EXPECT_EQ(Hooks::applyFunc(update, 0, aux, extra, arg), contribution) << update << ", " << teleport;
    EXPECT_EQ(extra[1], 20 + dangling);
    EXPECT_EQ(extra[2], 30u + saturated);
  };
  check(100, 60, 4, {kHalf, kHalf}, 20, 0, false);
  check(100, 60, 0, {kHalf, kHalf}, 80, 80, false);
  check(kMax - 3, 2, 0, {kOne, kOne}, kMax - 1, kMax - 1, false);
  check(kMax - 3, 3, 0, {kOne, kOne}, kMax, kMax, true);
  check(kMax - 3, 90, 1, {kOne, kOne}, kMax, 0, true);
  check(kMax, 0, 3, {kHalf, kHalf}, kMax / 3, 0, true);
  check(0, kMax, 3, {kHalf, kHalf}, kMax / 3, 0, true);
}

TEST(Hooks, ArticleRanksAreRoundedAndStopAtTheCeiling) {
  using Hooks = algorithm::article_rank::Hooks<Fixed<32>>;
  const auto check = [](std::uint32_t update, std::uint32_t source, double divisor, Hooks::Arg arg,
                        std::uint32_t contribution, bool saturated) {
    std::uint64_t extra[2] = {10, 30};
    const auto found = Hooks::applyFunc(update, source, static_cast<std::uint64_t>(divisor * 65536), extra, arg);
    EXPECT_EQ(found, contribution) << update << " / " << divisor;
    const double change = contribution > source ? contribution - source : source - contribution;
    EXPECT_EQ(extra[0], 10 + static_cast<std::uint64_t>(change * divisor));
    EXPECT_EQ(extra[1], 30u + saturated);
  };
  check(100, 7, 2.5, {50, kHalf}, 40, false);   // (50 + 50) / 2.5
  check(101, 700, 2.0, {50, kOne}, 76, false);  // 75.5
  check(100, 700, 4.0, {49, kOne}, 37, false);  // 37.25
  check(100, 0, 4.0, {51, kOne}, 38, false);    // 37.75
  check(kMax - 3, 5, 1.0, {2, kOne}, kMax - 1, false);
  check(kMax - 3, 5, 1.0, {3, kOne}, kMax, true);
  check(kMax - 3, 5, 2.0, {300, kOne}, 0x80000000u, true);
  check(kMax, 5, 1.0, {0, kHalf}, kMax, true);
  double changes = 1;
  using Plain = algorithm::article_rank::Hooks<double>;
  EXPECT_EQ(Plain::applyFunc(4, 10, 2, changes, {1, 0.5}), 1.5);
  EXPECT_EQ(changes, 1 + 8.5 * 2);
}

// A program on a graph of two vertices, the first with an edge to the second.
template <class Program, class Parameters>
struct Two {
  Csr rows = csr_of(2, {{0, 1}});
  Context<Parameters> context;
  explicit Two(const Parameters& parameters) {
    context.num_vertices = 2;
    context.num_edges = 1;
    context.offsets = rows.offsets.data();
    context.scale_bits = 31;
    context.parameters = parameters;
  }
  Program program() const { return Program{context}; }
};

template <template <class> class P, class Parameters>
void check_end() {
  Parameters parameters;
  parameters.tol = 0.5;
  parameters.max_iter = 3;
  const double enough[3] = {0.5, 0, 0}, more[3] = {0.75, 0, 0}, none[3] = {0, 0, 0};
  const Two<P<double>, Parameters> with(parameters);
  EXPECT_EQ(with.program().until(0, enough), Until::kDone);
  EXPECT_EQ(with.program().until(1, more), Until::kGoOn);
  EXPECT_EQ(with.program().until(2, more), Until::kNotConverged);
  EXPECT_TRUE(with.program().uses_sum(0));
  parameters.tol = 0;
  const Two<P<double>, Parameters> without(parameters);
  EXPECT_EQ(without.program().until(1, none), Until::kGoOn);
  EXPECT_EQ(without.program().until(2, none), Until::kDone);
  EXPECT_FALSE(without.program().uses_sum(0));
  const Two<P<Fixed<32>>, Parameters> fixed(parameters);
  EXPECT_TRUE(fixed.program().uses_sum(P<Fixed<32>>::kSaturations));
}
TEST(Hooks, RanksEndAtTheToleranceOrAfterTheirSteps) {
  check_end<algorithm::pagerank::Program, algorithm::pagerank::Parameters>();
  check_end<algorithm::weighted_pagerank::Program, algorithm::weighted_pagerank::Parameters>();
  check_end<algorithm::article_rank::Program, algorithm::article_rank::Parameters>();
  EXPECT_EQ(algorithm::article_rank::Program<Fixed<32>>::scale_bits(1000, 5000), 31);
}

template <template <class> class P, class Parameters>
void check_dangling() {
  const Parameters parameters;
  EXPECT_TRUE((Two<P<double>, Parameters>(parameters).program().uses_sum(1)));
  Two<P<double>, Parameters> circle(parameters);
  circle.rows = csr_of(2, {{0, 1}, {1, 0}});
  circle.context.offsets = circle.rows.offsets.data();
  EXPECT_FALSE(circle.program().uses_sum(1));
}
// A row behind the graph's last has no edges, and is no vertex.
template <template <class> class P, class Parameters>
void check_initial_dangling() {
  const Parameters parameters;
  EXPECT_EQ((Two<P<double>, Parameters>(parameters).program().initial_dangling), 0.5);
  Two<P<double>, Parameters> one(parameters);
  one.context.num_vertices = 1;
  EXPECT_EQ(one.program().initial_dangling, 0);
}
TEST(Hooks, RankWithoutOutEdgesIsThatOfTheGraphsVertices) {
  check_initial_dangling<algorithm::pagerank::Program, algorithm::pagerank::Parameters>();
  check_initial_dangling<algorithm::weighted_pagerank::Program, algorithm::weighted_pagerank::Parameters>();
}

// What lies behind a program's own sums is not looked at.
template <class Program, class Parameters>
void check_search_end() {
  const Two<Program, Parameters> two((Parameters()));
  const std::uint64_t none[2] = {0, 9}, one[2] = {1, 0}, two_left[2] = {2, 0};
  EXPECT_EQ(two.program().until(0, none), Until::kDone);
  EXPECT_EQ(two.program().until(0, one), Until::kGoOn);
  EXPECT_EQ(two.program().until(0, two_left), Until::kGoOn);
}
TEST(Hooks, SearchesEndWhereNothingChanged) {
  check_search_end<algorithm::bfs::Program<std::uint32_t>, algorithm::bfs::Parameters>();
  check_search_end<algorithm::sssp::Program<std::uint32_t>, algorithm::sssp::Parameters>();
  check_search_end<algorithm::wcc::Program<std::uint32_t>, algorithm::wcc::Parameters>();
}

// Roots in no order, fewer than a pass has.
TEST(Hooks, SearchesOfManyRootsBeginAtTheirOwn) {
  using Program = algorithm::closeness::Program<std::uint64_t>;
  const VertexId roots[3] = {5, 2, 0};
  algorithm::closeness::Parameters wanted;
  wanted.vertices.data = roots;
  wanted.vertices.size = 3;
  const Two<Program, algorithm::closeness::Parameters> two(wanted);
  Program program = two.program();
  program.start(0);
  const std::uint64_t expected[7] = {4, 0, 2, 0, 0, 1, 0};
  for (VertexId v = 0; v < 7; ++v) EXPECT_EQ(program.initial(v), expected[v]) << v;
  std::uint64_t sums[Program::kSearches] = {};
  sums[3] = 9;  // of no search
  EXPECT_EQ(program.until(0, sums), Until::kDone);
  for (int k = 0; k < 3; ++k) {
    std::uint64_t some[Program::kSearches] = {};
    some[k] = 1;
    EXPECT_EQ(program.until(0, some), Until::kGoOn) << k;
  }
}

TEST(Hooks, RankWithoutOutEdgesIsSummedWhereThereIsSome) {
  check_dangling<algorithm::pagerank::Program, algorithm::pagerank::Parameters>();
  check_dangling<algorithm::weighted_pagerank::Program, algorithm::weighted_pagerank::Parameters>();
}

TEST(Hooks, WeightedPersonalizationsWithoutASumAreRefused) {
  const auto problem = [](std::vector<double> wishes) -> std::string {
    algorithm::weighted_pagerank::Parameters parameters;
    parameters.personalization.data = wishes.empty() ? nullptr : wishes.data();
    parameters.personalization.size = wishes.size();
    const Two<algorithm::weighted_pagerank::Program<double>, algorithm::weighted_pagerank::Parameters> two(parameters);
    const char* text = two.program().problem();
    return text == nullptr ? "" : std::string(text).substr(0, 28);
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({0.5, 0}), "");
  EXPECT_EQ(problem({0, 0}), "personalization sums to 0; g");
  EXPECT_EQ(problem({1e308, 1e308}), "personalization sums to more");
  EXPECT_EQ(problem({1.7976931348623157e308, 0}), "");
}

TEST(Hooks, ProgramsAskForAsManyPassesAndValuesAsTheyNeed) {
  algorithm::closeness::Parameters wanted;
  std::vector<VertexId> vertices(65);
  wanted.vertices.data = vertices.data();
  for (const std::uint64_t size : {1, 64, 65}) {
    wanted.vertices.size = size;
    const Two<algorithm::closeness::Program<std::uint64_t>, algorithm::closeness::Parameters> two(wanted);
    EXPECT_EQ(two.program().num_passes(), size == 65 ? 2u : 1u);
  }
  const double x[2] = {3, 4};
  algorithm::spmv::Parameters vector;
  vector.x.data = x;
  for (const std::uint64_t size : {1, 2}) {
    vector.x.size = size;
    const Two<algorithm::spmv::Program<double>, algorithm::spmv::Parameters> two(vector);
    EXPECT_EQ(two.program().initial_values(), size == 2 ? x : nullptr);
    EXPECT_EQ(two.program().initial(1), size == 2 ? 4 : 0);
  }
}

}  // namespace
}  // namespace gaspipe
