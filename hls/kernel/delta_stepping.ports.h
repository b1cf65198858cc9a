// SPDX-License-Identifier: Apache-2.0
// Up to `num_phases` phases of shortest paths: hls/kernel/delta_stepping.h. A unit is a PE. `distances` and
// `next_distances` are one array. `limit` is that of the phase before, 0 in the beginning; `width` that of the first
// bucket; `balance`: hls/local_store/bucket.h.
// kAlgorithm, kUnits and kMostCapacity: hls/kernel/local_store_bfs.ports.h.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace delta_stepping {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "delta";
constexpr const char* kAlgorithm = "sssp";
constexpr const char* kMethod = "delta_stepping";
constexpr const char* kNumbers[] = {"uint32", "float32"};
constexpr int kUnits[] = {2, 4, 8};
constexpr int kMostCapacity = 1048576;  // vertices of a PE
constexpr int kVertexBits = 32;         // that the chip keeps of each

constexpr Port kPorts[] = {
    {"distances", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kVertices, "vertices"},
    {"heads", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kVertices, "heads", kAhead},
    {"edges", PortKind::kRead, "std::uint64_t", Each::kUnit, Bank::kRows, "edges", kAhead},
    {"next_distances", PortKind::kWrite, "std::uint64_t", Each::kUnit, Bank::kVertices, "vertices"},
    {"num_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"limit", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"width", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"balance", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_phases", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

}  // namespace delta_stepping
}  // namespace kernel
}  // namespace gaspipe
