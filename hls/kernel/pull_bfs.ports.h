// SPDX-License-Identifier: Apache-2.0
// Up to `num_levels` levels of a search, from number `level` on, each pushed or pulled: hls/kernel/pull_bfs.h. A unit
// is a PE. `heads` and `rows` are one array, as are `lists_even` and `lists_odd`, and `queue` and `next_queue`.
// kAlgorithm, kUnits and kMostCapacity: hls/kernel/local_store_bfs.ports.h.
// `num_list_words` (likely_words) and `num_headed` are of the vertices in no level before that: they decide what is
// pulled, and change no answer.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace pull_bfs {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "pull";
constexpr const char* kAlgorithm = "bfs";
constexpr const char* kMethod = "direction_optimizing";
constexpr const char* kBeside = "local_store_bfs";  // whose region the top has too: hls/kernel/local_store_bfs.h
constexpr int kUnits[] = {2, 4, 8};
constexpr int kMostCapacity = 8388608;  // vertices of a PE

constexpr Port kPorts[] = {
    {"queue", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kVertices, "queue"},
    {"lists_even", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kRows, "even", kAhead},
    {"lists_odd", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kRows, "odd", kAhead},
    {"heads", PortKind::kRead, "std::uint32_t", Each::kUnit, Bank::kRows, "even", kAhead},
    {"rows", PortKind::kRead, "std::uint32_t", Each::kUnit, Bank::kRows, "odd", kAhead},
    {"next_queue", PortKind::kWrite, "std::uint64_t", Each::kUnit, Bank::kVertices, "queue"},
    {"num_state_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"level", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_groups", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_levels", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_list_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_headed", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

}  // namespace pull_bfs
}  // namespace kernel
}  // namespace gaspipe
