// SPDX-License-Identifier: Apache-2.0
// The fuzz targets without libFuzzer: the corpus, and changes of it from a fixed seed. GASPIPE_FUZZ_SECONDS fuzzes each
// reader for that long instead of for a fixed number of rounds, GASPIPE_SEED takes another seed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz.h"

namespace gaspipe {
namespace fuzz {
namespace {

struct Reader {
  const char* name;
  Target target;
  int num_rounds;  // some seconds with sanitizers
};
const Reader kReaders[] = {
    {"edge_list", edge_list, 12000},  {"dimacs9", dimacs9, 12000}, {"matrix_market", matrix_market, 12000},
    {"metis", metis, 18000},          {"blocks", blocks, 10000},   {"boxes", boxes, 5000},
    {"checkpoint", checkpoint, 4000}, {"xclbin", xclbin, 10000}};

// What went wrong, if anything.
std::string fault_of(Target target, const std::string& bytes) {
  // A copy of its own size, so that the sanitizer sees reads past the end.
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  try {
    target(data.data(), data.size());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string escaped(const std::string& bytes) {
  std::ostringstream text;
  for (const char c : bytes) {
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      text << c;
    } else {  // three octal digits: no digit that follows belongs to them
      const auto byte = static_cast<unsigned char>(c);
      text << '\\' << char('0' + byte / 64) << char('0' + byte / 8 % 8) << char('0' + byte % 8);
    }
  }
  return text.str();
}

std::vector<std::string> corpus_of(const std::string& reader) {
  std::set<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(kCorpus) / reader)) {
    paths.insert(file.path());
  }
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

const std::vector<std::string> kTokens = {"0",
                                          "1",
                                          "2",
                                          "4294967294",
                                          "4294967295",
                                          "4294967296",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483649",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "00000000000000000000000000000000000000000000000000000000000000000000001",
                                          "-1",
                                          "+1",
                                          "1.5",
                                          ".5",
                                          "5.",
                                          "1e3",
                                          "1e",
                                          "1e308",
                                          "1e309",
                                          "1d3",
                                          "-.5D+2",
                                          "1e-320",
                                          "-inf",
                                          "nan",
                                          "0x10",
                                          ",",
                                          " , ",
                                          " ",
                                          "\t",
                                          "\r",
                                          "\r\n",
                                          "\n",
                                          "\n\n",
                                          "#",
                                          "%",
                                          "# x\n",
                                          "% x\n",
                                          "c",
                                          "c x\n",
                                          "p sp ",
                                          "p sp 9 1\n",
                                          "a ",
                                          "a 1 2 3\n",
                                          "%%MatrixMarket matrix coordinate real general\n",
                                          "pattern",
                                          "integer",
                                          "skew-symmetric",
                                          "symmetric",
                                          " 1",
                                          " 10",
                                          " 011",
                                          " 100",
                                          " 101",
                                          " 110",
                                          " 111",
                                          std::string(1, '\0'),
                                          "\xff",
                                          "                                                                "};

class Changer {
 public:
  Changer(std::uint64_t seed, std::vector<std::string> corpus) : random_(seed), corpus_(std::move(corpus)) {}

  std::string next() {
    std::string bytes = pick(corpus_);
    for (std::size_t changes = 1 + below(5); changes > 0; --changes) change(bytes);
    return bytes.substr(0, 4096);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size() + 1);
    switch (below(9)) {
      case 0:
        if (at < bytes.size()) bytes[at] = char(bytes[at] ^ (1 << below(8)));
        return;
      case 1:
        bytes.insert(at, pick(kTokens));
        return;
      case 2:
        bytes.erase(at, 1 + below(8));
        return;
      case 3: {  // the beginning of one and the end of another
        const std::string& other = pick(corpus_);
        bytes = bytes.substr(0, at) + other.substr(below(other.size() + 1));
        return;
      }
      case 4: {  // a number becomes another
        const std::size_t first = bytes.find_first_of("0123456789", at);
        if (first == std::string::npos) return;
        const std::size_t last = bytes.find_first_not_of("0123456789", first);
        const std::string digits = bytes.substr(first, last - first);
        const std::string near = std::to_string(std::strtoull(digits.c_str(), nullptr, 10) + below(3) - 1);
        bytes.replace(first, digits.size(), below(2) == 0 ? near : pick(kTokens));
        return;
      }
      case 5: {  // a line again, after itself or elsewhere
        const auto [first, last] = line_at(bytes, at);
        const std::string line = bytes.substr(first, last - first);
        bytes.insert(below(2) == 0 ? last : below(bytes.size() + 1), line);
        return;
      }
      case 6: {
        const auto [first, last] = line_at(bytes, at);
        bytes.erase(first, last - first);
        return;
      }
      case 7:
        if (below(4) == 0) bytes.resize(at);
        return;
      default:  // other options
        if (!bytes.empty()) bytes[below(std::min(bytes.size(), kNumOptions))] = char(below(256));
    }
  }

  static std::pair<std::size_t, std::size_t> line_at(const std::string& bytes, std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : bytes.rfind('\n', at - 1), after = bytes.find('\n', at);
    return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? bytes.size() : after + 1};
  }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_;
};

class Fuzz : public ::testing::TestWithParam<Reader> {};

TEST_P(Fuzz, KeepsItsPromisesOnTheCorpus) {
  const std::vector<std::string> corpus = corpus_of(GetParam().name);
  ASSERT_GE(corpus.size(), 20u);
  for (const std::string& bytes : corpus) {
    EXPECT_EQ(fault_of(GetParam().target, bytes), "") << '"' << escaped(bytes) << '"';
  }
}

TEST_P(Fuzz, KeepsItsPromisesOnChangesOfTheCorpus) {
  const char* const seed_text = std::getenv("GASPIPE_SEED");
  const char* const seconds_text = std::getenv("GASPIPE_FUZZ_SECONDS");
  const std::uint64_t seed = seed_text ? std::strtoull(seed_text, nullptr, 10) : 20240611;
  const double seconds = seconds_text ? std::strtod(seconds_text, nullptr) : 0;
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&](int round) {
    if (seconds == 0) return round == GetParam().num_rounds;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
  };
  Changer changer(seed, corpus_of(GetParam().name));
  int round = 0;
  for (; !is_over(round); ++round) {
    const std::string bytes = changer.next();
    ASSERT_EQ(fault_of(GetParam().target, bytes), "")
        << "GASPIPE_SEED=" << seed << " round " << round << " bytes \"" << escaped(bytes) << '"';
  }
  std::cout << "GASPIPE_SEED=" << seed << ", " << round << " rounds\n";
}

INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, ::testing::ValuesIn(kReaders),
                         [](const auto& reader) { return std::string(reader.param.name); });

}  // namespace
}  // namespace fuzz
}  // namespace gaspipe
