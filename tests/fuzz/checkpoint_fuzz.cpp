// SPDX-License-Identifier: Apache-2.0
// Checkpoints of one part, with checksums that are right: whatever a head says, a run of ten vertices goes on with
// properties for all of them, or the file is refused.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cpp/src/run/checkpoint.h"
#include "cpp/src/run/checkpoint_file.h"
#include "tests/fuzz/binary.h"

namespace gaspipe {
namespace fuzz {
namespace {

constexpr VertexId kVertices = 10;
using ::gaspipe::checkpoint::Head;
using File = std::vector<std::uint8_t>;

// A folder with a checkpoint of two parts, which are written anew for every input.
class Folder {
 public:
  static const Folder& get() {
    static const Folder folder;
    return folder;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  void fill(int part, const File& bytes) const {
    require(::ftruncate(descriptors_[part], 0) == 0 &&
                ::pwrite(descriptors_[part], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
            "there is no room for a checkpoint");
  }

 private:
  Folder() {
    const std::filesystem::path in_memory = "/dev/shm";
    const bool is_there = std::filesystem::is_directory(in_memory);
    path_ = ((is_there ? in_memory : std::filesystem::temp_directory_path()) / "gaspipe-fuzz-XXXXXX").string();
    require(::mkdtemp(path_.data()) != nullptr, "there is no folder for a checkpoint");
    const std::string inner = path_ + "/superstep-000000000003";
    ::mkdir(inner.c_str(), 0700);
    for (int part = 0; part < 2; ++part) {
      const std::string name = inner + "/part-" + std::to_string(part) + "-of-2";
      descriptors_[part] = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      require(descriptors_[part] >= 0, "there is no file for a checkpoint");
    }
  }
  std::string path_;
  int descriptors_[2] = {-1, -1};
};

// The head of a part as a program of two sums writes it: the first or the second half of the vertices.
Head head_of(int part) {
  Head head{};
  std::memcpy(head.magic, ::gaspipe::checkpoint::kMagic, sizeof head.magic);
  head.version = ::gaspipe::checkpoint::kVersion;
  head.head_bytes = sizeof head;
  std::memcpy(head.program, "test", 4);
  std::memcpy(head.number, "uint32", 6);
  head.num_vertices = kVertices;
  head.num_edges = 20;
  head.offsets = 1;
  head.arguments = 99;
  head.part = static_cast<std::uint32_t>(part);
  head.num_parts = 2;
  head.num_supersteps = 3;
  head.num_sums = 2;
  head.property_bytes = 4;
  head.num_own = kVertices / 2;
  head.first_id = head.part * head.num_own;
  head.num_active_words = 1;
  return head;
}

File file_of(Head head, const std::uint8_t* rest, std::size_t size) {
  head.of_rest = crc32(rest, size);
  head.of_head = ::gaspipe::checkpoint::checksum_of(head);
  const auto* const first = reinterpret_cast<const std::uint8_t*>(&head);
  File file(first, first + sizeof head);
  file.insert(file.end(), rest, rest + size);
  return file;
}

}  // namespace

void checkpoint(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const int part = data[1] % 2;
  const std::uint8_t ones[2 * 8 + 5 * 4 + 8] = {1};
  Bytes from(data + kNumOptions, size - kNumOptions);
  Folder::get().fill(1 - part, file_of(head_of(1 - part), ones, sizeof ones));
  if (data[0] % 8 == 7) {
    Folder::get().fill(part, File(from.data(), from.data() + from.size()));
  } else {
    Head head = head_of(part);
    if (data[0] / 8 % 8 == 1) std::memset(head.number, 'x', sizeof head.number);  // no end
    const bool is_small = data[0] % 2 == 0;
    std::uint64_t* const counts[] = {&head.num_own,  &head.num_ids,  &head.num_active_words, &head.value_bytes,
                                     &head.first_id, &head.num_sums, &head.property_bytes};
    for (int i = 0; i < 7; ++i) {
      if ((data[2] >> i & 1) == 0) continue;
      *counts[i] = is_small ? from.take<std::uint8_t>() % 16 : from.take<std::uint64_t>();
    }
    head.step = from.take<std::int32_t>();
    Folder::get().fill(part, file_of(head, from.data(), from.size()));
  }
  try {
    Checkpoint found(Folder::get().path(), {"test", kVertices, 20, 1}, nullptr);
    found.check_arguments(99);
    found.check_sizes(2, 4, 0);
    found.read(nullptr);
    require(std::strlen(found.state().number.c_str()) <= sizeof(Head::number), "a name has no end");
    // Every vertex has a property, every sum is there: all of it can be read.
    const auto* const properties = static_cast<const std::uint32_t*>(found.snapshot().properties);
    const auto* const sums = static_cast<const std::uint64_t*>(found.snapshot().sums);
    std::uint64_t total = found.snapshot().active[0] + sums[0] + sums[1];
    for (VertexId v = 0; v < kVertices; ++v) total += properties[v];
    require(total > 0 || found.values().empty(), "there are answers that no head says");
  } catch (const InputError&) {
  }
}

}  // namespace fuzz
}  // namespace gaspipe
