// SPDX-License-Identifier: Apache-2.0
// How large this machine's caches are: for what is faster while data are near, and slower beyond.
#pragma once

#include <cstdint>
#include <string>

namespace gaspipe {

// Bytes that a core reads at random without waiting long: its own cache, or its part of one that few cores share. As
// the system describes the first CPU (Linux's sysfs); 2 MiB where it does not. The same for a whole process.
std::uint64_t near_bytes();

// By such a description: a folder with a folder for each cache.
std::uint64_t near_bytes_of(const std::string& caches);

}  // namespace gaspipe
