// SPDX-License-Identifier: Apache-2.0
// Bytes to and from a place of an open file, all of them; interrupted and short calls go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gaspipe {

// FileError where the system refuses; `what` and `path` are for its message.
void write_at(int descriptor, std::uint64_t start, const void* data, std::size_t size, const char* what,
              const std::string& path);
// The number of bytes read, less than `size` where the file ends.
std::size_t read_at(int descriptor, std::uint64_t start, void* data, std::size_t size, const char* what,
                    const std::string& path);

}  // namespace gaspipe
