// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/emconfig.h"

#include <gtest/gtest.h>

namespace gaspipe {
namespace {

TEST(Emconfig, SaysHowManyCardsThereAre) {
  EXPECT_EQ(num_emulated_cards(R"({"Platform": {"Boards": [{"Devices": [{"Name": "a", "NumDevices": "3"}]}]}})"), 3u);
  EXPECT_EQ(num_emulated_cards("\"NumDevices\" :\n 2, \"NumDevices\": \"1\""), 3u);
}

TEST(Emconfig, HasOneCardWhereItSaysNothing) {
  for (const char* text : {"", "{}", "\"NumDevices\"", "\"NumDevices\": \"", "\"NumDevices\": \"0\"",
                           "\"NumDevices\": -4", "\"NumDevices\": \"many\""}) {
    EXPECT_EQ(num_emulated_cards(text), 1u) << text;
  }
  EXPECT_EQ(num_emulated_cards("\"NumDevices\": 99999999999999999999"), 64u);
}

}  // namespace
}  // namespace gaspipe
