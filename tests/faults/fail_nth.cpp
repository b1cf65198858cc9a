// SPDX-License-Identifier: Apache-2.0
// Fails the n-th call of one kind that a program makes: loaded before it (LD_PRELOAD), driven by
// tests/python/faults.py. Memory, maps and threads are counted where the caller is one of our libraries or the C++
// library that serves them; calls on files where the file lies below a watched folder, in any library; processes
// always. What our libraries allocate between arm() and disarm() is followed until it is freed.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

enum Kind { kMemory, kMap, kOpen, kRead, kWrite, kSync, kClose, kThread, kProcess, kNumKinds };

// Shared with processes that are forked: a call of execve that fails there has been seen here.
struct Shared {
  std::atomic<int> kind{-1};
  std::atomic<std::int64_t> left{0};  // calls until the one that fails
  std::atomic<std::uint64_t> seen{0};
  std::atomic<int> failed{0};
};
Shared* shared = nullptr;

struct Range {
  std::uintptr_t first, last;
};
constexpr int kMostRanges = 256, kMostFiles = 4096;
constexpr std::size_t kMostPointers = std::size_t(1) << 20;
Range ranges[kMostRanges];
std::atomic<int> num_ranges{0};
char watched[4096];
std::atomic<bool> is_watched[kMostFiles];
std::atomic<void*> followed[kMostPointers];
std::atomic<std::int64_t> num_followed{0};
std::atomic<bool> follows{false};

bool is_ours(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  const int count = num_ranges.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (at >= ranges[i].first && at < ranges[i].last) return true;
  }
  return false;
}

// True for the call that is to fail.
bool hit(Kind kind) {
  if (shared == nullptr || shared->kind.load(std::memory_order_relaxed) != kind) return false;
  shared->seen.fetch_add(1, std::memory_order_relaxed);
  if (shared->left.fetch_sub(1, std::memory_order_relaxed) != 1) return false;
  shared->failed.store(1);
  return true;
}
bool hit(Kind kind, const void* caller) {
  return shared != nullptr && shared->kind.load(std::memory_order_relaxed) == kind && is_ours(caller) && hit(kind);
}
bool hit_file(Kind kind, int descriptor) {
  return descriptor >= 0 && descriptor < kMostFiles && is_watched[descriptor].load() && hit(kind);
}

std::size_t place_of(const void* pointer) {
  return (reinterpret_cast<std::uintptr_t>(pointer) >> 4) * 0x9e3779b97f4a7c15u >> 44;
}
void* follow(void* pointer, const void* caller) {
  if (pointer == nullptr || !follows.load(std::memory_order_relaxed) || !is_ours(caller)) return pointer;
  for (std::size_t i = place_of(pointer), tries = 0; tries < 64; ++i, ++tries) {
    void* expected = nullptr;
    if (followed[i % kMostPointers].compare_exchange_strong(expected, pointer)) {
      num_followed.fetch_add(1, std::memory_order_relaxed);
      break;
    }
  }
  return pointer;
}
void leave(void* pointer) {
  if (pointer == nullptr || num_followed.load(std::memory_order_relaxed) == 0) return;
  for (std::size_t i = place_of(pointer), tries = 0; tries < 64; ++i, ++tries) {
    void* expected = pointer;
    if (followed[i % kMostPointers].compare_exchange_strong(expected, nullptr)) {
      num_followed.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }
}

// The function of the C library that ours, of this name, stands before.
template <class F>
F real(F, const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}
int failed(int code) {
  errno = code;
  return -1;
}

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (hit(kMemory, caller)) return out_of_memory();
  void* const made = alignment > 16 ? __libc_memalign(alignment, size) : __libc_malloc(size);
  return follow(made, caller);
}
// pybind11 registers objects in maps with nodes of this size, outside of what turns exceptions into Python's or so that
// the object is freed twice: a failure there ends the process. It is left out.
constexpr std::size_t kNodeOfPybind11 = 24;

void* allocate_or_throw(std::size_t size, std::size_t alignment, const void* caller) {
  void* const made =
      size == kNodeOfPybind11 ? follow(__libc_malloc(size), caller) : allocate(size == 0 ? 1 : size, alignment, caller);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

bool lies_below(const char* path) {
  const std::size_t length = std::strlen(watched);
  return length > 0 && path != nullptr && std::strncmp(path, watched, length) == 0;
}
int opened(int descriptor, bool is_below) {
  if (descriptor >= 0 && descriptor < kMostFiles) is_watched[descriptor].store(is_below);
  return descriptor;
}

template <class F>
int open_with(F next, const char* path, int flags, mode_t mode) {
  if (lies_below(path) && hit(kOpen)) return failed(EMFILE);
  return opened(next(path, flags, mode), lies_below(path));
}

int add_ranges(dl_phdr_info* info, std::size_t, void*) {
  if (std::strstr(info->dlpi_name, "gaspipe") == nullptr && std::strstr(info->dlpi_name, "libstdc++") == nullptr) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const int at = num_ranges.load();
    if (at == kMostRanges) return 1;
    ranges[at] = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
    num_ranges.store(at + 1, std::memory_order_release);
  }
  return 0;
}

}  // namespace

extern "C" {

void faults_watch(const char* folder) { std::strncpy(watched, folder, sizeof watched - 1); }
// n = 0: counts only.
void faults_arm(int kind, std::int64_t n) {
  if (shared == nullptr) {
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = new (page) Shared;
  }
  num_ranges.store(0);
  ::dl_iterate_phdr(add_ranges, nullptr);
  for (auto& each : followed) each.store(nullptr, std::memory_order_relaxed);
  num_followed.store(0);
  shared->seen.store(0);
  shared->failed.store(0);
  shared->left.store(n);
  follows.store(true);
  shared->kind.store(kind);
}
// Number of calls of the kind since arm().
std::uint64_t faults_disarm() {
  shared->kind.store(-1);
  follows.store(false);
  return shared->seen.load();
}
int faults_failed() { return shared->failed.load(); }
std::int64_t faults_followed() { return num_followed.load(); }

void* malloc(std::size_t size) { return allocate(size, 0, __builtin_return_address(0)); }
void* calloc(std::size_t count, std::size_t size) {
  if (hit(kMemory, __builtin_return_address(0))) return out_of_memory();
  return follow(__libc_calloc(count, size), __builtin_return_address(0));
}
void* realloc(void* old, std::size_t size) {
  if (hit(kMemory, __builtin_return_address(0))) return out_of_memory();
  leave(old);
  return follow(__libc_realloc(old, size), __builtin_return_address(0));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocate(size, alignment, __builtin_return_address(0));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocate(size, alignment, __builtin_return_address(0));
}
int posix_memalign(void** made, std::size_t alignment, std::size_t size) {
  void* const found = allocate(size, alignment, __builtin_return_address(0));
  if (found == nullptr) return ENOMEM;
  *made = found;
  return 0;
}
void free(void* pointer) {
  leave(pointer);
  __libc_free(pointer);
}

void* mmap(void* at, std::size_t size, int access, int flags, int descriptor, off_t from) {
  static const auto next = real(&::mmap, "mmap");
  if (hit(kMap, __builtin_return_address(0))) return errno = ENOMEM, MAP_FAILED;
  return next(at, size, access, flags, descriptor, from);
}
int open(const char* path, int flags, ...) {
  static const auto next = real(&::open, "open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open_with(next, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  static const auto next = real(&::open64, "open64");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open_with(next, path, flags, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  static const auto next = real(&::fopen64, "fopen64");
  if (lies_below(path) && hit(kOpen)) return errno = EMFILE, nullptr;
  return next(path, mode);
}
ssize_t read(int descriptor, void* to, std::size_t size) {
  static const auto next = real(&::read, "read");
  return hit_file(kRead, descriptor) ? failed(EIO) : next(descriptor, to, size);
}
ssize_t pread(int descriptor, void* to, std::size_t size, off_t from) {
  static const auto next = real(&::pread, "pread");
  return hit_file(kRead, descriptor) ? failed(EIO) : next(descriptor, to, size, from);
}
ssize_t pread64(int descriptor, void* to, std::size_t size, off64_t from) {
  static const auto next = real(&::pread64, "pread64");
  return hit_file(kRead, descriptor) ? failed(EIO) : next(descriptor, to, size, from);
}
ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t from) {
  static const auto next = real(&::pwrite, "pwrite");
  return hit_file(kWrite, descriptor) ? failed(ENOSPC) : next(descriptor, data, size, from);
}
ssize_t pwrite64(int descriptor, const void* data, std::size_t size, off64_t from) {
  static const auto next = real(&::pwrite64, "pwrite64");
  return hit_file(kWrite, descriptor) ? failed(ENOSPC) : next(descriptor, data, size, from);
}
ssize_t write(int descriptor, const void* from, std::size_t size) {
  static const auto next = real(&::write, "write");
  return hit_file(kWrite, descriptor) ? failed(ENOSPC) : next(descriptor, from, size);
}
int fsync(int descriptor) {
  static const auto next = real(&::fsync, "fsync");
  return hit_file(kSync, descriptor) ? failed(EIO) : next(descriptor);
}
int fdatasync(int descriptor) {
  static const auto next = real(&::fdatasync, "fdatasync");
  return hit_file(kSync, descriptor) ? failed(EIO) : next(descriptor);
}
int close(int descriptor) {
  static const auto next = real(&::close, "close");
  const bool fails = hit_file(kClose, descriptor);
  opened(descriptor, false);
  const int status = next(descriptor);  // it is closed whatever it says
  return fails ? failed(EIO) : status;
}

int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*start)(void*), void* with) {
  static const auto next = real(&::pthread_create, "pthread_create");
  return hit(kThread, __builtin_return_address(0)) ? EAGAIN : next(made, how, start, with);
}
pid_t fork() {
  static const auto next = real(&::fork, "fork");
  return hit(kProcess) ? failed(EAGAIN) : next();
}
pid_t vfork() {  // no wrapper of the real one may return twice
  return fork();
}
int execve(const char* path, char* const* arguments, char* const* environment) {
  static const auto next = real(&::execve, "execve");
  return hit(kProcess) ? failed(ENOMEM) : next(path, arguments, environment);
}

}  // extern "C"

void* operator new(std::size_t size) { return allocate_or_throw(size, 0, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 0, __builtin_return_address(0)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 0, __builtin_return_address(0));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 0, __builtin_return_address(0));
}
void* operator new(std::size_t size, std::align_val_t at) {
  return allocate_or_throw(size, static_cast<std::size_t>(at), __builtin_return_address(0));
}
void* operator new[](std::size_t size, std::align_val_t at) {
  return allocate_or_throw(size, static_cast<std::size_t>(at), __builtin_return_address(0));
}
void operator delete(void* pointer) noexcept { free(pointer); }
void operator delete[](void* pointer) noexcept { free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { free(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { free(pointer); }
