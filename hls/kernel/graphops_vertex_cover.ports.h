// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_vertex_cover.h. kEnds: of each of its last words, the port whose beats it counts; the
// others are answers.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_vertex_cover {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gocover";
constexpr const char* kAlgorithm = "vertex_cover";
constexpr const char* kDesign = "graphops";
constexpr const char* kNumber = "uint64";  // of its elements, which no hooks choose
constexpr int kUnits[] = {1};
constexpr int kMostCapacity = 0;  // it keeps no vertices on the chip

constexpr Port kPorts[] = {
    {"offsets", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kRows, "rows"},
    {"elements", PortKind::kRead, "Element", Each::kOne, Bank::kReplicas, "replicas"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_vertices", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"", "", "", "", "offsets", "elements"};

}  // namespace graphops_vertex_cover
}  // namespace kernel
}  // namespace gaspipe
