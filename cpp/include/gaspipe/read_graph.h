// SPDX-License-Identifier: Apache-2.0
// Graphs from text files on disk. Python reads more formats, and compressed files.
#pragma once

#include <string>

#include "gaspipe/csr.h"
#include "gaspipe/graph.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// As EdgeListParser and MetisParser read them. kAuto: as the name ends (.mtx; .graph and .metis, read as kDimacs10;
// .gr, read as kDimacs9), or else by the first bytes; what these do not tell is an edge list.
enum class GraphFile { kEdgeList, kDimacs10, kDimacs9, kMatrixMarket, kAuto };

// The graph that a file holds; num_threads 0: as OpenMP is set. Every error is a gaspipe::Error: InputError where the
// file cannot be read, is compressed, or holds a matrix that is not square; GraphFormatError, with file and line, for
// its first bad line. Vertices are the ids that the file has, one less where they count from 1; edge lists whose ids
// are sparse are for EdgeListParser, which can number them anew.
Graph from_file(const std::string& path, GraphFile format = GraphFile::kAuto, int num_threads = 0);
Graph from_edge_list_file(const std::string& path, int num_threads = 0);
Graph from_dimacs_file(const std::string& path, int num_threads = 0);  // DIMACS-10 or METIS

// The names that Olive gives them.
inline Graph fromEdgeListFile(const std::string& path) { return from_edge_list_file(path); }
inline Graph fromDimacsFile(const std::string& path) { return from_dimacs_file(path); }

// The rows alone.
Csr read_graph(const std::string& path, GraphFile format, Workers& workers);

}  // namespace gaspipe
