// SPDX-License-Identifier: Apache-2.0
// The device process: what XRT, in software emulation, starts in the place of "genericpciemodel" of Vitis and talks to
// over a socket. It owns the card's memory and runs the kernels that the xclbin brings.
//
// It lives as long as its host: it goes when the socket closes, and when its parent is another, for a child that the
// host has left behind may still hold the socket.
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "report.h"
#include "server.h"

namespace {

using gaspipe::card::die;

void end_with(pid_t host) {
  std::thread([host] {
    while (getppid() == host) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    _exit(0);
  }).detach();
}

int connect_to_host() {
  const char* user = std::getenv("USER");
  const char* name = std::getenv("EMULATION_SOCKETID");
  const std::string path =
      user == nullptr ? "/tmp/xcl_sock" : std::string("/tmp/") + user + "/" + (name == nullptr ? "xcl_sock" : name);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) die("the path of the host's socket is too long: " + path);
  path.copy(address.sun_path, path.size());
  for (int tries = 0; tries < 3000; ++tries) {  // the host listens only after it has started this process
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
    close(file);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  die("no host listens at " + path);
}

}  // namespace

int main() {
  end_with(getppid());
  signal(SIGINT, SIG_IGN);  // a terminal sends it to the whole group, and the host decides
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  gaspipe::card::Server(connect_to_host()).serve();
  _exit(0);  // a kernel may still run
}
