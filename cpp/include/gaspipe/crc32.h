// SPDX-License-Identifier: Apache-2.0
// zlib's CRC-32, eight bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gaspipe {

// Of some bytes, continued from the checksum of those before them (0: there are none).
std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace gaspipe
