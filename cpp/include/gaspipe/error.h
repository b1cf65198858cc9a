// SPDX-License-Identifier: Apache-2.0
// The errors the library throws; bindings/errors.cpp maps each to a Python class of the same name. A message says what
// was found, what is allowed and what to do.
#pragma once

#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gaspipe {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// An argument's value, shape or dtype is wrong.
struct InputError : Error {
  using Error::Error;
};
// A file cannot be parsed; names file and line.
struct GraphFormatError : Error {
  using Error::Error;
};
// The graph does not fit the device, or an index type.
struct CapacityError : Error {
  using Error::Error;
};
// A board, bitstream or kernel is missing or failed.
struct DeviceError : Error {
  using Error::Error;
};
// Another rank of a run over several domains could not go on; says which, and why.
struct RankError : Error {
  using Error::Error;
};
// The system refused a file: an OSError in Python, with the same number and path.
struct FileError : Error {
  // `code` is errno; `what` says what was under way: "writing sorted edges".
  FileError(int code, const std::string& what, const std::string& path);
  int code;
  std::string reason;  // errno's text, and what was under way
  std::string path;
};
// The caller asked to stop; no fault.
struct Cancelled : std::exception {
  const char* what() const noexcept override { return "cancelled"; }
};

// Joins its arguments into one message: message("root ", 7, " is not ...").
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

inline FileError::FileError(int code, const std::string& what, const std::string& path)
    : Error(message(std::strerror(code), " (", what, "): '", path, "'")),
      code(code),
      reason(message(std::strerror(code), " (", what, ")")),
      path(path) {}

}  // namespace gaspipe
