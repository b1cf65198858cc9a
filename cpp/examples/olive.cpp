// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cpp/examples/command.h"

int main(int num_words, char** words) {
  return gaspipe::example::run_command({words + 1, words + num_words}, ".", std::cout, std::cerr);
}
