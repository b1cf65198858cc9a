// SPDX-License-Identifier: Apache-2.0
// Xclbins: the header and the table of sections are made of a few bytes, so that most inputs come as far as the
// sections, or the whole file is the fuzzer's. What is accepted holds no length, count or index that leads outside, by
// a reading of its own; XRT believes all of them. The text of an emulator's configuration besides.
#include "cpp/src/backend/card/emconfig.h"
#include "cpp/src/backend/card/xclbin_file.h"
#include "tests/fuzz/binary.h"

namespace gaspipe {
namespace fuzz {
namespace {

constexpr std::uint32_t kKinds[] = {6, 7, 8, 26, 27, 0, 11};  // those that are looked into, and two others

template <class T>
void put(std::vector<std::uint8_t>& file, std::size_t at, T value) {
  std::memcpy(file.data() + at, &value, sizeof value);
}

// A file around the sections that the bytes are.
std::vector<std::uint8_t> file_of(Bytes& from, unsigned choice) {
  const std::uint32_t num_sections = 1 + choice % 6;
  std::vector<std::uint8_t> file(456 + 40 * num_sections);
  std::memcpy(file.data(), "xclbin2", 8);
  put(file, 448, num_sections);
  std::vector<std::uint8_t> starts(2 * num_sections);
  for (std::uint8_t& each : starts) each = from.take<std::uint8_t>();
  const std::uint64_t first = file.size();
  file.insert(file.end(), from.data(), from.data() + from.size());
  std::uint64_t at = first;
  for (std::uint32_t i = 0; i < num_sections; ++i) {
    const std::uint64_t length = starts[2 * i + 1];
    put(file, 456 + 40 * i, kKinds[starts[2 * i] % 7]);
    put<std::uint64_t>(file, 456 + 40 * i + 24, at);
    put<std::uint64_t>(file, 456 + 40 * i + 32, length);
    at += starts[2 * i] < 128 ? length : 0;  // some lie over others
  }
  put<std::uint64_t>(file, 304, file.size() - choice / 8 % 4);
  return file;
}

template <class T>
T at(const std::vector<std::uint8_t>& file, std::uint64_t place) {
  require(place + sizeof(T) <= file.size(), "an accepted file is read outside of it");
  T value;
  std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}

// Sections by kind, the last one of each: what XRT would walk through.
void walk(const std::vector<std::uint8_t>& file) {
  const auto length = at<std::uint64_t>(file, 304);
  require(length <= file.size(), "an accepted file is longer than it is");
  std::int32_t counts[28] = {};
  for (const bool is_connection : {false, true}) {
    for (std::uint32_t i = 0; i < at<std::uint32_t>(file, 448); ++i) {
      const auto kind = at<std::uint32_t>(file, 456 + 40 * std::uint64_t(i));
      const auto start = at<std::uint64_t>(file, 456 + 40 * std::uint64_t(i) + 24);
      if (kind == 6 || kind == 8 || kind == 26) {
        if (is_connection) continue;
        counts[kind] = at<std::int32_t>(file, start);
        const std::uint64_t entry = kind == 8 ? 80 : 40, name = kind == 8 ? 16 : 24, room = kind == 8 ? 64 : 16;
        for (std::int32_t e = 0; e < counts[kind]; ++e) {
          std::uint64_t c = start + 8 + static_cast<std::uint64_t>(e) * entry + name;
          const std::uint64_t end = c + room;
          while (at<char>(file, c) != '\0') require(++c < end, "an accepted name has no end");
        }
      } else if (is_connection && (kind == 7 || kind == 27)) {
        const std::int32_t num_banks = kind == 27 && counts[26] > 0 ? counts[26] : counts[6];
        for (std::int32_t e = 0; e < at<std::int32_t>(file, start); ++e) {
          const std::uint64_t entry = start + 4 + 12 * static_cast<std::uint64_t>(e);
          const auto unit = at<std::int32_t>(file, entry + 4), bank = at<std::int32_t>(file, entry + 8);
          require(at<std::int32_t>(file, entry) >= 0 && unit >= 0 && unit < counts[8] && bank >= 0 && bank < num_banks,
                  "an accepted connection leads nowhere");
        }
      }
    }
  }
  require(counts[8] > 0 && counts[6] > 0, "an accepted file has no units, or no banks");
}

}  // namespace

void xclbin(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  Bytes from(data + kNumOptions, size - kNumOptions);
  const std::string text(from.data(), from.data() + from.size());
  const unsigned cards = num_emulated_cards(text);
  require(cards >= 1 && cards <= 64, "cards without number");
  const std::vector<std::uint8_t> file =
      data[1] % 4 == 0 ? std::vector<std::uint8_t>(text.begin(), text.end()) : file_of(from, data[0]);
  const MemoryFile& there = MemoryFile::holding(file.data(), file.size());
  try {
    const std::vector<char> read = read_xclbin(there.path());
    require(std::equal(read.begin(), read.end(), file.begin(), file.end(),
                       [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }),
            "the bytes are others");
  } catch (const DeviceError& error) {
    require(std::strstr(error.what(), there.path().c_str()) != nullptr, "the message names no file");
    return;
  }
  walk(file);
}

}  // namespace fuzz
}  // namespace gaspipe
