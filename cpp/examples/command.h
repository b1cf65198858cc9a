// SPDX-License-Identifier: Apache-2.0
// The example programs as a command with Olive's options.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace gaspipe {
namespace example {

struct Command {
  std::string program, path;
  std::int64_t source = 0;        // -s
  bool is_dimacs = false;         // -dimacs
  std::uint64_t most_rounds = 0;  // -round; 0: as many as it takes
  bool is_verbose = false;        // -verbose
  int group = 1;                  // -g
  bool scan = false;              // -scan
  bool shows_max = false;         // -max
};

// InputError says which word is wrong.
Command parse(const std::vector<std::string>& words);
std::string usage();

// Runs the command and writes a value per line, in the order of the vertices, into a file named after the program.
// Returns the exit status: 0, 1 for an error, 2 after showing the usage.
int run_command(const std::vector<std::string>& words, const std::string& folder, std::ostream& out, std::ostream& err);

}  // namespace example
}  // namespace gaspipe
