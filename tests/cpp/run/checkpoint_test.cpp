// SPDX-License-Identifier: Apache-2.0
// Files of checkpoints, by ranks that are threads; what is not what was written is refused, byte by byte.
#include "cpp/src/run/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "gaspipe/communicator.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

namespace fs = std::filesystem;
using namespace gaspipe::testing;

constexpr VertexId kN = 133;

class Checkpoints : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gaspipe-checkpoint-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Vertex v has the property 10 v + step, and is active where v % 3 == step % 3.
  void write(int size, const std::string& strategy, int step) {
    const Domains domains(graph_, size, {strategy, true});
    auto ranks = make_in_process(size, {});
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        Workers workers(1);
        const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
        std::vector<std::uint32_t> properties(domain->num_own);
        std::vector<std::uint64_t> active((domain->num_own + 63) / 64);
        for (VertexId v = 0; v < domain->num_own; ++v) {
          properties[v] = 10 * domain->id(v) + static_cast<unsigned>(step);
          active[v / 64] |= std::uint64_t(domain->id(v) % 3 == static_cast<unsigned>(step) % 3) << v % 64;
        }
        const std::uint64_t sums[2] = {7, static_cast<std::uint64_t>(step)};
        CheckpointWriter writer(folder_, of_, domain, ranks[static_cast<std::size_t>(rank)].get());
        RunState state{"uint32", 0, 1, static_cast<std::uint64_t>(step), 2, 4, nullptr, 0};
        writer.write(state, 99, {0, step, 0, sums, properties.data(), active.data()});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  void expect(int size, const std::string& strategy, int step) {
    const Domains domains(graph_, size, {strategy, true});
    Workers workers(1);
    for (int rank = 0; rank < size; ++rank) {
      const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
      Checkpoint found(folder_, of_, nullptr);
      found.check_arguments(99);
      found.check_sizes(2, 4, 0);
      found.read(size == 1 ? nullptr : domain.get());
      EXPECT_EQ(found.snapshot().step, step);
      EXPECT_EQ(static_cast<const std::uint64_t*>(found.snapshot().sums)[1], static_cast<std::uint64_t>(step));
      for (VertexId v = 0; v < domain->num_own; ++v) {
        const VertexId id = domain->id(v);
        EXPECT_EQ(static_cast<const std::uint32_t*>(found.snapshot().properties)[v],
                  10 * id + static_cast<unsigned>(step));
        EXPECT_EQ(found.snapshot().active[v / 64] >> v % 64 & 1, id % 3 == static_cast<unsigned>(step) % 3);
      }
    }
  }

  const Graph graph_ = graph_of(kN, random_edges(kN, 500, 3));
  const CheckpointOf of_{"test", kN, 500, 1};
  std::string folder_;
};

TEST_F(Checkpoints, AreReadByAnyNumberOfRanks) {
  int step = 0;
  for (const int there : {1, 2, 5, 140}) {
    for (const char* how : {"balanced", "hash"}) {
      write(there, how, ++step);
      EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
      for (const int here : {1, 3, 5, 140}) {
        expect(here, "balanced", step);
        expect(here, "mix", step);
      }
    }
  }
}

TEST_F(Checkpoints, EveryDamagedByteIsFound) {
  write(2, "hash", 4);
  const fs::path part = fs::path(folder_) / "superstep-000000000004" / "part-1-of-2";
  std::ifstream stream(part, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_GT(whole.size(), 240u);
  const auto refuses = [&](const std::string& bytes) {
    std::ofstream(part, std::ios::binary) << bytes;
    Checkpoint found(folder_, of_, nullptr);
    EXPECT_THROW(found.read(nullptr), InputError);
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << i % 8));
    refuses(bytes);
  }
  for (const std::size_t size :
       {std::size_t(0), std::size_t(7), std::size_t(239), std::size_t(240), whole.size() - 1}) {
    refuses(whole.substr(0, size));
  }
}

TEST_F(Checkpoints, RanksThatDoNotShareTheFolderAreTold) {
  const std::string other = folder_ + "/other";
  auto ranks = make_in_process(2, {});
  std::vector<std::string> said(2);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      Workers workers(1);
      const Domains domains(graph_, 2, {"balanced", true});
      const auto domain = domains.domain(View::kForward, abi::kNone, static_cast<int>(rank), workers);
      const std::vector<std::uint32_t> properties(domain->num_own);
      try {
        CheckpointWriter writer(rank == 0 ? folder_ : other, of_, domain, ranks[rank].get());
        writer.write({"uint32", 0, 1, 3, 0, 4, nullptr, 0}, 99, {0, 3, 0, nullptr, properties.data(), nullptr});
      } catch (const Error& error) {
        said[rank] = error.what();
        ranks[rank]->fail(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(said[0].find("all ranks must share the folder"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace gaspipe
