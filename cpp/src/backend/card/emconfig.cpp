// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/emconfig.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gaspipe {

unsigned num_emulated_cards(const std::string& text) {
  constexpr unsigned kMost = 64;  // more are a mistake
  const std::string name = "\"NumDevices\"";
  unsigned count = 0;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    at += name.size();
    const auto is_between = [](char c) { return std::isspace(static_cast<unsigned char>(c)) || c == ':' || c == '"'; };
    while (at < text.size() && is_between(text[at])) ++at;
    unsigned number = 0;
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) {
      number = std::min(kMost, number * 10 + static_cast<unsigned>(text[at] - '0'));
    }
    count = std::min(kMost, count + number);
  }
  return std::max(1u, count);
}

unsigned num_emulated_cards() {
  namespace fs = std::filesystem;
  const char* const folder = std::getenv("EMCONFIG_PATH");
  std::error_code problem;
  const fs::path beside =
      folder != nullptr ? fs::path(folder) : fs::read_symlink("/proc/self/exe", problem).parent_path();
  std::ifstream file(beside / "emconfig.json");
  return num_emulated_cards(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace gaspipe
