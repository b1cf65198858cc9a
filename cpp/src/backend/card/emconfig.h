// SPDX-License-Identifier: Apache-2.0
// emconfig.json, in which AMD's emconfigutil describes the cards that XRT emulates. XRT itself opens any number of
// emulated cards, whether they are described or not.
#pragma once

#include <string>

namespace gaspipe {

// The sum of its "NumDevices"; at least 1.
unsigned num_emulated_cards(const std::string& text);
// Of the file where XRT looks: in $EMCONFIG_PATH, else beside the program. 1 where there is none.
unsigned num_emulated_cards();

}  // namespace gaspipe
