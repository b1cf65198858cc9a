// SPDX-License-Identifier: Apache-2.0
// The executors by name. One of them, "counting", is a folder of these tests: nothing else mentions it.
#include "gaspipe/executors.h"

#include <gtest/gtest.h>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "gaspipe/run.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

std::string problem_with(const std::string& device) {
  try {
    find_executor(device);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Executors, AreTheFoldersInTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const ExecutorKind* kind : executors()) names.push_back(kind->name);
  EXPECT_EQ(names, (std::vector<std::string>{"counting", "cpu", "emulator", "fpga"}));
}

TEST(Executors, TakeAFourthFromItsFolderAlone) {
  Edges path;
  for (VertexId v = 0; v + 1 < 8; ++v) path.emplace_back(v, v + 1);
  RunOptions options;
  options.device = "counting:12";
  const Result result = run(find_program("bfs"), graph_of(8, path), {}, options);
  EXPECT_EQ(values_of<std::int32_t>(result), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(result.stats.device, "counting");
  EXPECT_EQ(result.stats.execution, "8 of 12");
  options.scheduler = "longest_first";
  EXPECT_THROW(run(find_program("bfs"), graph_of(8, path), {}, options), InputError);  // it has no kernels
}

TEST(Executors, AreFoundByTheNameBeforeTheColon) {
  EXPECT_STREQ(find_executor("emulator").name, "emulator");
  EXPECT_STREQ(find_executor("emulator:u280").name, "emulator");
  EXPECT_STREQ(find_executor("fpga:1").name, "fpga");
  EXPECT_STREQ(find_executor("fpga:u250").name, "fpga");
  EXPECT_EQ(which_of("emulator:u280"), "u280");
  EXPECT_EQ(which_of("emulator"), "");
}

TEST(Executors, NameWhatIsAllowedInsteadOfAnUnknownDevice) {
  const std::string allowed =
      "allowed are \"counting\", \"counting:10\", \"cpu\", \"emulator\", \"emulator:u250\", and \"fpga\", \"fpga:1\"";
  EXPECT_EQ(problem_with("gpu"), "device is \"gpu\"; " + allowed);
  EXPECT_EQ(problem_with("cpu:0"), "device is \"cpu:0\"; " + allowed);
  EXPECT_EQ(problem_with(""), "device is \"\"; " + allowed);
  EXPECT_NE(problem_with("emulator:u999").find("there is no board \"u999\"; known are"), std::string::npos);
  EXPECT_NE(problem_with("emulator:").find("there is no board \"\""), std::string::npos);
  EXPECT_NE(problem_with("fpga:first").find("a card is 'fpga', 'fpga:0' by its index"), std::string::npos);
  EXPECT_EQ(problem_with("counting:"), "counting needs a limit");
}

TEST(Executors, ListTheDevicesThatAreThere) {
  for (const ExecutorKind* kind : executors()) {
    for (const FoundDevice& found : kind->found()) {
      EXPECT_EQ(&find_executor(found.device), kind) << found.device;
      EXPECT_NE(found.description, "") << found.device;
    }
  }
  EXPECT_EQ(find_executor("cpu").found().size(), 1u);
  EXPECT_EQ(find_executor("emulator").found().size(), boards().size());
}

}  // namespace
}  // namespace gaspipe
