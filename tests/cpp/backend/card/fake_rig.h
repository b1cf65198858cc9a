// SPDX-License-Identifier: Apache-2.0
// What tests of a card's host side begin with: a fake card and the design on it. At the end nothing is left on it, and
// its host has done nothing wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/loaded_card.h"
#include "gaspipe/run_options.h"
#include "tests/cpp/backend/card/fake_card.h"

namespace gaspipe {
namespace testing {

struct FakeRig {
  FakeDriver driver;
  CardDesign design;
  std::shared_ptr<LoadedCard> card;

  FakeRig() { design.xclbin = "fake.xclbin"; }
  FakeRig(const FakeRig&) = delete;
  ~FakeRig() {
    driver.release();
    card.reset();
    EXPECT_EQ(driver.violations(), std::vector<std::string>());
    for (const auto& [bank, num_bytes] : driver.used) EXPECT_EQ(num_bytes, 0u) << "left in bank " << bank;
  }
  void load() { card = std::make_shared<LoadedCard>(driver, 0, design); }
  // Events of a kind so far.
  int count(const std::string& what) {
    const std::vector<FakeEvent> events = driver.events();
    return static_cast<int>(
        std::count_if(events.begin(), events.end(), [&](const FakeEvent& event) { return event.what == what; }));
  }
  RunOptions on_card() const {
    RunOptions options;
    options.device = "fpga";
    options.card = card;
    return options;
  }
};

}  // namespace testing
}  // namespace gaspipe
