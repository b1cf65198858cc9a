// SPDX-License-Identifier: Apache-2.0
// Devices by name.
#include "gaspipe/executors.h"

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

std::string listed() {
  std::string text;
  for (const ExecutorKind* kind : executors()) {
    if (!text.empty()) text += kind == executors().back() ? ", and " : ", ";
    text += message("\"", kind->name, "\"");
    if (kind->which != nullptr) text += message(", \"", kind->name, ":", kind->example, "\"");
  }
  return text;
}

}  // namespace

std::string which_of(const std::string& device) {
  const auto colon = device.find(':');
  return colon == std::string::npos ? "" : device.substr(colon + 1);
}

const ExecutorKind& find_executor(const std::string& device) {
  const auto colon = device.find(':');
  const std::string name = device.substr(0, colon);
  for (const ExecutorKind* kind : executors()) {
    if (name != kind->name) continue;
    if (colon == std::string::npos) return *kind;
    if (kind->check == nullptr) break;
    kind->check(which_of(device));
    return *kind;
  }
  throw InputError(message("device is \"", device, "\"; allowed are ", listed()));
}

}  // namespace gaspipe
