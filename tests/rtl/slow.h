// SPDX-License-Identifier: Apache-2.0
// A program whose updates take as long to merge as floating-point numbers, so that rawSolver holds them back
// (hls/module/raw_stall.h), and are integers, as circuits here need them: what the solver does depends on no value.
#pragma once

#include "hls/algorithm/bfs.h"
#include "hls/module/latency.h"

namespace gaspipe {

struct SlowHooks : algorithm::bfs::Hooks<std::uint32_t> {};

template <>
constexpr int merge_cycles<SlowHooks>() {
  return Latency<float>::kAdd;
}

}  // namespace gaspipe
