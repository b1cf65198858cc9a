// SPDX-License-Identifier: Apache-2.0
// Whether also those cases run of which tests usually take a sample: GASPIPE_WHOLE=1, as in tests/python/tools.py.
#pragma once

#include <cctype>
#include <cstdlib>
#include <string>

namespace gaspipe {
namespace testing {

inline bool whole() {
  const char* const set = std::getenv("GASPIPE_WHOLE");
  std::string value = set == nullptr ? "" : set;
  for (char& letter : value) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return !value.empty() && value != "0" && value != "false";
}

}  // namespace testing
}  // namespace gaspipe
