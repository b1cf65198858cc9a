// SPDX-License-Identifier: Apache-2.0
// Code that a build left out (GASPIPE_KERNELS=on-demand): it is compiled on the user's machine when first used.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gaspipe {

// A part of what is missing: the source of a library that exports kMissingSymbol, and what it is called.
struct MissingCode {
  std::string name;  // "bfs-uint32-apply"
  std::string source;
};
constexpr const char* kMissingSymbol = "gaspipe_missing";

// Compiles parts, all at once, and returns the paths of their libraries; those that were compiled before are found.
// `what` is for people: "bfs". May be called on any thread.
using MissingCompiler =
    std::function<std::vector<std::string>(const std::string& what, const std::vector<MissingCode>& parts)>;
// The package for Python sets its own; without one, missing code is an Error.
void set_missing_compiler(MissingCompiler compiler);

// The addresses of the parts' symbols. Libraries stay loaded, and are asked for once in a process.
std::vector<void*> find_missing(const std::string& what, const std::vector<MissingCode>& parts);

}  // namespace gaspipe
