// SPDX-License-Identifier: Apache-2.0
// Cell's search as one kernel: hls/kernel/local_store_bfs.h. A unit is a PE. `lists_even` and `lists_odd` are one
// array, as are `queue` and `next_queue`. The kernel is no part of a pipeline: kAlgorithm, kUnits and kMostCapacity say
// what `gaspipe build` may make of it, kMethod what runs it on a card (python/gaspipe/_card/kernels.py reads them).
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace local_store_bfs {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "cell";
constexpr const char* kAlgorithm = "bfs";
constexpr const char* kMethod = "local_store";
constexpr int kUnits[] = {2, 4, 8};
constexpr int kMostCapacity = 16777216;  // vertices of a PE

constexpr Port kPorts[] = {
    {"queue", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kVertices, "queue"},
    {"lists_even", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kRows, "even"},
    {"lists_odd", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kRows, "odd"},
    {"next_queue", PortKind::kWrite, "std::uint64_t", Each::kUnit, Bank::kVertices, "queue"},
    {"num_state_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"level", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

}  // namespace local_store_bfs
}  // namespace kernel
}  // namespace gaspipe
