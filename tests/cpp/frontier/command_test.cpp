// SPDX-License-Identifier: Apache-2.0
#include "cpp/examples/command.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "gaspipe/error.h"

namespace gaspipe {
namespace example {
namespace {

struct Ran {
  int status;
  std::string out, err;
};
Ran run(std::vector<std::string> words) {
  std::ostringstream out, err;
  const int status = run_command(words, ::testing::TempDir(), out, err);
  return {status, out.str(), err.str()};
}
std::string write(const std::string& text) {
  const std::string path = ::testing::TempDir() + "olive.txt";
  std::ofstream(path) << text;
  return path;
}
std::string read(const std::string& name) {
  std::ifstream file(::testing::TempDir() + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr char kChain[] = "0 1 2\n1 2 0.5\n2 3 1\n";

// OLV-25.
TEST(OliveCommand, RunsEveryProgram) {
  const std::string path = write(kChain);
  const Ran bfs = run({"bfs", path});
  EXPECT_EQ(bfs.status, 0) << bfs.err;
  EXPECT_NE(bfs.out.find("bfs: 4 vertices, 3 edges, 4 rounds; wrote "), std::string::npos) << bfs.out;
  EXPECT_EQ(bfs.err, "");
  EXPECT_EQ(read("BFS.txt"), "0\n1\n2\n3\n");
  EXPECT_EQ(run({"bottom_up_bfs", path}).status, 0);
  EXPECT_EQ(read("BottomUpBFS.txt"), "0\n1\n2\n3\n");
  EXPECT_EQ(run({"sssp", path}).status, 0);
  EXPECT_EQ(read("SSSP.txt"), "0\n2\n2.5\n3.5\n");
  EXPECT_EQ(run({"max_value", path}).status, 0);
  EXPECT_EQ(read("MaxValue.txt"), "0\n1\n2\n3\n");
  EXPECT_EQ(run({"pagerank", path}).status, 0);
  EXPECT_EQ(read("PageRank.txt").substr(0, 7), "0.03750");
  EXPECT_EQ(run({"shrinking_pagerank", path}).status, 0);
  EXPECT_EQ(read("ShrinkingPageRank.txt").substr(0, 7), "0.03750");
}

TEST(OliveCommand, TakesEveryOption) {
  const std::string path = write(kChain);
  EXPECT_EQ(run({"bfs", path, "-s", "2"}).status, 0);
  EXPECT_EQ(read("BFS.txt"), "-1\n-1\n0\n1\n");
  const Ran stopped = run({"-round", "2", "bfs", path});
  EXPECT_NE(stopped.out.find(" 2 rounds;"), std::string::npos);
  EXPECT_EQ(read("BFS.txt"), "0\n1\n2\n-1\n");
  EXPECT_NE(run({"sssp", path, "-max"}).out.find("\nmax: 3.5 at vertex 3\n"), std::string::npos);
  EXPECT_NE(run({"sssp", path, "-s", "2", "-max"}).out.find("\nmax: 1 at vertex 3\n"), std::string::npos)
      << "of finite";
  const Ran verbose = run({"bfs", path, "-verbose"});
  EXPECT_EQ(verbose.err.find("readGraph: 4 vertices, 3 edges\nvertexMap: 4 vertices"), 0u) << verbose.err;
  for (const char* group : {"1", "2", "4", "8", "16", "32"}) {
    for (const bool scan : {false, true}) {
      std::vector<std::string> words = {"sssp", path, "-g", group};
      if (scan) words.push_back("-scan");
      EXPECT_EQ(parse(words).group, std::stoi(group));
      EXPECT_EQ(parse(words).scan, scan);
      EXPECT_EQ(run(words).status, 0);
      EXPECT_EQ(read("SSSP.txt"), "0\n2\n2.5\n3.5\n");
    }
  }
  const std::string dimacs = write("3 2\n2\n1 3\n2\n");
  EXPECT_NE(run({"bfs", dimacs, "-dimacs"}).out.find("3 vertices, 4 edges"), std::string::npos);
  EXPECT_EQ(read("BFS.txt"), "0\n1\n2\n");
}

TEST(OliveCommand, ShowsItsUsageForBadOptions) {
  const std::string path = write(kChain);
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"bfs", path, "-g", "3"}, "group is 3; use 1, 2, 4, 8, 16 or 32"},
      {{"bfs", path, "-g", "64"}, "group is 64; use 1, 2, 4, 8, 16 or 32"},
      {{"bfs", path, "-s"}, "-s is ''; use a number, 0 or larger"},
      {{"bfs", path, "-s", "-1"}, "-s is '-1'; use a number, 0 or larger"},
      {{"bfs", path, "-round", "x"}, "-round is 'x'; use a number, 0 or larger"},
      {{"bfs", path, "-fast"}, "there is no option -fast"},
      {{"bfs"}, "found 1 names; give a program and a file"},
      {{}, "found 0 names; give a program and a file"},
      {{"dfs", path}, "there is no program 'dfs'"}};
  for (const auto& [words, expected] : bad) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.err, "olive: " + expected + "\n" + usage());
    EXPECT_EQ(ran.out, "");
  }
}

TEST(OliveCommand, ReportsErrors) {
  const Ran outside = run({"bfs", write(kChain), "-s", "4"});
  EXPECT_EQ(outside.status, 1);
  EXPECT_EQ(outside.err, "olive: vertex 4 is not in a set of 4 vertices; use 0 to 3\n");
  EXPECT_EQ(run({"bfs", write("0 1\n0 x\n")}).status, 1);
  EXPECT_EQ(run({"bfs", "/nowhere/at/all"}).status, 1);
}

}  // namespace
}  // namespace example
}  // namespace gaspipe
