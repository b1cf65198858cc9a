// SPDX-License-Identifier: Apache-2.0
// The driver of Alveo cards, over the native API of XRT. Linked into the module gaspipe._fpga, never into the core,
// which receives the driver from that module (kCardDriverCapsule).
#pragma once

#include <memory>

#include "gaspipe/card.h"

namespace gaspipe {

// The library of XRT 2, by the name that programs are linked with.
constexpr const char* kXrtLibrary = "libxrt_coreutil.so.2";

// Opens nothing yet. What it makes may be destroyed in any order: a buffer or run that goes waits for the runs under
// way, and a card whose runs do not end within half a minute is given up, with all that it holds.
std::unique_ptr<CardDriver> make_fpga_driver();

}  // namespace gaspipe
