// SPDX-License-Identifier: Apache-2.0
// The container format "xclbin2": a header, a table of sections, and sections that are a count and as many entries of
// one size. Little-endian; every place below is that of the structs in XRT's xclbin.h, which does not change.
#include "cpp/src/backend/card/xclbin_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr char kMagic[] = "xclbin2";
constexpr std::size_t kLength = 304, kNumSections = 448, kSections = 456;
constexpr std::size_t kSection = 40, kSectionOffset = 24, kSectionSize = 32;
enum Kind : std::uint32_t { kBanks = 6, kConnections = 7, kUnits = 8, kGroups = 26, kGroupConnections = 27 };

template <class T>
T value_at(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

[[noreturn]] void damaged(const std::string& how) { throw DeviceError("is damaged: " + how); }

// A section of entries, with the place of their zero-terminated names if they have one.
struct SectionTable {
  std::size_t first, entry_size, name, name_size;
  std::int32_t count = 0;
  const char* entries = nullptr;

  void read(const char* section, std::uint64_t size, std::uint64_t index) {
    if (size < sizeof count) damaged(message("section ", index, " is cut short"));
    count = value_at<std::int32_t>(section);
    entries = section + first;
    const std::uint64_t room = size < first ? 0 : (size - first) / entry_size;
    if (count < 0 || static_cast<std::uint64_t>(count) > room) {
      damaged(message("section ", index, " counts ", count, " entries, with room for ", room));
    }
    for (std::int32_t i = 0; i < count && name_size != 0; ++i) {
      const char* start = entries + i * entry_size + name;
      const char* end = std::find(start, start + name_size, '\0');
      if (end == start + name_size || std::any_of(start, end, [](char c) { return c < ' ' || c > '~'; })) {
        damaged(message("section ", index, " holds an invalid name"));
      }
    }
  }
};

void check_connections(const SectionTable& connections, const SectionTable& units, const SectionTable& banks) {
  for (std::int32_t i = 0; i < connections.count; ++i) {
    const char* entry = connections.entries + i * connections.entry_size;
    const auto argument = value_at<std::int32_t>(entry), unit = value_at<std::int32_t>(entry + 4),
               bank = value_at<std::int32_t>(entry + 8);
    if (argument < 0 || unit < 0 || unit >= units.count || bank < 0 || bank >= banks.count) {
      damaged(message("it connects argument ", argument, " of unit ", unit, " to bank ", bank, ", and has ",
                      units.count, " units and ", banks.count, " banks"));
    }
  }
}

// Throws the rest of a sentence that begins with the file's name.
void check_size_and_magic(const std::vector<char>& data) {
  if (data.size() < sizeof kMagic || std::memcmp(data.data(), kMagic, sizeof kMagic) != 0) {
    throw DeviceError("is no xclbin: it does not begin with \"xclbin2\"");
  }
  const std::uint64_t size = data.size() < kSections ? 0 : value_at<std::uint64_t>(data.data() + kLength);
  if (size < kSections || size > data.size()) {
    damaged(message("it is cut short at ", data.size(), " bytes", size == 0 ? "" : message(" of ", size)));
  }
  const auto num_sections = value_at<std::uint32_t>(data.data() + kNumSections);
  if ((size - kSections) / kSection < num_sections) damaged(message("it has no room for ", num_sections, " sections"));

  SectionTable banks{8, 40, 24, 16}, groups = banks, units{8, 80, 16, 64};
  SectionTable connections{4, 12, 0, 0}, group_connections = connections;
  for (std::uint32_t i = 0; i < num_sections; ++i) {
    const char* header = data.data() + kSections + i * kSection;
    const auto start = value_at<std::uint64_t>(header + kSectionOffset);
    const auto length = value_at<std::uint64_t>(header + kSectionSize);
    if (start > size || length > size - start) damaged(message("section ", i, " ends outside of it"));
    const auto kind = value_at<std::uint32_t>(header);
    SectionTable* const table = kind == kBanks              ? &banks
                                : kind == kGroups           ? &groups
                                : kind == kUnits            ? &units
                                : kind == kConnections      ? &connections
                                : kind == kGroupConnections ? &group_connections
                                                            : nullptr;
    if (table != nullptr) table->read(data.data() + start, length, i);
  }
  check_connections(connections, units, banks);
  check_connections(group_connections, units, groups.count > 0 ? groups : banks);
  if (units.count == 0 || banks.count == 0) throw DeviceError("holds no compute units, or no memory for them");
}

}  // namespace

std::vector<char> read_xclbin(const std::string& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem) throw DeviceError(message("cannot read the xclbin ", path, ": ", problem.message()));
  std::vector<char> data(size);
  std::ifstream file(path, std::ios::binary);
  errno = 0;
  if (!file || !file.read(data.data(), static_cast<std::streamsize>(size))) {
    throw DeviceError(message("cannot read the xclbin ", path, ": ", std::strerror(errno != 0 ? errno : EIO)));
  }
  try {
    check_size_and_magic(data);
  } catch (const DeviceError& error) {
    throw DeviceError(message(path, " ", error.what()));
  }
  return data;
}

}  // namespace gaspipe
