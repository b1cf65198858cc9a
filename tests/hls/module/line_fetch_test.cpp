// SPDX-License-Identifier: Apache-2.0
#include "hls/module/line_fetch.h"

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::OneBuffer;
using testing::Random;

template <class T>
class LineFetch : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint32_t, double>;
TYPED_TEST_SUITE(LineFetch, Numbers);

TYPED_TEST(LineFetch, SendsTheLinesOfEveryRunACycleEach) {
  using Line = Word<TypeParam>;
  Random random(29);
  const auto memory = testing::random_words<TypeParam>(300, random);
  std::vector<LineRun> runs;
  std::vector<Line> expected;
  for (const int num_runs : {40, 0, 3}) {
    for (int run = 0; run < num_runs; ++run) {
      const auto count = static_cast<std::uint32_t>(1 + random() % kRunLines);
      const auto first = static_cast<std::uint32_t>(random() % (memory.size() - count + 1));
      runs.push_back({first, count, false});
      expected.insert(expected.end(), memory.begin() + first, memory.begin() + first + count);
    }
    runs.push_back({0, 0, true});
  }
  const OneBuffer board(memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Line> lines;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(LineRun, in, 4);
      GASPIPE_STREAM(Line, out, 4);
      GASPIPE_TASK(testing::feed(runs, in));
      GASPIPE_TASK(lineFetch(memory.data(), 3, in, out));
      GASPIPE_TASK(testing::drain(out, expected.size(), lines));
      GASPIPE_RUN;
    }
    // The task ends when its last line is there, as late as memory is.
    EXPECT_GE(statistics.busy("lineFetch"), expected.size() + 3);
    EXPECT_LE(statistics.busy("lineFetch"), expected.size() + 3 + 30);
    EXPECT_EQ(testing::as_values(lines), testing::as_values(expected));
  });
}

}  // namespace
}  // namespace gaspipe
