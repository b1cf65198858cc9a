// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/accelerator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cpp/src/backend/kernel_table.h"
#include "gaspipe/error.h"
#include "tests/cpp/question.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// 0 -> 1 -> 2 -> 3, and 0 -> 4; vertex 5 alone.
const Edges kPath = {{0, 1}, {1, 2}, {2, 3}, {0, 4}};

RunOptions on(const std::string& device, std::uint32_t capacity = 64, std::uint32_t compute_units = 2) {
  RunOptions options = gas(capacity, compute_units);
  options.device = device;
  return options;
}

std::shared_ptr<const Graph> shared(VertexId num_vertices, const Edges& edges) {
  return std::make_shared<const Graph>(graph_of(num_vertices, edges));
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Accelerator, TakesOneSuperStepAtATime) {
  for (const char* device : {"cpu", "emulator"}) {
    const auto accelerator = acceleratorInit("bfs", on(device));
    acceleratorDataLoad(*accelerator, shared(6, kPath));
    acceleratorDataPreprocess(*accelerator, {{"root", std::int64_t(0)}});
    std::vector<std::uint32_t> levels(6);
    const auto look = [&] { std::memcpy(levels.data(), accelerator->properties().data(), 24); };
    constexpr std::uint32_t unreached = 0xffffffff;
    EXPECT_TRUE(acceleratorSuperStep(*accelerator));
    look();
    EXPECT_EQ(levels, (std::vector<std::uint32_t>{0, 1, unreached, unreached, 1, unreached})) << device;
    EXPECT_THROW(accelerator->result(), InputError);
    EXPECT_TRUE(acceleratorSuperStep(*accelerator));
    look();
    EXPECT_EQ(levels, (std::vector<std::uint32_t>{0, 1, 2, unreached, 1, unreached})) << device;
    EXPECT_TRUE(acceleratorSuperStep(*accelerator));
    EXPECT_FALSE(acceleratorSuperStep(*accelerator));  // finds nothing new
    EXPECT_EQ(values_of<std::int32_t>(accelerator->result()), (std::vector<std::int32_t>{0, 1, 2, 3, 1, -1}));
    EXPECT_EQ(accelerator->stats().supersteps.size(), 4u);
    EXPECT_THROW(acceleratorSuperStep(*accelerator), InputError);
    acceleratorDeinit(*accelerator);
    EXPECT_THROW(accelerator->stats(), InputError);
  }
}

TEST(Accelerator, IsUsedAgainWithAnotherQuestionAndAnotherGraph) {
  const auto accelerator = acceleratorInit("bfs", on("emulator"));
  acceleratorDataLoad(*accelerator, shared(6, kPath));
  for (const std::int64_t root : {0, 1}) {
    acceleratorDataPreprocess(*accelerator, {{"root", root}});
    while (acceleratorSuperStep(*accelerator)) continue;
    EXPECT_EQ(values_of<std::int32_t>(accelerator->result())[3], 3 - root);
  }
  acceleratorDataLoad(*accelerator, shared(2, {{1, 0}}));
  acceleratorDataPreprocess(*accelerator, {{"root", std::int64_t(1)}});
  while (acceleratorSuperStep(*accelerator)) continue;
  EXPECT_EQ(values_of<std::int32_t>(accelerator->result()), (std::vector<std::int32_t>{1, 0}));
}

TEST(Accelerator, SaysWhatComesBeforeWhat) {
  const auto accelerator = acceleratorInit("bfs", on("cpu"));
  EXPECT_NE(error_of([&] { accelerator->preprocess({}); }).find("acceleratorDataLoad"), std::string::npos);
  accelerator->load(shared(6, kPath));
  EXPECT_NE(error_of([&] { accelerator->superstep(); }).find("acceleratorDataPreprocess"), std::string::npos);
  accelerator->preprocess({});
  accelerator->superstep();
  EXPECT_NE(error_of([&] { accelerator->profile(true); }).find("whole run"), std::string::npos);
  EXPECT_THROW(acceleratorInit("no_such", {}), InputError);
  EXPECT_THROW(kernelInit(*accelerator), DeviceError);  // the CPU has none
  const auto whose = [&] { accelerator->register_scheduler(make_scheduler("longest_first")); };
  EXPECT_NE(error_of(whose).find("a scheduler orders the kernels of an emulator or a card"), std::string::npos);
  accelerator->preprocess({});
}

// What the kernels of a super-step took: those of 5 partitions, two units each, and 5 of apply.
void expect_every_kernel_once(const ProfiledStep& step) {
  ASSERT_EQ(step.kernel_times.size(), 5u * (2 + 1));
  std::set<std::pair<std::uint32_t, std::int32_t>> seen;
  for (const KernelTime& time : step.kernel_times) {
    seen.insert({time.partition, time.unit});
    EXPECT_GE(time.seconds, 0);
  }
  EXPECT_EQ(seen.size(), step.kernel_times.size());
}

TEST(Accelerator, ProfilesAndVerifiesEverySuperStep) {
  const auto graph = shared(300, random_edges(300, 2000, 3));
  for (const char* algorithm : {"bfs", "wcc", "sssp", "pagerank", "article_rank", "closeness"}) {
    const Arguments arguments = question(find_program(algorithm), 300);
    const Result plain = run(find_program(algorithm), *graph, arguments, gas(64, 2));
    for (const char* device : {"emulator", "emulator:u250"}) {
      const bool timed = std::string(device) != "emulator";
      RunOptions options = on(device);
      options.skip_idle = !timed;  // then every kernel is launched in every super-step, and has cycles
      Accelerator accelerator(find_program(algorithm), options);
      accelerator.load(graph);
      accelerator.preprocess(arguments);
      const Profile profile = acceleratorProfile(accelerator, true);
      ASSERT_EQ(profile.steps.size(), plain.stats.supersteps.size()) << algorithm;
      for (const ProfiledStep& step : profile.steps) {
        EXPECT_TRUE(step.verified);
        expect_every_kernel_once(step);
        for (const KernelTime& time : step.kernel_times) EXPECT_EQ(time.cycles > 0, timed);
      }
      accelerator.result();
    }
  }
}

TEST(Accelerator, ProfilesKernelsThatAreNotLaunched) {
  const auto graph = shared(300, kPath);  // 0 to 5: the other partitions have no edge
  Accelerator accelerator(find_program("bfs"), on("emulator:u250"));
  accelerator.load(graph);
  accelerator.preprocess({});
  const Profile profile = acceleratorProfile(accelerator, true);
  ASSERT_GE(profile.steps.size(), 3u);
  const ProfiledStep& step = profile.steps[1];  // from the next on all are: so few edges take less than the host
  EXPECT_TRUE(step.verified);
  expect_every_kernel_once(step);
  for (const KernelTime& time : step.kernel_times) EXPECT_EQ(time.cycles > 0, time.partition == 0) << time.partition;
}

TEST(Accelerator, FollowsARunWhoseNumbersWereTooNarrow) {
  Edges edges;
  for (VertexId v = 1; v < 200; ++v) edges.push_back({v, 0});  // a hub that overflows the first scale
  edges.push_back({0, 1});
  RunOptions options = on("emulator");
  options.number = "fixed";
  Accelerator accelerator(find_program("pagerank"), options);
  accelerator.load(shared(200, edges));
  accelerator.preprocess({});
  const Profile profile = accelerator.profile(true);
  EXPECT_GT(profile.stats.attempts, 1);
  EXPECT_EQ(profile.steps.size(), profile.stats.supersteps.size());
  EXPECT_TRUE(std::all_of(profile.steps.begin(), profile.steps.end(), [](const auto& step) { return step.verified; }));
}

// BFS whose apply kernel is wrong in one vertex, from the third super-step on.
std::int32_t spoil(const abi::KernelCall* call, abi::Emulation* emulation) {
  const std::int32_t status = find_kernel(find_program("bfs").instances[0], "apply").run(call, emulation);
  auto* updated = static_cast<std::uint32_t*>(call->buffers[call->num_units + 1].data);  // after gathered, properties
  if (call->scalars[0] == 0 && updated[2] == 2 && updated[3] == 3) updated[3] = 7;
  return status;
}

TEST(Accelerator, FindsTheSuperStepAndVertexThatDiffer) {
  abi::Program program = find_program("bfs");
  abi::Instance instance = program.instances[0];
  const abi::Kernel kernels[] = {find_kernel(instance, "gather_scatter"), {"apply", spoil}};
  instance.kernels.kernels = kernels;
  instance.kernels.num_kernels = 2;
  program.instances = &instance;
  program.num_instances = 1;
  Accelerator accelerator(program, on("emulator"));
  accelerator.load(shared(6, kPath));
  accelerator.preprocess({{"root", std::int64_t(0)}});
  EXPECT_EQ(
      error_of([&] { accelerator.profile(true); }),
      "super-step 2 on emulator differs from the CPU's in 1 of 6 vertices; the first is vertex 3, 7 instead of 3");
}

TEST(Accelerator, TellsWhatItsKernelsAreGiven) {
  Csr csr = csr_of(100, random_edges(100, 400, 8));
  csr.weights = array(std::vector<std::int32_t>(400, 2));
  Accelerator accelerator(find_program("sssp"), on("emulator", 64, 2));
  accelerator.load(std::make_shared<const Graph>(csr));
  accelerator.preprocess({});
  ASSERT_EQ(kernelInit(accelerator).size(), 3u);
  EXPECT_EQ(getGatherScatter(accelerator, 1).instance, "gs_2");
  EXPECT_EQ(getApply(accelerator).kernel, "apply");
  EXPECT_EQ(getPartition(accelerator, 1).last_vertex(), 100u);
  const SubPartition sub = getSubPartition(accelerator, 1, 1);
  const std::vector<KernelArgument> arguments = setGsKernel(accelerator, 1, 1);
  ASSERT_EQ(arguments.size(), 8u);
  EXPECT_EQ(arguments[0].name, "sources");
  EXPECT_EQ(arguments[0].num_bytes, sub.num_padded_edges() * 4);
  EXPECT_EQ(arguments[2].num_bytes, sub.num_padded_edges() * 4);  // weights of 32 bits
  EXPECT_EQ(arguments[3].num_bytes, 448u);                        // 100 properties in whole words
  EXPECT_EQ(arguments[4].num_bytes, 192u);                        // 36 updates
  EXPECT_EQ(arguments[5].value, sub.num_padded_edges() / 16);
  EXPECT_EQ(arguments[6].value, 64u);
  EXPECT_EQ(arguments[7].value, 100u);
  const std::vector<KernelArgument> applied = setApplyKernel(accelerator, 0);
  EXPECT_EQ(applied[0].name, "gathered_0");
  EXPECT_EQ(applied[0].num_bytes, 256u);
  EXPECT_THROW(setGsKernel(accelerator, 2, 0), InputError);
  EXPECT_THROW(setGsKernel(accelerator, 0, 2), InputError);
  EXPECT_THROW(getGatherScatter(accelerator, -1), InputError);
}

TEST(Accelerator, TakesASchedulerOfOnesOwn) {
  const auto graph = shared(300, random_edges(300, 2000, 3));
  const Result plain = run(find_program("bfs"), *graph, {}, gas(64, 2));
  Accelerator accelerator(find_program("bfs"), on("emulator"));
  int calls = 0;
  Scheduler backwards;
  backwards.init = [&](const Partitioning&) { ++calls; };
  backwards.arrange_sub_partitions = [&](const Partition& part) {
    ++calls;
    return part.index() % 2 == 0 ? std::vector<std::uint32_t>{1, 0} : std::vector<std::uint32_t>{0, 1};
  };
  EXPECT_THROW(registerScheduler(accelerator, backwards), InputError);  // a part is missing
  backwards.arrange_partitions = [&](const Partitioning& parts) {
    ++calls;
    std::vector<std::uint32_t> order(parts.size());
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<std::uint32_t>(order.size() - 1 - p);
    return order;
  };
  registerScheduler(accelerator, backwards);
  accelerator.load(graph);
  accelerator.preprocess({});
  EXPECT_EQ(calls, 5 + 2);
  EXPECT_EQ(setGsKernel(accelerator, 0, 1)[0].num_bytes, getSubPartition(accelerator, 0, 0).num_padded_edges() * 4);
  accelerator.profile(true);
  EXPECT_EQ(list(accelerator.result().values), list(plain.values));
}

}  // namespace
}  // namespace gaspipe
