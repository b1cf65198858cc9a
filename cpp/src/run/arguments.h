// SPDX-License-Identifier: Apache-2.0
// Checks what a caller gives a program against what the program declares, and brings it into the program's own form.
#pragma once

#include <vector>

#include "gaspipe/run.h"

namespace gaspipe {

class CheckedArguments {
 public:
  // InputError for what is missing, unknown or out of range. `arguments` must outlive this.
  CheckedArguments(const abi::Program& program, const Arguments& arguments, const Graph& graph, Workers& workers);

  // The type that matrix and vectors have in common by NumPy's rules, of at least 32 bits; kNone without vectors.
  abi::Scalar common_type(abi::Scalar weight_type) const;
  // In the program's order, with vectors in the type given. Valid until the next call.
  const std::vector<abi::Argument>& in(abi::Scalar number_type, Workers& workers);

 private:
  struct Vector {
    std::size_t index;
    const char* name;
    const ArgumentValue* value;
  };
  abi::Argument check(const abi::Parameter& parameter, const ArgumentValue* value, Workers& workers);
  abi::Argument check_array(const abi::Parameter& parameter, const Array<double>& array, Workers& workers) const;
  abi::Argument check_vertices(const abi::Parameter& parameter, const Array<std::int64_t>& ids, Workers& workers);

  const abi::Program& program_;
  VertexId num_vertices_, num_sources_;
  std::vector<abi::Argument> checked_;
  std::vector<Vector> vectors_;
  std::vector<Array<VertexId>> lists_;          // what checked_ points to
  std::vector<Array<std::uint8_t>> converted_;  // likewise, since the last call of in()
};

}  // namespace gaspipe
