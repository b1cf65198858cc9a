// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

enum Call : std::uint32_t {
  kClose = 1,
  kLoad = 3,
  kAllocate = 4,
  kFree = 5,
  kToCard = 6,
  kToHost = 7,
  kWriteControl = 9,
  kReadControl = 11,
  kSetUp = 28,
  kWriteRegister = 51,
  kReadRegister = 52,
  kDriverVersion = 53,
};

}  // namespace

void Server::serve() {
  while (!is_closed_) {
    char header[14];
    if (!receive(header, sizeof header)) return;
    const Message call({header, sizeof header});
    std::string bytes(call.number(1), '\0');
    if (!receive(&bytes[0], bytes.size())) return;
    const Reply reply = answer(static_cast<std::uint32_t>(call.number(2)), Message(bytes));
    char reply_header[9] = {0x09};
    const std::uint64_t size = reply.encoded().size();
    std::memcpy(reply_header + 1, &size, sizeof size);
    if (!send({reply_header, sizeof reply_header}) || !send(reply.encoded())) return;
  }
}

Reply Server::answer(std::uint32_t call, const Message& message) {
  Reply reply;
  switch (call) {
    case kClose:
      close(message.number(3) != 0);
      return reply.number(1, 1);
    case kLoad:
      return reply.number(1, load(message) ? 1 : 0);
    case kAllocate: {
      const std::uint64_t address = message.number(1), size = message.number(2);
      const std::string file = message.number(3) != 0 ? host_file(address) : "";
      trace("allocate " + hex(address) + " " + std::to_string(size));
      memory_.allocate(address, size);
      return reply.number(1, 1).bytes(2, file);
    }
    case kFree: {
      const std::uint64_t address = message.number(1);
      trace("free " + hex(address));
      if (host_wants_files_) unlink(host_file(address).c_str());
      return reply.number(1, memory_.free(address) ? 1 : 0);
    }
    case kToCard: {
      const std::string_view bytes = message.bytes(4);
      trace("to_card " + hex(message.number(3)) + " " + std::to_string(bytes.size()));
      memory_.write(message.number(3), bytes);
      return reply.number(1, bytes.size());
    }
    case kToHost: {
      const std::uint64_t size = message.number(5);
      trace("to_host " + hex(message.number(4)) + " " + std::to_string(size));
      return reply.number(1, size).bytes(2, memory_.read(message.number(4), size));
    }
    case kWriteControl: {
      ComputeUnit& unit = unit_at(message.number(2));
      unit.write(message.number(2) - unit.base(), message.bytes(4));
      return reply.number(1, 1);
    }
    case kReadControl: {
      ComputeUnit& unit = unit_at(message.number(2));
      return reply.number(1, 1).bytes(2, unit.read(message.number(2) - unit.base(), message.number(3)));
    }
    case kWriteRegister:
      unit_at(message.number(1)).write(message.number(2), message.bytes(3));
      return reply.number(1, 1);
    case kReadRegister:
      return reply.number(1, 1).bytes(2, unit_at(message.number(1)).read(message.number(2), message.number(3)));
    case kSetUp:  // of streams to the host, which our kernels do not have
      return reply.number(1, 1);
    case kDriverVersion:
      host_wants_files_ = true;
      return reply.number(1, 1);
    default:
      die("XRT makes a call that this card does not know: " + std::to_string(call));
  }
}

// Without a library where XRT wants buffers before any xclbin.
bool Server::load(const Message& message) {
  std::vector<std::uint64_t> banks;
  for (const std::string_view bank : message.all_bytes(8)) banks.push_back(Message(bank).number(7));
  memory_.set_banks(banks);
  folder_ = message.bytes(5);
  const std::string metadata(message.bytes(1)), library(message.bytes(2));
  trace("load " + std::string(message.bytes(3)) + " banks " + std::to_string(banks.size()));
  if (library.empty()) return true;
  try {
    program_ = std::make_unique<Program>(metadata, library, memory_);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulated card: %s\n", error.what());
    return false;
  }
}

// Comes with `all` at the end of the host's use of the card, and without before every xclbin; buffers stay then.
void Server::close(bool all) {
  trace(all ? "close" : "unload");
  ComputeUnit* running = program_ == nullptr ? nullptr : program_->running();
  is_closed_ = all;
  if (running != nullptr) {
    if (!all) die("the host loads an xclbin while " + running->name() + " runs");
    std::fprintf(stderr, "emulated card: the host closes the card while %s runs\n", running->name().c_str());
  } else {
    program_.reset();
  }
}

ComputeUnit& Server::unit_at(std::uint64_t address) const {
  if (program_ == nullptr) die("the host uses a register at " + hex(address) + " before it has loaded an xclbin");
  return program_->unit_at(address);
}

// XRT asks for a file that host and card share, for buffers that are not flagged cacheable. 2.13 takes its own memory
// when it gets no name; later ones map the file, so each buffer gets one of its own: host and card stay apart until a
// sync, as with a card.
std::string Server::host_file(std::uint64_t address) const {
  return host_wants_files_ ? folder_ + "/buffer_" + hex(address) : "";
}

bool Server::receive(void* data, std::size_t num_bytes) const {
  for (char* at = static_cast<char*>(data); num_bytes > 0;) {
    const ssize_t num = recv(socket_, at, num_bytes, 0);
    if (num < 0 && errno == EINTR) continue;
    if (num <= 0) return false;
    at += num;
    num_bytes -= static_cast<std::size_t>(num);
  }
  return true;
}

bool Server::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t num = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (num < 0 && errno == EINTR) continue;
    if (num <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(num));
  }
  return true;
}

}  // namespace card
}  // namespace gaspipe
