// SPDX-License-Identifier: Apache-2.0
// Declarations only, in place of the vendor's header: lets any compiler parse what Vitis reads. Never in the package.
#pragma once

namespace hls {
template <class T>
class stream {
  static_assert(sizeof(T) * 8 < 4096, "tokens of less than 4096 bits");

 public:
  stream();
  explicit stream(const char*);
  T read();
  void read(T&);
  bool read_nb(T&);
  void write(const T&);
  bool write_nb(const T&);
  bool empty() const;
  bool full() const;

 private:
  stream(const stream&);
  stream& operator=(const stream&);
};
}  // namespace hls
