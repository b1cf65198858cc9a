// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_sssp.h. kEnds: of each of its last words, the port whose beats it counts; the others
// are answers.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_sssp {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gosssp";
constexpr const char* kAlgorithm = "sssp";
constexpr const char* kDesign = "graphops";
constexpr int kUnits[] = {1};
constexpr int kMostCapacity = 0;  // it keeps no vertices on the chip

constexpr Port kPorts[] = {
    {"set", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kSets, "sets"},
    {"offsets", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kVertices, "rows"},
    {"targets", PortKind::kRead, "VertexId", Each::kOne, Bank::kRows, "targets"},
    {"replicas", PortKind::kRead, "Property", Each::kOne, Bank::kReplicas, "replicas"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kOne, Bank::kWeights, "weights"},
    {"owners", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "owners"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"updated", PortKind::kWrite, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"next_set", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kSets, "sets"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_groups", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"root", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"",           "",        "set",      "offsets", "targets", "replicas",
                                 "properties", "updated", "next_set", "owners",  "weights"};

}  // namespace graphops_sssp
}  // namespace kernel
}  // namespace gaspipe
