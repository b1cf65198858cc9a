// SPDX-License-Identifier: Apache-2.0
// The two lines before the entries of a Matrix Market file: banner and sizes.
#pragma once

#include <cstddef>
#include <string>

#include "gaspipe/edge_list.h"

namespace gaspipe {
namespace detail {

constexpr const char* kBanner = "expected \"%%MatrixMarket matrix coordinate ...\"";
constexpr const char* kSizeLine = "expected the numbers of rows, columns and entries";

// Both read the line [at, last), which ends with \n, into `matrix`, and return what is wrong with it or nothing.
std::string read_banner(const char* at, const char* last, std::size_t longest_line, MatrixMarket& matrix);
std::string read_size_line(const char* at, const char* last, std::size_t longest_line, MatrixMarket& matrix);

}  // namespace detail
}  // namespace gaspipe
