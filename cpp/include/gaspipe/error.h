// SPDX-License-Identifier: Apache-2.0
// The errors the library throws; bindings/errors.cpp maps each to a Python class of the same name. A message says what
// was found, what is allowed and what to do.
#pragma once

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

}  // namespace gaspipe
