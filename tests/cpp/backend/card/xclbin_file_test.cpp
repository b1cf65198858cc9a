// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/xclbin_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

using Bytes = std::vector<char>;

template <class T>
void put(Bytes& bytes, std::size_t place, T value) {
  std::memcpy(bytes.data() + place, &value, sizeof value);
}

// Two banks, two units, and their connections; the same again with the two banks as a group. Written field by field, as
// XRT's xclbin.h lays them out.
struct Xclbin {
  static constexpr std::size_t kHeaders = 456, kBanks = kHeaders + 5 * 40, kUnits = kBanks + 8 + 2 * 40,
                               kConnections = kUnits + 8 + 2 * 80, kGroups = kConnections + 4 + 2 * 12,
                               kGroupConnections = kGroups + 8 + 3 * 40, kSize = kGroupConnections + 4 + 2 * 12;
  Bytes bytes = Bytes(kSize);

  Xclbin() {
    std::memcpy(bytes.data(), "xclbin2", 8);
    put<std::uint64_t>(bytes, 304, kSize);
    put<std::uint32_t>(bytes, 448, 5);
    section(0, 6, kBanks, kUnits, 2);
    section(1, 8, kUnits, kConnections, 2);
    section(2, 7, kConnections, kGroups, 2);
    section(3, 26, kGroups, kGroupConnections, 3);
    section(4, 27, kGroupConnections, kSize, 2);
    for (int i = 0; i < 2; ++i) {
      std::strcpy(bytes.data() + kBanks + 8 + i * 40 + 24, "DDR[0]");
      std::strcpy(bytes.data() + kUnits + 8 + i * 80 + 16, "apply:apply_1");
      connect(kConnections + 4 + i * 12, 3, i, 1);
      connect(kGroupConnections + 4 + i * 12, 3, i, 2);
    }
    for (int i = 0; i < 3; ++i) std::strcpy(bytes.data() + kGroups + 8 + i * 40 + 24, "DDR[0:1]");
  }
  void section(int index, std::uint32_t kind, std::uint64_t start, std::uint64_t end, std::int32_t count) {
    put(bytes, kHeaders + index * 40, kind);
    put(bytes, kHeaders + index * 40 + 24, start);
    put(bytes, kHeaders + index * 40 + 32, end - start);
    put(bytes, start, count);
  }
  void connect(std::size_t place, std::int32_t argument, std::int32_t unit, std::int32_t bank) {
    put(bytes, place, argument);
    put(bytes, place + 4, unit);
    put(bytes, place + 8, bank);
  }
};

class XclbinFile : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "xclbin_file_test_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".xclbin";

  ~XclbinFile() override { std::filesystem::remove(path_); }
  Bytes reread(const Bytes& bytes) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return read_xclbin(path_);
  }
  std::string error(const Bytes& bytes) {
    try {
      reread(bytes);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(XclbinFile, ComesBackByteForByte) {
  const Xclbin whole;
  EXPECT_EQ(reread(whole.bytes), whole.bytes);
  Bytes longer = whole.bytes;  // what follows is not of the container; a signature, say
  longer.resize(longer.size() + 100);
  EXPECT_EQ(reread(longer), longer);
}

TEST_F(XclbinFile, CutShortAnywhereIsRefused) {
  const Xclbin whole;
  for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
    const Bytes part(whole.bytes.begin(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string found = error(part);
    ASSERT_NE(found, "") << size << " bytes";
    ASSERT_NE(found.find(path_), std::string::npos) << size << " bytes: " << found;
  }
}

TEST_F(XclbinFile, IsRefusedWhenItsHeaderClaimsLessThanItself) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{455}, std::uint64_t{Xclbin::kSize - 1}}) {
    Xclbin file;
    put(file.bytes, 304, size);
    EXPECT_NE(error(file.bytes).find("damaged"), std::string::npos) << size;
  }
}

TEST_F(XclbinFile, PointingOutsideOfItselfIsRefused) {
  struct Case {
    std::size_t place;
    std::uint32_t value;
    const char* says;
  };
  const Case cases[] = {
      {448, 0x7fffffff, "no room for 2147483647 sections"},
      {Xclbin::kHeaders + 24, Xclbin::kSize + 1, "section 0 ends outside"},
      {Xclbin::kHeaders + 28, 0xffffffff, "section 0 ends outside"},
      {Xclbin::kHeaders + 40 + 32, Xclbin::kSize, "section 1 ends outside"},
      {Xclbin::kHeaders + 40 + 36, 0xffffffff, "section 1 ends outside"},
      {Xclbin::kHeaders + 80 + 32, 3, "section 2 is cut short"},
      {Xclbin::kBanks, 3, "section 0 counts 3 entries, with room for 2"},
      {Xclbin::kUnits, 0xffffffff, "section 1 counts -1 entries"},
      {Xclbin::kConnections, 3, "section 2 counts 3 entries, with room for 2"},
      {Xclbin::kConnections + 4, 0xffffffff, "connects argument -1"},
      {Xclbin::kConnections + 8, 2, "argument 3 of unit 2"},
      {Xclbin::kConnections + 8, 0xffffffff, "argument 3 of unit -1"},
      {Xclbin::kConnections + 12, 2, "to bank 2"},
      {Xclbin::kConnections + 12, 0xffffffff, "to bank -1"},
      {Xclbin::kGroups, 4, "section 3 counts 4 entries, with room for 3"},
      {Xclbin::kGroupConnections, 3, "section 4 counts 3 entries, with room for 2"},
      {Xclbin::kGroupConnections + 12, 3, "to bank 3, and has 2 units and 3 banks"},
  };
  for (const Case& one : cases) {
    Xclbin file;
    put(file.bytes, one.place, one.value);
    EXPECT_NE(error(file.bytes).find(one.says), std::string::npos) << one.says << "; it says: " << error(file.bytes);
  }
}

TEST_F(XclbinFile, WithANameThatDoesNotEndOrIsNoTextIsRefused) {
  Xclbin bank, unit, text;
  std::memset(bank.bytes.data() + Xclbin::kBanks + 8 + 40 + 24, 'x', 16);
  EXPECT_NE(error(bank.bytes).find("section 0 holds an invalid name"), std::string::npos);
  std::memset(unit.bytes.data() + Xclbin::kUnits + 8 + 16, 'x', 64);
  EXPECT_NE(error(unit.bytes).find("section 1 holds an invalid name"), std::string::npos);
  text.bytes[Xclbin::kGroups + 8 + 24] = '\xff';
  EXPECT_NE(error(text.bytes).find("section 3 holds an invalid name"), std::string::npos);
}

TEST_F(XclbinFile, WithoutGroupsItsConnectionsOfGroupsNameBanks) {
  Xclbin file;
  put<std::uint32_t>(file.bytes, Xclbin::kHeaders + 3 * 40, 999);  // a kind that nobody reads
  EXPECT_NE(error(file.bytes).find("to bank 2, and has 2 units and 2 banks"), std::string::npos);
  file.connect(Xclbin::kGroupConnections + 4, 3, 0, 1);
  file.connect(Xclbin::kGroupConnections + 16, 3, 1, 0);
  EXPECT_EQ(error(file.bytes), "");
}

TEST_F(XclbinFile, ThatIsAnotherFileIsRefused) {
  EXPECT_NE(error(Bytes(1000)).find("is no xclbin"), std::string::npos);
  EXPECT_NE(error({}).find("is no xclbin"), std::string::npos);
  Xclbin empty;
  put<std::uint32_t>(empty.bytes, 448, 0);
  EXPECT_NE(error(empty.bytes).find("holds no compute units"), std::string::npos);
}

TEST_F(XclbinFile, ThatCannotBeReadIsNamed) {
  EXPECT_THROW(read_xclbin(path_), DeviceError);
  EXPECT_THROW(read_xclbin(::testing::TempDir()), DeviceError);
}

}  // namespace
}  // namespace gaspipe
