// SPDX-License-Identifier: Apache-2.0
#include "hls/emulator/fiber.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace gaspipe {
namespace emulator {
namespace {

// One fiber beside the thread.
struct Fiber {
  Context thread, context;
  std::unique_ptr<Stack> stack = Stack::take(64 << 10);
  void (*body)(Fiber&) = nullptr;
  bool is_done = false;
  static Fiber* current;

  void go_on() {
    current = this;
    Context::change(thread, context, false);
  }
  void leave(bool for_good = false) { Context::change(context, thread, for_good); }
  explicit Fiber(void (*function)(Fiber&)) : body(function) {
    context.prepare(*stack, [] {
      Fiber& self = *current;
      Context::entered(self.thread);
      self.body(self);
      self.is_done = true;
      self.leave(true);
    });
  }
  ~Fiber() { Stack::give_back(std::move(stack)); }
};
Fiber* Fiber::current = nullptr;

int steps = 0;

TEST(Fiber, GoesOnWhereItLeft) {
  steps = 0;
  Fiber fiber([](Fiber& self) {
    for (int i = 1; i <= 3; ++i) {
      steps = i;
      self.leave();
    }
  });
  for (int i = 1; i <= 3; ++i) {
    fiber.go_on();
    EXPECT_EQ(steps, i);
    EXPECT_FALSE(fiber.is_done);
  }
  fiber.go_on();
  EXPECT_TRUE(fiber.is_done);
}

// More live values than there are registers, of integers and of doubles, on both sides of the switch.
double mix(double seed, Fiber* leave, Fiber* enter) {
  double d[12];
  std::uint64_t n[12];
  for (int i = 0; i < 12; ++i) d[i] = std::sqrt(seed + i), n[i] = static_cast<std::uint64_t>(seed * 1000) * (i + 3);
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 12; ++i) d[i] = d[i] * 1.0625 - d[(i + 5) % 12] * 0.03125, n[i] = n[i] * 31 + n[(i + 7) % 12];
    if (leave != nullptr) leave->leave();
    if (enter != nullptr) enter->go_on();
  }
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += d[i] + static_cast<double>(n[i] % 1000);
  return sum;
}
double mixed = 0;

TEST(Fiber, KeepsTheRegisters) {
  Fiber fiber([](Fiber& self) { mixed = mix(2.5, &self, nullptr); });
  EXPECT_EQ(mix(7.25, nullptr, &fiber), mix(7.25, nullptr, nullptr));
  fiber.go_on();
  EXPECT_TRUE(fiber.is_done);
  EXPECT_EQ(mixed, mix(2.5, nullptr, nullptr));
}

std::uintptr_t misalignment = 1;

TEST(Fiber, StartsOnAStackAlignedAsTheAbiAsks) {
  Fiber fiber([](Fiber&) {
    struct alignas(64) Line {
      char bytes[64];
    } line;
    std::memset(line.bytes, 1, sizeof line.bytes);
    char text[64];
    std::snprintf(text, sizeof text, "%f", 1.5);  // saves vector registers to aligned places
    misalignment = (reinterpret_cast<std::uintptr_t>(&line) % 64) + (std::string(text) == "1.500000" ? 0 : 1);
  });
  fiber.go_on();
  EXPECT_EQ(misalignment, 0u);
}

std::string caught;

TEST(Fiber, CatchesWhatItThrows) {
  caught.clear();
  Fiber fiber([](Fiber& self) {
    for (int i = 0; i < 3; ++i) {
      try {
        self.leave();
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error& error) {
        caught += error.what();
      }
    }
  });
  while (!fiber.is_done) {
    try {
      fiber.go_on();
      throw 1;
    } catch (int) {
    }
  }
  EXPECT_EQ(caught, "012");
}

// Not a tail call, and every frame is in use.
int deep(int n) {
  volatile char frame[1024];
  std::memset(const_cast<char*>(frame), n & 127, sizeof frame);
  return n == 0 ? 0 : deep(n - 1) + frame[n % 1024];
}
int depth = 0;

TEST(Fiber, HasTheStackThatItWasGiven) {
  depth = 20;
  Fiber fiber([](Fiber&) { depth = deep(depth); });
  fiber.go_on();
  EXPECT_GT(depth, 0);
}
TEST(FiberDeathTest, EndsWhenItsStackOverflows) {
  const auto overflow = [] {
    const auto below = std::make_unique<Stack>(64 << 10);  // what an overflow could reach
    depth = 100000;
    Fiber fiber([](Fiber&) { depth = deep(depth); });
    fiber.go_on();
  };
  EXPECT_DEATH(overflow(), "");
}

TEST(Stack, IsTakenAgain) {
  std::unique_ptr<Stack> first = Stack::take(64 << 10);
  const char* bottom = first->bottom();
  Stack::give_back(std::move(first));
  const std::unique_ptr<Stack> second = Stack::take(64 << 10);
  EXPECT_EQ(second->bottom(), bottom);
  const std::unique_ptr<Stack> larger = Stack::take(1 << 20);
  EXPECT_EQ(larger->size(), 1u << 20);
}

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
