// SPDX-License-Identifier: Apache-2.0
// A stream as its FIFO operations only: what gaspipe._circuit makes ports of.
#pragma once

extern "C" void __fifo_pop(void*, void*, unsigned) __attribute__((nothrow));
extern "C" void __fifo_push(void*, const void*, unsigned) __attribute__((nothrow));
// What a leaf may call where it reads or writes word `at` of memory, in a loop up to `last`: the circuit then tells
// both to what serves its port.
extern "C" void __port_word(const void*, unsigned at, unsigned last) __attribute__((nothrow));

namespace hls {

template <class T>
class stream {
 public:
  stream() {}
  explicit stream(const char*) {}
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  T read() {
    T token;
    __fifo_pop(this, &token, sizeof(T));
    return token;
  }
  void read(T& token) {
    T t;
    __fifo_pop(this, &t, sizeof(T));
    token = t;
  }
  void write(const T& token) {
    const T t = token;
    __fifo_push(this, &t, sizeof(T));
  }

 private:
  char place_;
};

}  // namespace hls
