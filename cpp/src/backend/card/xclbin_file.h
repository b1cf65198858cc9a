// SPDX-License-Identifier: Apache-2.0
// Whether a file is an xclbin that can be handed to XRT, which believes every length and index in it.
#pragma once

#include <string>
#include <vector>

namespace gaspipe {

// The bytes of an xclbin. DeviceError where the file cannot be read, is something else, is cut short, or where what is
// counted, named or connected in it points outside of it.
std::vector<char> read_xclbin(const std::string& path);

}  // namespace gaspipe
