// SPDX-License-Identifier: Apache-2.0
// Every fault that tests/hls/lint knows, once. `fault:` is what the text shows, `fault (clang):` what needs the tree.
#include "hls/stream.h"

#ifdef NOBODY_DEFINES_THIS
#include <vector>  // fault: header outside the subset
#include "hls/emulator/engine.h"  // fault: header outside the subset
#endif
#ifdef GASPIPE_VITIS  // fault: asks which compiler reads it
#endif

namespace std {
template <class T>
struct list {};
}  // namespace std

namespace gaspipe {

using Call = int (*)(int);
int unknown(int);
int total = 0;  // fault (clang): global state
struct Base {
  virtual int f(int x) { return x; }  // fault: virtual function
};
struct Derived : Base {};

inline int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }  // fault (clang): recursion through fib

inline void words(int n, Base* base, Call call) {
  int* p = new int[4];  // fault: heap
  delete[] p;  // fault: heap
  try {  // fault: exceptions
    throw 1;  // fault: exceptions
  } catch (...) {  // fault: exceptions
  }
  (void)dynamic_cast<Derived*>(base);  // fault: run-time types
  static thread_local int mine = 0;  // fault: thread-local state; fault (clang): state that survives a call
  static int calls = 0;  // fault (clang): state that survives a call
  calls += mine;
  std::list<int> list;  // fault: standard library
  (void)list;
  const auto add = [&](int x) { return x + n; };  // fault: lambda
  int sized[n];  // fault (clang): array of run-time size
  sized[0] = add(1);
  call(1);  // fault (clang): call through a pointer
  unknown(2);  // fault (clang): call of unknown, which is not known
  asm("nop");  // fault: assembly
  if (n > 0) goto end;  // fault: goto
end:
  return;
}
inline void many(int n, ...) { (void)n; }  // fault (clang): variadic function
inline void indirect(int** p) { (void)p; }  // fault (clang): pointer to pointer
inline int statement() { return ({ int x = 1; x; }); }  // fault (clang): GNU statement expression

inline int by_value(stream<int> s, int n);  // fault (clang): stream by value

inline void loops(int n, stream<int>& in, int* out) {
  for (int i = 0; i < n; ++i) {  // fault: loop of varying length without LOOP_TRIPCOUNT
    GASPIPE_PIPELINE(1);
    out[i] = in.read();
  }
  for (int i = 0; i < 16; ++i) {  // fault: innermost loop without PIPELINE or UNROLL
    out[i] = 0;
  }
  for (int i = 0; i < n; ++i) {  // fault: UNROLL of a loop of varying length
    GASPIPE_PRAGMA(HLS UNROLL);
    out[i] = 0;
  }
  while (out[0] > 0) {  // fault: GASPIPE_PIPELINE is not first in its loop
    --out[0];
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16);
  }
  do {  // fault: LOOP_TRIPCOUNT from more to less
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 16 max = 1);  // next line's fault: DEPENDENCE without its reason; next line's fault: DEPENDENCE that is denied instead of its distance stated
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = out inter false);
    --out[0];
  } while (out[0] > 0);
  int value;
  while (!in.empty()) {  // fault: poll of a stream
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16);
    read_from_stream_nb(in, value);  // fault: poll of a stream
  }
  clear_stream(in);  // fault: time-out on a stream
  for (int i = 0; i < 16; ++i) {
#pragma HLS PIPELINE II = 1  // fault: pragma that has a macro of its own
    GASPIPE_PRAGMA(HLS UNROLL);
    out[i] = 0;
  }
#pragma concurrent  // fault: unknown pragma
  int table[16];
  GASPIPE_PRAGMA(HLS BIND_STORAGE variable = table impl = URAM);  // fault: pragma that has a macro of its own
  table[0] = 0;
  GASPIPE_PRAGMA(HLS DATAFLOW);  // fault: DATAFLOW is not first in a top
}

inline void writes(int n, stream<int>& out) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16);
    out.write(i);
  }
}
inline void reads(int n, stream<int>& in, int* out) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16);
    out[i] = in.read();
  }
}
inline void keeps(int n, stream<int>& in, stream<int>& out) {
  GASPIPE_ON_CHIP_KEPT(int, kept, 16, URAM, 0);
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16);
    kept[0] += in.read();
    out.write(kept[0]);
  }
}

extern "C" void top(const int* in, int n, int* out) {  // fault: argument in without m_axi; fault: argument n without s_axilite
#pragma HLS INTERFACE m_axi port = out bundle = gmem0
  int sum = 0;  // fault: GASPIPE_DATAFLOW is not first in its function; fault: neither a declaration nor a task in a dataflow region
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, good, 16);
  GASPIPE_STREAM(int, deep, n);  // fault: depth or number of streams is not a constant
  GASPIPE_STREAM(int, unread, 16);  // fault: stream with 1 ends
  GASPIPE_STREAM(int, shared, 16);  // fault: stream with 3 ends
  GASPIPE_STREAM(int, full, 16);  // fault: stream that is written at both ends
  GASPIPE_STREAM(int, kept, 16);
  GASPIPE_STREAM(int, kept_again, 16);
  GASPIPE_TASK(keeps(n, good, kept));
  GASPIPE_TASK(keeps(n, kept, kept_again));  // fault: static memory in a task that is called more than once
  GASPIPE_TASK(reads(n + 1, kept_again, nullptr));  // fault: argument of a task that is no name, element or integer
  GASPIPE_TASK(writes(n, good));
  GASPIPE_TASK(writes(n, deep));
  GASPIPE_TASK(reads(n, deep, out));
  GASPIPE_TASK(writes(n, unread));
  GASPIPE_TASK(writes(n, shared));
  GASPIPE_TASK(reads(n, shared, out));
  GASPIPE_TASK(reads(n, shared, out));
  GASPIPE_TASK(writes(n, full));
  GASPIPE_TASK(writes(n, full));
  reads(n, good, out);  // fault: neither a declaration nor a task in a dataflow region
  GASPIPE_RUN;
  sum = in[0];  // fault: GASPIPE_RUN is not last in its function; fault: neither a declaration nor a task in a dataflow region
}

}  // namespace gaspipe
