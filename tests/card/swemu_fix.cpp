// SPDX-License-Identifier: Apache-2.0
// Stands where XRT looks for libxrt_swemu.so.2: loads the real one, which is linked to it, and redirects a few of its
// calls to libc, in its table of imports in memory. No file of XRT is changed. For tests only.
//
// 1. In Debian's builds of 2.13, alloc_void() drops what realloc returns, so a buffer dangles once a message is larger
//    than the first. With room for the largest message from the start, realloc never moves it.
// 2. The death of any child of the host counts as the death of the device process, is answered by a signal to the whole
//    process group, and closing waits for any child of the group. In a test runner that ends what has nothing to do
//    with a card, so all three are confined to the device processes.
// 3. A signal handler that the library installs for the host's own faults is left out.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

namespace {

constexpr std::size_t kLargestMessage = std::size_t(16) << 20;  // XRT splits copies into pieces of 8 MiB

// Pages that nobody touches cost nothing.
void* roomy_malloc(std::size_t size) { return std::malloc(std::max(size, kLargestMessage)); }

void* realloc_in_place(void* data, std::size_t size) {
  return data != nullptr && malloc_usable_size(data) >= size ? data : std::realloc(data, size);
}

volatile pid_t devices[64];  // read by a signal handler: no lock, no allocation; 0 is a free place
std::mutex devices_mutex;    // of who adds to them
void (*handler_of_xrt)(int, siginfo_t*, void*) = nullptr;

pid_t fork_device() {
  const pid_t child = fork();
  if (child == 0) signal(SIGINT, SIG_IGN);  // survives exec; until the device process does it, Ctrl-C would end it
  if (child > 0) {
    const std::lock_guard<std::mutex> lock(devices_mutex);
    const auto place = std::find(std::begin(devices), std::end(devices), 0);
    if (place == std::end(devices)) std::abort();
    *place = child;
  }
  return child;
}

void on_child(int signal, siginfo_t* info, void* context) {
  const bool is_device = std::find(std::begin(devices), std::end(devices), info->si_pid) != std::end(devices);
  if (is_device && handler_of_xrt != nullptr) handler_of_xrt(signal, info, context);
}

int sigaction_of_children(int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal != SIGCHLD || action == nullptr) return 0;
  handler_of_xrt = action->sa_sigaction;
  struct sigaction ours = *action;
  ours.sa_sigaction = on_child;
  ours.sa_flags |= SA_RESTART | SA_NOCLDSTOP;
  return sigaction(signal, &ours, old);
}

int kill_host(pid_t process, int signal) { return kill(process == 0 ? getpid() : process, signal); }

// Closing calls waitpid(0, ...) until it succeeds.
pid_t wait_for_device(pid_t process, int* status, int options) {
  if (process != 0) return waitpid(process, status, options);
  while (true) {
    bool is_any_left = false;
    for (volatile pid_t& device : devices) {
      const pid_t child = device;
      if (child == 0) continue;
      is_any_left = true;
      if (waitpid(child, status, WNOHANG) != 0) {  // gone, whoever took its status
        device = 0;
        return child;
      }
    }
    if (!is_any_left) return getpid();
    usleep(1000);
  }
}

// Lets the library's calls of an imported function go elsewhere.
void redirect(const link_map* library, const char* name, void* to) {
  const ElfW(Rela)* imports = nullptr;
  std::size_t num_bytes = 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = library->l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL:
        imports = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        num_bytes = entry->d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
    }
  }
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  for (const ElfW(Rela)* import = imports; import < imports + num_bytes / sizeof *import; ++import) {
    if (std::strcmp(strings + symbols[ELF64_R_SYM(import->r_info)].st_name, name) != 0) continue;
    const std::uintptr_t slot = library->l_addr + import->r_offset;
    void* const first = reinterpret_cast<void*>(slot & ~(page - 1));
    mprotect(first, page, PROT_READ | PROT_WRITE);
    *reinterpret_cast<void**>(slot) = to;
    mprotect(first, page, PROT_READ);
  }
}

__attribute__((constructor)) void load() {
  void* const library = dlopen("libxrt_swemu.so.2", RTLD_NOW | RTLD_GLOBAL);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
    std::fprintf(stderr, "swemu_fix: %s\n", dlerror());
    return;
  }
  redirect(map, "malloc", reinterpret_cast<void*>(&roomy_malloc));
  redirect(map, "realloc", reinterpret_cast<void*>(&realloc_in_place));
  redirect(map, "fork", reinterpret_cast<void*>(&fork_device));
  redirect(map, "sigaction", reinterpret_cast<void*>(&sigaction_of_children));
  redirect(map, "kill", reinterpret_cast<void*>(&kill_host));
  redirect(map, "waitpid", reinterpret_cast<void*>(&wait_for_device));
}

}  // namespace
