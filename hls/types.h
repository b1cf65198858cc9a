// SPDX-License-Identifier: Apache-2.0
// The words every kernel, engine and algorithm shares: vertices, edges, updates, number formats and the vocabulary
// of a program. An algorithm header includes this file and nothing else. C++14, no standard library beyond the
// fixed-width integers, so that Vitis and a host compiler read the same text.
#pragma once

#include "hls/fixed.h"
#include "hls/program.h"
#include "hls/traits.h"
#include "hls/vertex.h"
