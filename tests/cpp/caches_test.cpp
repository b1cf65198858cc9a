// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/caches.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace gaspipe {
namespace {

struct Cache {
  std::string level, type, size;
};

// As Linux describes a CPU's caches.
class Described {
 public:
  explicit Described(const std::vector<Cache>& caches)
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("caches_" + std::to_string(::getpid()) + "_" + std::to_string(count_++))) {
    std::filesystem::create_directories(folder_);
    for (std::size_t i = 0; i < caches.size(); ++i) {
      const std::filesystem::path cache = folder_ / ("index" + std::to_string(i));
      std::filesystem::create_directories(cache);
      std::ofstream(cache / "level") << caches[i].level << "\n";
      std::ofstream(cache / "type") << caches[i].type << "\n";
      if (!caches[i].size.empty()) std::ofstream(cache / "size") << caches[i].size << "\n";
    }
  }
  ~Described() { std::filesystem::remove_all(folder_); }
  std::uint64_t near() const { return near_bytes_of(folder_.string()); }

 private:
  static inline int count_ = 0;
  const std::filesystem::path folder_;
};

const Cache kData{"1", "Data", "32K"}, kCode{"1", "Instruction", "32K"};

TEST(Caches, NearIsACoresOwnOrItsPartOfOneThatFewShare) {
  EXPECT_EQ(Described({kData, kCode, {"2", "Unified", "512K"}, {"3", "Unified", "32768K"}}).near(), 4u << 20);
  EXPECT_EQ(Described({kData, kCode, {"2", "Unified", "1024K"}, {"3", "Unified", "32M"}}).near(), 4u << 20);
  EXPECT_EQ(Described({kData, kCode, {"2", "Unified", "1280K"}, {"3", "Unified", "8M"}}).near(), 1280u << 10);
}

TEST(Caches, AThirdLevelOverAWholeChipIsFar) {
  EXPECT_EQ(Described({kData, kCode, {"2", "Unified", "2048K"}, {"3", "Unified", "266240K"}}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, kCode, {"2", "Unified", "1024K"}, {"3", "Unified", "65537K"}}).near(), 1u << 20);
}

TEST(Caches, WhatIsNotSaidIsTwoMebibytes) {
  EXPECT_EQ(near_bytes_of("no/such/folder"), 2u << 20);
  EXPECT_EQ(Described({}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, kCode}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, {"2", "Unified", ""}}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, {"2", "Unified", "much"}}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, {"2", "Instruction", "512K"}}).near(), 2u << 20);
  EXPECT_EQ(Described({kData, {"2", "Unified", "1M"}}).near(), 1u << 20) << "no third level";
}

TEST(Caches, OfThisMachineAreSome) {
  EXPECT_GE(near_bytes(), 64u << 10);
  EXPECT_LE(near_bytes(), 64u << 20);
}

}  // namespace
}  // namespace gaspipe
