// SPDX-License-Identifier: Apache-2.0
// LUTs of the kernels' tasks as yosys maps them to UltraScale+: rows of tests/rtl/leaves.csv, which a test compares.
// A name has the bytes of a value, or a program with values of that size (bfs: 4, sssp64: 8), and the lanes or PEs.
#pragma once

#include <string>

namespace gaspipe {
namespace predict {

struct LeafLuts {
  const char* leaf;
  int luts;
};

constexpr LeafLuts kLeafLuts[] = {
    {"applyProcess_bfs", 4373},
    {"applyProcess_sssp64", 3316},
    {"broadcastRows_4_16", 1234},
    {"broadcastRows_8_16", 1748},
    {"broadcast_4_16", 1079},
    {"broadcast_4_8", 554},
    {"broadcast_8_8", 810},
    {"burstRead", 1087},
    {"burstReadLite_4", 61},
    {"burstReadLite_8", 61},
    {"collect_4_16", 1696},
    {"collect_4_8", 1431},
    {"collect_8_16", 1663},
    {"collect_8_8", 1145},
    {"cuDuplicate_4", 579},
    {"cuDuplicate_8", 579},
    {"cuMerge_bfs", 925},
    {"cuMerge_sssp64", 925},
    {"decodeEdges_4", 2090},
    {"decodeEdges_8", 2186},
    {"dstPropertyProcess_bfs", 276},
    {"dstPropertyProcess_sssp64", 334},
    {"fetchSourcesParts_bfs_16", 12131},
    {"fetchSourcesParts_sssp64_16", 11820},
    {"fetchSources_bfs_16", 11672},
    {"fetchSources_bfs_8", 18177},
    {"fetchSources_sssp64_16", 12893},
    {"fetchSources_sssp64_8", 7863},
    {"gatherBank_bfs", 266},
    {"gatherBank_sssp64", 265},
    {"gatherCopy_bfs", 352},
    {"gatherCopy_sssp64", 333},
    {"gatherRows_bfs_16", 729},
    {"gatherRows_sssp64_16", 732},
    {"groupCommands_4", 1028},
    {"groupCommands_8", 1054},
    {"joinWeights_4", 1658},
    {"joinWeights_8", 1117},
    {"lineCommandsParts_4", 1020},
    {"lineCommandsParts_8", 1135},
    {"lineCommands_4", 877},
    {"lineCommands_8", 899},
    {"lineFetchWeights_4", 1334},
    {"lineFetchWeights_8", 1334},
    {"lineFetch_4", 123},
    {"lineFetch_8", 123},
    {"lineReadParts_4", 103},
    {"lineReadParts_8", 103},
    {"lineRead_4", 120},
    {"lineRead_8", 120},
    {"markLines_4", 1374},
    {"markLines_8", 1416},
    {"mergeCopies_bfs", 8125},
    {"mergeCopies_sssp64", 8163},
    {"passRange_4", 635},
    {"passRange_8", 637},
    {"propProcessParts_bfs_16", 3467},
    {"propProcessParts_sssp64_16", 7737},
    {"propProcessParts_sssp_16", 3831},
    {"propProcessWeighted_sssp64_16", 6953},
    {"propProcessWeighted_sssp64_8", 3683},
    {"propProcessWeighted_sssp_16", 3894},
    {"propProcessWeighted_sssp_8", 2969},
    {"propProcess_bfs_16", 2379},
    {"propProcess_bfs_8", 1702},
    {"rawSolverRows_bfs_16", 2211},
    {"rawSolverRows_sssp64_16", 1571},
    {"rawSolver_bfs", 1607},
    {"rawSolver_sssp64", 1811},
    {"readEdgeList_plain", 1760},
    {"readEdgeList_weighted_4", 3371},
    {"readEdgeList_weighted_8", 3311},
    {"readEdges", 1696},
    {"readParts_4", 243},
    {"readParts_8", 246},
    {"readSubPartitions_plain", 99},
    {"readSubPartitions_weighted", 95},
    {"readWeights_4", 1696},
    {"readWeights_8", 1695},
    {"sendParts_bfs", 699},
    {"sendParts_sssp64", 699},
    {"shuffleDecoderParts_4_16", 315},
    {"shuffleDecoderParts_8_16", 1331},
    {"shuffleDecoder_4_16", 324},
    {"shuffleDecoder_4_8", 130},
    {"shuffleDecoder_8_8", 626},
    {"splitLanes_4", 593},
    {"splitLanes_8", 663},
    {"tupleFilterParts_4_16", 1688},
    {"tupleFilterParts_8_16", 3598},
    {"tupleFilter_4_16", 4827},
    {"tupleFilter_4_8", 2203},
    {"tupleFilter_8_8", 2228},
    {"writeBackLite_4", 61},
    {"writeBackLite_8", 61},
    {"writeBack_4", 224},
    {"writeBack_8", 224},
    {"writeRows_4_16", 2268},
    {"writeRows_8_16", 2324},
    {"writeSums", 560},
    {"writeWords_4", 125},
    {"writeWords_8", 125},
};

// 0: not measured.
inline int luts_of_leaf(const std::string& leaf) {
  for (const LeafLuts& row : kLeafLuts) {
    if (leaf == row.leaf) return row.luts;
  }
  return 0;
}

}  // namespace predict
}  // namespace gaspipe
