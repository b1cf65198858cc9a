// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_spmv.h. kEnds: of each of its last words, the port whose beats it counts; the others
// are answers.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_spmv {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gospmv";
constexpr const char* kAlgorithm = "spmv";
constexpr const char* kDesign = "graphops";
constexpr int kUnits[] = {1};
constexpr int kMostCapacity = 0;  // it keeps no vertices on the chip

constexpr Port kPorts[] = {
    {"offsets", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kRows, "rows"},
    {"replicas", PortKind::kRead, "Property", Each::kOne, Bank::kReplicas, "replicas"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kOne, Bank::kWeights, "weights"},
    {"gathered", PortKind::kRead, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"updated", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_vertices", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"offsets", "replicas", "gathered", "updated", "weights"};

}  // namespace graphops_spmv
}  // namespace kernel
}  // namespace gaspipe
