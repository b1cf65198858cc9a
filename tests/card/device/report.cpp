// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace gaspipe {
namespace card {

void die(const std::string& why) {
  static std::mutex first;
  first.lock();  // never given back: one report, whole
  trace("error: " + why);
  std::fprintf(stderr, "emulated card: %s\n", why.c_str());
  std::fflush(stderr);
  std::abort();
}

void trace(const std::string& line) {
  static std::FILE* const file = [] {
    const char* name = std::getenv("GASPIPE_CARD_TRACE");
    std::FILE* opened = name == nullptr ? nullptr : std::fopen(name, "a");
    if (opened != nullptr) std::setvbuf(opened, nullptr, _IOLBF, 1 << 12);
    return opened;
  }();
  if (file != nullptr) std::fprintf(file, "%s\n", line.c_str());
}

std::string hex(unsigned long long number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", number);
  return text;
}

}  // namespace card
}  // namespace gaspipe
