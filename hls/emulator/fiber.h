// SPDX-License-Identifier: Apache-2.0
// A stack of its own for a function that can be left and entered again: what a dataflow task runs on. Switching is a
// dozen instructions on x86-64 and aarch64 and `swapcontext` elsewhere, or wherever GASPIPE_FIBER_PORTABLE is defined.
// A fiber stays on the thread that made it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define GASPIPE_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GASPIPE_FIBER_ASAN 1
#endif
#endif
#ifdef GASPIPE_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(GASPIPE_FIBER_PORTABLE) && !defined(__x86_64__) && !defined(__aarch64__)
#define GASPIPE_FIBER_PORTABLE 1
#endif

#ifdef GASPIPE_FIBER_PORTABLE
#include <ucontext.h>
#else
// Saves the registers that a call must keep on the stack, stores the stack pointer to *save and goes on where `to` was
// saved. In a section that the linker keeps once, however many sources include this.
extern "C" void gaspipe_fiber_switch(void** save, void* to) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
asm(R"(
.section .text.gaspipe_fiber_switch,"axG",@progbits,gaspipe_fiber_switch,comdat
.weak gaspipe_fiber_switch
.hidden gaspipe_fiber_switch
.type gaspipe_fiber_switch,@function
.p2align 4
gaspipe_fiber_switch:
  .cfi_startproc
  .cfi_undefined rip
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size gaspipe_fiber_switch,.-gaspipe_fiber_switch
.text
)");  // returns to the call by which the next fiber left, nearly always the same one: so it is predicted
#else
asm(R"(
.section .text.gaspipe_fiber_switch,"axG",@progbits,gaspipe_fiber_switch,comdat
.weak gaspipe_fiber_switch
.hidden gaspipe_fiber_switch
.type gaspipe_fiber_switch,@function
.p2align 4
gaspipe_fiber_switch:
  .cfi_startproc
  .cfi_undefined x30
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  br x30
  .cfi_endproc
.size gaspipe_fiber_switch,.-gaspipe_fiber_switch
.text
)");
#endif
#endif

namespace gaspipe {
namespace emulator {

// Memory for a stack, with a page below it that may not be touched: an overflow ends at once, not in other data.
class Stack {
 public:
  explicit Stack(std::size_t num_bytes) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    num_bytes_ = (num_bytes + page_ - 1) / page_ * page_;
    void* memory = ::mmap(nullptr, num_bytes_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    clear_marks();  // of an earlier mapping at these addresses
    if (::mprotect(memory_, page_, PROT_NONE) != 0) {
      ::munmap(memory_, num_bytes_ + page_);
      throw std::bad_alloc();
    }
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
    clear_marks();  // for what is mapped there next by others
    ::munmap(memory_, num_bytes_ + page_);
  }

  char* bottom() const { return memory_ + page_; }
  char* top() const { return bottom() + num_bytes_; }
  std::size_t size() const { return num_bytes_; }

  // A stack that this thread gave back, or a new one: mapping and first touching one costs more than a short run.
  static std::unique_ptr<Stack> take(std::size_t num_bytes) {
    std::vector<std::unique_ptr<Stack>>& spare = spares();
    if (spare.empty() || spare.back()->size() < num_bytes) return std::make_unique<Stack>(num_bytes);
    std::unique_ptr<Stack> stack = std::move(spare.back());
    spare.pop_back();
    stack->clear_marks();
    return stack;
  }
  static void give_back(std::unique_ptr<Stack> stack) {
    if (spares().size() < kMostSpares) spares().push_back(std::move(stack));
  }

 private:
  static constexpr std::size_t kMostSpares = 256;

  static std::vector<std::unique_ptr<Stack>>& spares() {
    static thread_local std::vector<std::unique_ptr<Stack>> stacks;
    return stacks;
  }
  // The sanitizer's marks of variables: the last function of a fiber never returns, and leaves its own.
  void clear_marks() {
#ifdef GASPIPE_FIBER_ASAN
    __asan_unpoison_memory_region(bottom(), num_bytes_);
#endif
  }

  char* memory_ = nullptr;
  std::size_t page_ = 0, num_bytes_ = 0;
};

// Whether the processor checks returns against a second stack, which only `swapcontext` switches.
inline bool has_shadow_stack() {
#if !defined(GASPIPE_FIBER_PORTABLE) && defined(__x86_64__) && defined(__CET__)
  std::uint64_t top = 0;
  asm volatile("rdsspq %0" : "+r"(top));  // does nothing where there is none
  return top != 0;
#else
  return false;
#endif
}

// Where a fiber, or the thread that runs them, goes on.
class Context {
 public:
  // The thread itself.
  Context() = default;
  // Runs entry() on `stack` at the first switch; entry never returns, it switches away for good.
  void prepare(const Stack& stack, void (*entry)()) {
    if (has_shadow_stack()) {
      throw std::runtime_error("the emulator cannot run under shadow stacks; compile with -DGASPIPE_FIBER_PORTABLE");
    }
    bottom_ = stack.bottom();
    size_ = stack.size();
#if defined(GASPIPE_FIBER_PORTABLE)
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = stack.bottom();
    context_.uc_stack.ss_size = stack.size();
    context_.uc_link = nullptr;
    ::makecontext(&context_, entry, 0);
#elif defined(__x86_64__)
    void** at = reinterpret_cast<void**>(stack.top() - next_offset());
    *--at = nullptr;  // keeps the stack aligned as after a call
    *--at = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--at = nullptr;
    at_ = at;
#else
    void** at = reinterpret_cast<void**>(stack.top() - next_offset()) - 20;
    for (int i = 0; i < 20; ++i) at[i] = nullptr;
    at[11] = reinterpret_cast<void*>(entry);  // x30
    at_ = at;
#endif
  }

  // Leaves `from` (the running one) and enters `to`; returns when something switches back to `from`.
  static void change(Context& from, Context& to, bool from_is_done) {
#ifdef GASPIPE_FIBER_ASAN
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(from_is_done ? nullptr : &fake_stack, to.bottom_, to.size_);
#else
    (void)from_is_done;
#endif
#ifdef GASPIPE_FIBER_PORTABLE
    ::swapcontext(&from.context_, &to.context_);
#else
    gaspipe_fiber_switch(&from.at_, to.at_);
#endif
#ifdef GASPIPE_FIBER_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  }
  // First call in an entry; notes where the stack of `from`, the thread, lies.
  static void entered(Context& from) {
#ifdef GASPIPE_FIBER_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (from.bottom_ == nullptr) {
      from.bottom_ = bottom;
      from.size_ = size;
    }
#else
    (void)from;
#endif
  }

 private:
  // Stacks begin at pages: without other offsets the tops of all would lie in the same few sets of a cache.
  static std::size_t next_offset() {
    static thread_local std::size_t number = 0;
    return number++ % 13 * 320;
  }

  const void* bottom_ = nullptr;  // the sanitizer's view of the stack
  std::size_t size_ = 0;
#ifdef GASPIPE_FIBER_PORTABLE
  ucontext_t context_;
#else
  void* at_ = nullptr;
#endif
};

}  // namespace emulator
}  // namespace gaspipe
