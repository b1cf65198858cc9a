// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_conductance.h. kEnds: of each of its last words, the port whose beats it counts; the
// others are answers.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_conductance {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gocond";
constexpr const char* kAlgorithm = "conductance";
constexpr const char* kDesign = "graphops";
constexpr const char* kNumber = "uint32";  // of its elements, which no hooks choose
constexpr int kUnits[] = {1};
constexpr int kMostCapacity = 0;  // it keeps no vertices on the chip

constexpr Port kPorts[] = {
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"offsets", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kRows, "rows"},
    {"replicas", PortKind::kRead, "Property", Each::kOne, Bank::kReplicas, "replicas"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_vertices", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"", "", "", "", "", "", "properties", "offsets", "replicas"};

}  // namespace graphops_conductance
}  // namespace kernel
}  // namespace gaspipe
