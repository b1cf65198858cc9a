// SPDX-License-Identifier: Apache-2.0
// Functions of shared libraries that are compiled from users' snippets.
#pragma once

#include <string>

namespace gaspipe {

// Loads a library, which then stays, and finds a symbol in it. InputError for a path without a folder, Error where
// there is no such library or symbol.
void* load_symbol(const std::string& path, const std::string& symbol);

}  // namespace gaspipe
