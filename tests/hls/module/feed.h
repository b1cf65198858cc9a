// SPDX-License-Identifier: Apache-2.0
// What the tests of the modules share: tokens in and out of streams, small hooks, words of random numbers, and running
// a test's region with the streams as deep as declared and as shallow as legal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "hls/module/tokens.h"
#include "hls/platform.h"

namespace gaspipe {
namespace testing {

using Random = std::mt19937_64;

// Writes the tokens; before each, waits up to `pause` cycles.
template <class T>
void feed(const std::vector<T>& tokens, stream<T>& out, std::uint32_t pause = 0) {
  Random random(tokens.size());
  for (const T& token : tokens) {
    GASPIPE_PIPELINE(pause == 0 ? 1 : 1 + random() % (pause + 1));
    out.write(token);
  }
}
// Reads so many tokens.
template <class T>
void drain(stream<T>& in, std::size_t num, std::vector<T>& tokens, std::uint32_t pause = 0) {
  Random random(num + 7);
  for (std::size_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(pause == 0 ? 1 : 1 + random() % (pause + 1));
    tokens.push_back(in.read());
  }
}
// Reads up to the end token, which is read and not kept.
template <class T>
void drain_to_end(stream<T>& in, std::vector<T>& tokens, std::uint32_t pause = 0) {
  Random random(11);
  while (true) {
    GASPIPE_PIPELINE(pause == 0 ? 1 : 1 + random() % (pause + 1));
    T token = in.read();
    if (token.end) return;
    tokens.push_back(token);
  }
}

template <class T>
std::vector<WordToken<T>> as_tokens(const std::vector<Word<T>>& words) {
  std::vector<WordToken<T>> tokens;
  for (const Word<T>& word : words) tokens.push_back({word, false});
  tokens.push_back({Word<T>{}, true});
  return tokens;
}
// Fills up the last word.
template <class T>
std::vector<Word<T>> as_words(const std::vector<T>& values, T padding) {
  std::vector<Word<T>> words((values.size() + Word<T>::kSize - 1) / Word<T>::kSize);
  for (std::size_t i = 0; i < words.size() * Word<T>::kSize; ++i) {
    words[i / Word<T>::kSize].lane[i % Word<T>::kSize] = i < values.size() ? values[i] : padding;
  }
  return words;
}
template <class T>
std::vector<T> as_values(const std::vector<Word<T>>& words) {
  std::vector<T> values;
  for (const Word<T>& word : words) values.insert(values.end(), word.lane, word.lane + Word<T>::kSize);
  return values;
}
template <class T>
std::vector<Word<T>> random_words(std::size_t num, Random& random) {
  std::vector<Word<T>> words(num);
  for (Word<T>& word : words) {
    for (T& value : word.lane) value = static_cast<T>(random());
  }
  return words;
}

// Calls test() with the streams of its regions as declared, then as shallow as is legal.
template <class Test>
void at_all_depths(Test&& test) {
  bool& shallow = emulator::Engine::current_options().shallow;
  for (bool value : {false, true}) {
    SCOPED_TRACE(value ? "shallowest" : "declared depths");
    shallow = value;
    test();
  }
  shallow = false;
}

// Statistics of the streams of the regions that run while it lives.
class Statistics {
 public:
  Statistics() { emulator::Engine::statistics() = &all_; }
  ~Statistics() { emulator::Engine::statistics() = nullptr; }
  std::uint64_t num_tokens(const std::string& name) const {
    for (const emulator::StreamStats& stream : all_.streams) {
      if (stream.name == name) return stream.num_tokens;
    }
    ADD_FAILURE() << "no stream " << name;
    return 0;
  }
  // Cycles of a task's loops, without those in which it waited.
  std::uint64_t busy(const std::string& name) const {
    for (const emulator::TaskStats& task : all_.tasks) {
      if (task.name == name) return task.busy();
    }
    ADD_FAILURE() << "no task " << name;
    return 0;
  }
  const emulator::RunStats& all() const { return all_; }

 private:
  emulator::RunStats all_;
};

// A program that declares as little as it may: sums; every update is active.
template <class Number>
struct Sum {
  using Property = Number;
  static Property preprocessProperty(Property p) { return p * 3 + 1; }
  static Property scatterFunc(Property p, Property weight) { return p + weight; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property sum, Property update) { return sum + update; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, Property outDeg, unsigned& extra, unsigned arg) {
    extra += tProp & 7;
    return tProp * arg + source - outDeg;
  }
};

// A minimum from the largest number on, which is not active; weighted, with two counts and no inputs.
template <class Number, class Weight = Number>
struct Min {
  using Property = Number;
  using EdgeProperty = Weight;
  static constexpr Property kIdentity = static_cast<Property>(-1);
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kExtras = 2;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kIdentity; }
  static Property preprocessProperty(Property p) { return p % 3 == 0 ? kIdentity : p / 2; }
  static Property scatterFunc(Property p, Weight weight) {
    return p == kIdentity ? p : p + static_cast<Property>(weight) % 1000;
  }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a < b ? a : b; }
  static Property gatherFunc(Property a, Property b) { return a < b ? a : b; }
  static Property applyMerge(Property a, Property b) { return a < b ? a : b; }
  static Property applyFunc(Property tProp, Property source, Property, unsigned (&extra)[2], unsigned) {
    extra[0] += tProp < source;
    extra[1] += static_cast<unsigned>(source & 3);
    return tProp < source ? tProp : source;
  }
};

}  // namespace testing
}  // namespace gaspipe
