// SPDX-License-Identifier: Apache-2.0
// The XRT driver against the contract of card.h, on whatever card there is.
//
//   driver_probe FOLDER                           what must hold without a card; FOLDER is for files
//   driver_probe FOLDER XCLBIN KERNEL INSTANCE    and on card 0 with that xclbin and one of its compute units
//
// Prints what it finds; its exit status is the number of expectations that failed.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/error.h"
#include "gaspipe/fpga.h"

namespace {

using namespace gaspipe;

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

// That it throws an E whose message has `part` in it.
template <class E>
void expect_error(const std::string& part, const std::function<void()>& call) {
  try {
    call();
  } catch (const E& error) {
    std::printf("  %s\n", error.what());
    return expect(std::strstr(error.what(), part.c_str()) != nullptr, "the message above has \"" + part + "\" in it");
  } catch (const std::exception& error) {
    return expect(false, std::string("another class of error: ") + error.what());
  }
  expect(false, "an error about \"" + part + "\"");
}

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string write(const std::string& path, const std::vector<char>& data) {
  std::ofstream(path, std::ios::binary).write(data.data(), static_cast<std::streamsize>(data.size()));
  return path;
}

void without_card(CardDriver& driver, const std::string& folder) {
  std::printf("library: %s\n", driver.library().c_str());
  expect(driver.library().find("XRT 2.") == 0, "a version of XRT");
  for (const CardDescription& card : driver.cards()) {
    std::printf("card %d: \"%s\" at \"%s\"%s%s\n", card.index, card.name.c_str(), card.address.c_str(),
                card.problem.empty() ? "" : ", cannot be used: ", card.problem.c_str());
    expect(!card.name.empty() || !card.problem.empty(), "a card has a name, or a problem");
  }
  const std::string absent = folder + "/absent.xclbin";
  expect_error<DeviceError>(absent, [&] { driver.open(0, absent); });
  expect_error<DeviceError>(folder, [&] { driver.open(0, folder); });
  expect_error<DeviceError>("is no xclbin", [&] { driver.open(0, write(folder + "/empty.xclbin", {})); });
  expect_error<DeviceError>("is no xclbin",
                            [&] { driver.open(0, write(folder + "/zeros.xclbin", std::vector<char>(4096))); });
}

// Cut short, or with one field that points elsewhere: nothing of that may reach XRT, which would read past the end.
void with_damaged_files(CardDriver& driver, const std::string& folder, const std::string& xclbin) {
  const std::vector<char> whole = read(xclbin);
  for (const std::size_t size : {8UL, 300UL, 455UL, 460UL, whole.size() / 2, whole.size() - 1}) {
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    expect_error<DeviceError>("is damaged", [&] { driver.open(0, write(folder + "/cut.xclbin", part)); });
  }
  std::uint32_t num_sections;
  std::memcpy(&num_sections, whole.data() + 448, sizeof num_sections);
  std::vector<std::size_t> fields = {448};
  for (std::uint32_t i = 0; i < num_sections; ++i) {
    const std::size_t header = 456 + i * std::size_t{40};
    std::uint32_t kind;
    std::uint64_t start;
    std::memcpy(&kind, whole.data() + header, sizeof kind);
    std::memcpy(&start, whole.data() + header + 24, sizeof start);
    fields.insert(fields.end(), {header + 24, header + 32});
    if (kind == 6 || kind == 7 || kind == 8) fields.push_back(start);     // the counts of banks, connections and units
    if (kind == 7) fields.insert(fields.end(), {start + 8, start + 12});  // a connection's unit and bank
  }
  for (const std::size_t field : fields) {
    std::vector<char> changed = whole;
    std::memset(changed.data() + field, 0x7f, 4);
    expect_error<DeviceError>("is damaged", [&] { driver.open(0, write(folder + "/changed.xclbin", changed)); });
  }
}

void with_card(CardDriver& driver, const std::string& xclbin, const std::string& kernel, const std::string& instance) {
  const auto cards = driver.cards();
  expect(!cards.empty() && cards[0].problem.empty(), "a card that can be used");
  expect_error<DeviceError>("there is no card 1000", [&] { driver.open(1000, xclbin); });
  expect_error<DeviceError>("there is no card -1", [&] { driver.open(-1, xclbin); });

  std::unique_ptr<Card> card = driver.open(0, xclbin);
  expect_error<DeviceError>("is open in this process already", [&] { driver.open(0, xclbin); });
  expect(driver.cards().size() == cards.size(), "as many cards while one is open");
  expect_error<DeviceError>(kernel + ":" + instance, [&] { card->unit(kernel, "absent"); });
  expect_error<DeviceError>("has no compute unit absent:" + instance, [&] { card->unit("absent", instance); });

  const std::unique_ptr<CardUnit> unit = card->unit(kernel, instance);
  int num_arguments = 0, memory = -1, scalar = -1;
  for (;; ++num_arguments) {
    try {
      const auto& banks = unit->banks(num_arguments);
      std::printf("argument %d:", num_arguments);
      for (const MemoryBank& bank : banks) {
        std::printf(" %s (%d), %llu bytes", bank.name.c_str(), bank.index,
                    static_cast<unsigned long long>(bank.num_bytes));
        expect(bank.num_bytes > 0, "a bank has a size");
      }
      std::printf("\n");
      expect(!banks.empty(), "an argument that has banks has one");
      if (memory < 0) memory = num_arguments;
    } catch (const DeviceError& error) {
      std::printf("argument %d: %s\n", num_arguments, error.what());
      if (std::strstr(error.what(), "there is no argument") != nullptr) break;
      expect(std::strstr(error.what(), "is connected to no memory") != nullptr, "an argument has banks or none");
      scalar = num_arguments;
    }
  }
  expect_error<DeviceError>("there is no argument -1", [&] { unit->banks(-1); });
  expect(memory >= 0 && scalar >= 0, "a unit with a buffer and a number among its arguments");
  if (memory < 0 || scalar < 0) return;

  const MemoryBank bank = unit->banks(memory).front();
  const CardCounts before = card->counts();
  std::unique_ptr<CardBuffer> buffer = card->allocate(bank, 10000);
  expect(buffer->num_bytes() == 10000, "a buffer's size");
  expect(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64 == 0, "a buffer's alignment");
  auto* const bytes = static_cast<unsigned char*>(buffer->data());
  const auto value = [](std::size_t i) { return static_cast<unsigned char>(i * 31 + i / 251); };
  for (std::size_t i = 0; i < 10000; ++i) bytes[i] = value(i);
  buffer->to_card(0, 10000);
  std::memset(bytes, 0xee, 10000);
  buffer->from_card(4096, 1000);
  buffer->from_card(9999, 1);
  buffer->from_card(10000, 0);
  bool is_same = true;
  for (std::size_t i = 0; i < 10000; ++i) {
    is_same &= bytes[i] == ((i >= 4096 && i < 5096) || i == 9999 ? value(i) : 0xee);
  }
  expect(is_same, "what was copied to the card comes back, and nothing else");
  expect_error<DeviceError>("ends before", [&] { buffer->to_card(1, 10000); });
  expect_error<DeviceError>("ends before", [&] { buffer->from_card(~std::uint64_t{0}, 2); });

  expect_error<CapacityError>(bank.name, [&] { card->allocate(bank, bank.num_bytes + 1); });
  std::vector<std::unique_ptr<CardBuffer>> filling;
  if (bank.num_bytes <= (1U << 28)) {  // a bank of an emulated card; a real one holds more than the host would like
    expect_error<CapacityError>("has no room for", [&] {
      for (std::uint64_t i = 0; i <= 8; ++i) filling.push_back(card->allocate(bank, bank.num_bytes / 8));
    });
    expect(filling.size() >= 6, "most of a bank can be used");
    filling.clear();
    filling.push_back(card->allocate(bank, bank.num_bytes / 2));  // and again once it was freed
    filling.clear();
  }
  expect_error<DeviceError>("0 bytes", [&] { card->allocate(bank, 0); });
  expect_error<DeviceError>("no bank 1000", [&] { card->allocate({1000, "DDR[1000]", 1 << 20}, 64); });

  std::unique_ptr<CardRun> run = unit->make_run();
  expect_error<DeviceError>("was not started", [&] { run->wait(1); });
  expect_error<DeviceError>("was not set", [&] { run->start(); });
  {
    const auto brief = card->allocate(bank, 64);
    run->set(memory, *brief);
  }
  expect_error<DeviceError>("argument " + std::to_string(memory) + " (", [&] { run->start(); });  // gone again
  run->set(memory, *buffer);
  run->set(scalar, 1);
  expect_error<DeviceError>("is no number", [&] { run->set(memory, 1); });
  expect_error<DeviceError>("no memory", [&] { run->set(scalar, *buffer); });
  expect_error<DeviceError>("there is no argument", [&] { run->set(num_arguments, 1); });
  // A bank that the argument is not connected to: the error of a bank that is none lists those there are.
  for (int index = 0; index < 64; ++index) {
    for (const char* kind : {"DDR", "HBM", "PLRAM"}) {
      const MemoryBank other{index, std::string(kind) + "[" + std::to_string(index) + "]", 0};
      std::unique_ptr<CardBuffer> far;
      try {
        far = card->allocate(other, 4096);
      } catch (const DeviceError&) {
        continue;
      }
      bool is_near = false;
      for (const MemoryBank& near : unit->banks(memory)) is_near |= near.index == index;
      if (is_near) {
        run->set(memory, *far);
      } else {
        expect_error<DeviceError>("the buffer lies in " + other.name, [&] { run->set(memory, *far); });
      }
    }
  }

  run.reset();
  buffer.reset();
  const CardCounts& after = card->counts();
  std::printf("allocations %llu, frees %llu, runs %llu, arguments %llu, starts %llu, waits %llu\n",
              static_cast<unsigned long long>(after.allocations), static_cast<unsigned long long>(after.frees),
              static_cast<unsigned long long>(after.runs), static_cast<unsigned long long>(after.arguments),
              static_cast<unsigned long long>(after.starts), static_cast<unsigned long long>(after.waits));
  expect(before.allocations == 0 && after.allocations > 0 && after.allocations == after.frees, "all was freed");
  expect(after.runs == 1 && after.starts == 0 && after.waits == 0 && after.arguments >= 2, "calls are counted");
  expect(after.syncs_to_card == 1 && after.bytes_to_card == 10000, "copies to the card are counted");
  expect(after.syncs_from_card == 2 && after.bytes_from_card == 1001, "copies from the card are counted");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 5) {
    std::fprintf(stderr, "usage: %s FOLDER [XCLBIN KERNEL INSTANCE]\n", argv[0]);
    return 64;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::unique_ptr<CardDriver> driver = make_fpga_driver();
  try {
    without_card(*driver, argv[1]);
    if (argc == 5) {
      with_damaged_files(*driver, argv[1], argv[2]);
      with_card(*driver, argv[2], argv[3], argv[4]);
      with_card(*driver, argv[2], argv[3], argv[4]);  // again: what was opened was closed
    }
  } catch (const std::exception& error) {
    expect(false, std::string("no further errors: ") + error.what());
  }
  std::printf(failures == 0 ? "all as expected\n" : "%d FAILED\n", failures);
  return failures;
}
