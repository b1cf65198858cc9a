// SPDX-License-Identifier: Apache-2.0
// Between the device process and a library of kernels: for a kernel `name` the library exports
//
//   extern "C" int card_arity_<name>();                    how many arguments it takes
//   extern "C" int card_call_<name>(const CardCall*);      runs it; 0, or 1 with a report
#pragma once

#include <cstdint>

extern "C" {

struct CardBuffer {
  const char* name;  // of the arguments that lead to it, for reports
  void* data;
  std::uint64_t num_bytes;
  std::uint32_t bank;
};

// A stream to or from another kernel, of words of 64 bytes. Neither call waits.
struct CardStream {
  void (*push)(void* self, const void* word);
  int (*pop)(void* self, void* word);  // 0: there is none yet
  void* self;
  int sends;  // whether the kernel does
};

struct CardCall {
  void* const* arguments;  // where each lies: a pointer into a buffer, a scalar, or a CardStream
  const CardBuffer* buffers;
  std::uint32_t num_buffers, num_banks;
  // Told of the bytes of a buffer that the kernel is about to read or write; returns what is wrong with it, or null.
  const char* (*watch)(void* self, const void* data, std::uint64_t num_bytes, int writes);
  void* self;
  char* report;
  std::uint32_t report_size;
};

}  // extern "C"
