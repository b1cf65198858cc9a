// SPDX-License-Identifier: Apache-2.0
// Lists in a file of their own, for tests of what reads them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/crc32.h"
#include "gaspipe/local_store/list_writer.h"
#include "gaspipe/local_store/stored_lists.h"
#include "gaspipe/view_writer.h"
#include "parts.h"

namespace gaspipe {
namespace testing {

// A file without a name.
class OwnFile {
 public:
  OwnFile() {
    std::string name = ::testing::TempDir() + "/gaspipe-XXXXXX";
    descriptor_ = ::mkstemp(name.data());
    EXPECT_GE(descriptor_, 0);
    ::unlink(name.c_str());
  }
  ~OwnFile() { ::close(descriptor_); }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// What was written of a graph's lists, and where.
struct ListFile {
  OwnFile file;
  Offsets offsets;
  local_store::ListSection section;

  // `start` is where their section begins.
  ListFile(const Csr& csr, int num_workers, std::uint64_t start = 64, int code_bits = 0) : offsets(csr.offsets) {
    Workers workers(1);
    std::vector<VertexId> sources;
    for (VertexId v = 0; v < csr.num_rows; ++v) sources.insert(sources.end(), csr.degree(v), v);
    const auto sort = [&](EdgeSorter& sorter) {
      sorter.add(sources.size(), sources.data(), csr.targets.data(), {});
      sorter.sort(EdgeSorter::kLeastMemory);
    };
    EdgeSorter by_block(::testing::TempDir(), 1 << 24, workers);
    sort(by_block);
    const OwnFile blocks;
    ViewWriter::Options options;
    options.counts_degrees = true;
    options.num_vertices = csr.num_rows;
    ViewWriter forward(by_block, blocks.descriptor(), 0, "blocks", options);
    while (forward.write(1000) > 0) {
    }
    forward.finish();
    EdgeSorter by_row(::testing::TempDir(), 1 << 24, workers, EdgeOrder::kRows);
    sort(by_row);
    local_store::ListWriter writer(by_row, forward, num_workers, file.descriptor(), start, "lists",
                                   ::testing::TempDir(), code_bits);
    while (writer.write(1000) > 0) {
    }
    writer.finish();
    section.num_workers = num_workers;
    section.code_bits = writer.code_bits();
    section.first_byte = start + local_store::first_record(start);
    section.num_bytes = start + writer.num_bytes() - section.first_byte;
    section.checks = array(writer.checks());
    section.targets = array(writer.targets());
  }

  std::shared_ptr<const StoredEdges> edges() const {
    return std::make_shared<const StoredEdges>(std::make_shared<const ReadFile>("lists", file.descriptor()),
                                               static_cast<VertexId>(offsets.size() - 1), abi::kNone, StoredFacts(),
                                               std::array<std::optional<StoredView>, 3>(), 1 << 30);
  }
  local_store::StoredLists lists() const { return {edges(), offsets, section}; }
  std::vector<std::uint8_t> records() const {
    std::vector<std::uint8_t> bytes(section.num_bytes);
    EXPECT_EQ(::pread(file.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(section.first_byte)),
              static_cast<ssize_t>(bytes.size()));
    return bytes;
  }
  // Writes over records, with a checksum that is right where `renews_checks`.
  void overwrite(std::uint64_t place, const void* bytes, std::size_t size, bool renews_checks);
};

inline void ListFile::overwrite(std::uint64_t place, const void* bytes, std::size_t size, bool renews_checks) {
  EXPECT_EQ(::pwrite(file.descriptor(), bytes, size, static_cast<off_t>(section.first_byte + place)),
            static_cast<ssize_t>(size));
  if (!renews_checks) return;
  const std::vector<std::uint8_t> all = records();
  const Writable<std::uint32_t> checks(section.checks.size());
  for (std::size_t page = 0; page < checks.size(); ++page) {
    const std::size_t first = page * local_store::kListPage;
    checks[page] = crc32(all.data() + first, std::min<std::size_t>(local_store::kListPage, all.size() - first));
  }
  section.checks = checks.freeze();
}

}  // namespace testing
}  // namespace gaspipe
