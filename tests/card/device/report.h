// SPDX-License-Identifier: Apache-2.0
// How the device process says what it does, and what is wrong.
#pragma once

#include <string>

namespace gaspipe {
namespace card {

// Ends the process by SIGABRT, with a line on stderr: of a death by anything but a signal XRT takes no notice, and its
// host would wait for an answer forever.
[[noreturn]] void die(const std::string& why);

// A line in the file that GASPIPE_CARD_TRACE names, if it does.
void trace(const std::string& line);

std::string hex(unsigned long long number);

}  // namespace card
}  // namespace gaspipe
