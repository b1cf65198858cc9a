// SPDX-License-Identifier: Apache-2.0
// Answers the calls of the host's libxrt_swemu. On the wire: a header of 14 bytes, {1: fixed64 size, 2: fixed32 call},
// and `size` bytes of message; then the answer's header of 9 bytes, {1: fixed64 size}, and the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "memory.h"
#include "message.h"
#include "program.h"

namespace gaspipe {
namespace card {

class Server {
 public:
  explicit Server(int socket) : socket_(socket) {}

  // Returns when the host has closed the card, or is gone.
  void serve();

 private:
  Reply answer(std::uint32_t call, const Message& message);
  bool load(const Message& message);
  void close(bool all);
  ComputeUnit& unit_at(std::uint64_t address) const;
  std::string host_file(std::uint64_t address) const;

  bool receive(void* data, std::size_t num_bytes) const;
  bool send(std::string_view bytes) const;

  const int socket_;
  Memory memory_;
  std::unique_ptr<Program> program_;
  std::string folder_;             // of the run, as XRT names it
  bool host_wants_files_ = false;  // for what it maps of a buffer: XRT 2.14 and later
  bool is_closed_ = false;
};

}  // namespace card
}  // namespace gaspipe
