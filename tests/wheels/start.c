// SPDX-License-Identifier: Apache-2.0
// Linked to a program that has a whole CPython in it and another main(): starts it as Python's interpreter
// (free_threaded.py).
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int Main(int, char**, char**);
typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

int Py_BytesMain(int argc, char** argv);  // the program's own

static int interpreter(int argc, char** argv, char** environment) {
  (void)environment;
  return Py_BytesMain(argc, argv);
}

// Stands before libc's, which the start of every program calls with its main().
int __libc_start_main(Main* ignored, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*end)(void),
                      void* stack) {
  (void)ignored;
  Start* next = (Start*)dlsym(RTLD_NEXT, "__libc_start_main");
  return next(interpreter, argc, argv, init, fini, end, stack);
}
