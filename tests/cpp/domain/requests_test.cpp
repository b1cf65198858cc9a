// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "gaspipe/domain.h"
#include "tests/cpp/domain/plain_domain.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Domains, RefuseWhatThereIsNot) {
  const Graph graph = some_graph(10, 20);
  EXPECT_EQ(error_of([&] { Domains(graph, 0, {}); }), "0 domains; 1 to 4096 are allowed");
  EXPECT_EQ(error_of([&] { Domains(graph, 4097, {}); }), "4097 domains; 1 to 4096 are allowed");
  EXPECT_EQ(error_of([&] { Domains(graph, 2, {"metis", true}); }),
            "there is no domain strategy \"metis\"; known are balanced, hash, mix");
  EXPECT_EQ(error_of([&] { Domains(graph, 2, array<std::uint16_t>({0, 1}), {}); }),
            "there are 2 owners; 10 vertices need one each");
  EXPECT_EQ(error_of([&] { Domains(graph, 2, array<std::uint16_t>({0, 1, 0, 1, 2, 0, 0, 0, 0, 3}), {}); }),
            "the owner of vertex 4 is domain 2; 2 domains allow 0 to 1");
  Workers workers(1);
  const Domains domains(graph, 2, {});
  EXPECT_EQ(error_of([&] { domains.domain(View::kForward, abi::kNone, 2, workers); }),
            "there is no domain 2; 2 domains are 0 to 1");
  EXPECT_EQ(error_of([&] { domains.domain(View::kForward, abi::kNone, -1, workers); }),
            "there is no domain -1; 2 domains are 0 to 1");
}

TEST(Domains, AreBuiltOnceForThreadsThatAskTogether) {
  const Graph graph = some_graph(20000, 200000);
  const Domains domains(graph, 6, {"mix", true});
  std::vector<std::shared_ptr<const Domain>> found(6);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 6; ++rank) {
    threads.emplace_back([&, rank] {
      Workers workers(1);
      found[rank] = domains.domain(View::kForward, abi::kNone, rank, workers);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, all_of(domains));
}

TEST(Domains, LeaveNoThreadWaitingWhereABuildFails) {
  const Graph graph{[] {
    Csr csr = csr_of(1000, random_edges(1000, 50000, 1));
    csr.weights = array(std::vector<float>(50000, -1));
    return csr;
  }()};
  const Domains domains(graph, 4, {});
  std::vector<std::string> errors(4);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 4; ++rank) {
    threads.emplace_back([&, rank] {
      Workers workers(1);
      errors[rank] = error_of([&] { domains.domain(View::kForward, abi::kFloat64, rank, workers); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) EXPECT_NE(error.find("has weight -1"), std::string::npos) << error;
}

TEST(Domains, AreBuiltAfterAnInterruptedCall) {
  const Domains domains(some_graph(20000, 200000), 3, {"mix", true});
  Workers interrupted(1, [] { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_THROW(domains.domain(View::kForward, abi::kNone, 0, interrupted), Cancelled);
  check(domains);
}

}  // namespace
}  // namespace gaspipe
