// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/read_graph.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "gaspipe/edge_list.h"
#include "gaspipe/error.h"
#include "gaspipe/metis.h"

namespace gaspipe {
namespace {

constexpr std::size_t kPiece = std::size_t(1) << 20;

template <class Parser>
void feed(const std::string& path, Parser& parser) {
  const auto fail = [&] {
    throw InputError(message("cannot read '", path, "': ", std::strerror(errno), "; give the path of a text file"));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail();
  std::vector<char> piece(kPiece);
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
    parser.feed(piece.data(), size);
  }
  if (std::ferror(file.get()) != 0) fail();
}

}  // namespace

Csr read_graph(const std::string& path, GraphFile format, Workers& workers) {
  if (format == GraphFile::kDimacs10) {
    MetisParser parser(path, workers);
    feed(path, parser);
    return parser.finish().csr;
  }
  EdgeListParser parser(path, workers);
  feed(path, parser);
  const EdgeList edges = parser.finish(/*relabel=*/false).edges;
  return build_csr(edges, edges.num_vertices, workers);
}

}  // namespace gaspipe
