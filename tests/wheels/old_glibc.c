// SPDX-License-Identifier: Apache-2.0
// What this machine's libstdc++ calls and an old glibc does not have. Linked into the modules of wheels, hidden there.
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

// Since 2.32; never single-threaded: counts of references stay atomic.
char __libc_single_threaded = 0;

// Since 2.36, for std::random_device.
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

// Since 2.30, for waits until a time of the steady clock. The caller reads that clock once more, as it had to before.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec now, there;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &there);
  there.tv_sec += until->tv_sec - now.tv_sec;
  there.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (there.tv_nsec < 0) {
    there.tv_nsec += 1000000000;
    --there.tv_sec;
  } else if (there.tv_nsec >= 1000000000) {
    there.tv_nsec -= 1000000000;
    ++there.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &there);
}
