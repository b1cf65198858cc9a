// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_pagerank.h. kEnds: of each of its last words, the port whose beats it counts; the
// others are answers.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_pagerank {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gopr";
constexpr const char* kAlgorithm = "pagerank";
constexpr const char* kDesign = "graphops";
constexpr int kUnits[] = {1};
constexpr int kMostCapacity = 0;  // it keeps no vertices on the chip

constexpr Port kPorts[] = {
    {"offsets", PortKind::kRead, "std::uint64_t", Each::kOne, Bank::kRows, "rows"},
    {"replicas", PortKind::kRead, "Property", Each::kOne, Bank::kReplicas, "replicas"},
    {"gathered", PortKind::kRead, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"updated", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_vertices", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"offsets", "replicas", "gathered", "updated"};

}  // namespace graphops_pagerank
}  // namespace kernel
}  // namespace gaspipe
