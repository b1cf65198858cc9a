// SPDX-License-Identifier: Apache-2.0
// The active vertices of a super-step: a queue, which pushes walk, or a bitmap, which pulls look vertices up in. A loop
// adds to it through a buffer per worker:
//
//   next.clear();
//   workers.each(n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { ... next.add(v, worker); });
//   next.collect();
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gaspipe/engine/bitmap.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

constexpr std::uint64_t kVertexGrain = 1 << 13;  // vertices in a chunk of a plain loop over all vertices
constexpr std::uint64_t kWordGrain = 64;         // words of a bitmap in a chunk

class Frontier {
 public:
  static constexpr EdgeCount kAnyEdges = std::numeric_limits<EdgeCount>::max();

  // What a worker has added since collect().
  struct alignas(64) Part {
    static constexpr std::uint32_t kBuffered = 1 << 10;
    VertexId buffer[kBuffered];
    std::uint32_t buffered = 0;
    EdgeCount size = 0, edges = 0;  // without those in the buffer
  };

  // Of the vertices of `csr`, whose offsets count their edges. One with more vertices and edges than `most` is not
  // listed: it has a size, and nothing else.
  Frontier(const abi::Csr& csr, int num_workers, EdgeCount most = kAnyEdges)
      : csr_(&csr), num_vertices_(csr.num_vertices), parts_(num_workers) {
    list_up_to(most);
  }
  // An empty queue of a graph that bind() brings. Without one, edges are not counted and no worker can add.
  explicit Frontier(VertexId num_vertices) : num_vertices_(num_vertices) {
    list_up_to(kAnyEdges);
    clear();
  }
  // Belongs to this graph from now on, or with null to none.
  void bind(const abi::Csr* csr, int num_workers) {
    csr_ = csr;
    if (parts_.size() < static_cast<std::size_t>(num_workers)) parts_.resize(num_workers);
    if (!is_bitmap_) edges_ = count_edges(queue_.get(), size_);
  }
  void list_up_to(EdgeCount most) {
    most_ = most;
    if (most > 0 && !queue_) queue_.reset(new VertexId[num_vertices_]);
  }

  std::uint64_t size() const { return size_; }
  EdgeCount edges() const { return edges_; }  // out-edges of a queue's vertices
  bool is_listed() const { return is_listed_; }
  bool is_bitmap() const { return is_bitmap_; }
  const VertexId* begin() const { return queue_.get(); }
  const VertexId* end() const { return queue_.get() + size_; }
  const Bitmap& bits() const { return bits_; }
  Bitmap& bits() { return bits_; }

  // An empty queue.
  void clear() {
    empty_parts();
    size_ = edges_ = end_ = 0;
    is_bitmap_ = false;
    is_listed_ = most_ > 0;
  }
  // A bitmap of `size` vertices, which a loop over bits() sets.
  void start_bitmap() {
    if (bits_.size() == 0) bits_ = Bitmap(num_vertices_);
    size_ = edges_ = 0;
    is_bitmap_ = true;
  }
  void set_bitmap_size(std::uint64_t size) { size_ = size; }
  // All vertices, which need no list.
  void fill() {
    clear();
    is_listed_ = false;
    size_ = num_vertices_;
  }

  // A vertex is added once.
  void add(VertexId v, int worker) { add(v, parts_[worker]); }
  void add(VertexId v, Part& part) {
    part.buffer[part.buffered++] = v;
    if (part.buffered == Part::kBuffered) flush(part);
  }
  // Without a branch on whether `v` is added.
  void add_if(bool is_added, VertexId v, Part& part) {
    part.buffer[part.buffered] = v;
    part.buffered += is_added;
    if (part.buffered == Part::kBuffered) flush(part);
  }
  Part& part(int worker) { return parts_[worker]; }
  // After a loop that added vertices: they become the queue's.
  void collect() {
    for (Part& part : parts_) {
      flush(part);
      size_ += part.size;
      edges_ += part.edges;
      part.size = part.edges = 0;
    }
    is_listed_ = most_ > 0 && fits(size_, edges_);
  }

  // Adds vertices while no thread does, in either form. Of one that is not listed they are counted.
  void append(const VertexId* vertices, std::uint64_t count) {
    if (is_bitmap_) {
      for (std::uint64_t i = 0; i < count; ++i) bits_.set(vertices[i]);
    } else if (is_listed_) {
      std::copy_n(vertices, count, queue_.get() + end_);
      end_ += count;
      edges_ += count_edges(vertices, count);
    }
    size_ += count;
    is_listed_ = is_listed_ && (is_bitmap_ || fits(size_, edges_));
  }

  // Adds to the queue while no other thread does, without a buffer.
  class Tail {
   public:
    explicit Tail(Frontier& frontier)
        : frontier_(frontier), first_(frontier.queue_.get() + frontier.end_), next_(first_) {}
    ~Tail() {
      const auto size = static_cast<std::uint64_t>(next_ - first_);
      frontier_.edges_ += frontier_.count_edges(first_, size);
      frontier_.size_ += size;
      frontier_.end_ += size;
    }
    Tail(const Tail&) = delete;
    Tail& operator=(const Tail&) = delete;
    void add(VertexId v) { *next_++ = v; }

   private:
    Frontier& frontier_;
    VertexId *const first_, *next_;
  };

  // A conversion that is stopped on its way leaves the set as it was.
  void to_bitmap(Workers& workers) {
    if (is_bitmap_) return;
    if (bits_.size() == 0) bits_ = Bitmap(num_vertices_);
    bits_.clear();
    const bool is_alone = workers.size() == 1;
    workers.each(size_, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      if (is_alone) {
        for (std::uint64_t i = first; i < last; ++i) bits_.set(queue_[i]);
      } else {
        for (std::uint64_t i = first; i < last; ++i) bits_.set_atomic(queue_[i]);
      }
    });
    if (workers.cancelled()) return;
    is_bitmap_ = true;
    edges_ = 0;
  }
  void to_queue(Workers& workers) {
    if (!is_bitmap_) return;
    empty_parts();
    end_ = 0;
    workers.each(bits_.num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Part& part = parts_[worker];
      bits_.each_in_words(first, last, [&](VertexId v) { add(v, part); });
    });
    if (workers.cancelled()) return;
    is_bitmap_ = false;
    size_ = edges_ = 0;
    collect();
  }
  // Becomes the same set, in the same form, as `from`: of as many vertices, and bound to the same graph.
  void copy(const Frontier& from, Workers& workers) {
    if (from.is_bitmap_) {
      start_bitmap();
      workers.each(bits_.num_words(), kVertexGrain,
                   [&](std::uint64_t first, std::uint64_t last, int) { bits_.copy_words(from.bits_, first, last); });
    } else {
      clear();
      workers.each(from.size_, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        std::copy(from.begin() + first, from.begin() + last, queue_.get() + first);
      });
      end_ = from.size_;
    }
    size_ = from.size_;
    edges_ = from.edges_;
  }

 private:
  // Of what a stopped loop has left.
  void empty_parts() {
    for (Part& part : parts_) part.size = part.edges = part.buffered = 0;
  }
  bool fits(EdgeCount size, EdgeCount edges) const { return edges <= most_ && size <= most_ - edges; }
  void flush(Part& part) {
    if (most_ > 0 && fits(part.size, part.edges)) {
      const std::uint64_t at = __atomic_fetch_add(&end_, part.buffered, __ATOMIC_RELAXED);
      std::copy_n(part.buffer, part.buffered, queue_.get() + at);
      part.edges += count_edges(part.buffer, part.buffered);
    }
    part.size += part.buffered;
    part.buffered = 0;
  }
  EdgeCount count_edges(const VertexId* vertices, std::uint64_t size) const {
    if (csr_ == nullptr) return 0;
    return with_rows(*csr_, [&](const auto& rows) {
      EdgeCount edges = 0;
      for (std::uint64_t i = 0; i < size; ++i) edges += rows.degree(vertices[i]);
      return edges;
    });
  }

  const abi::Csr* csr_ = nullptr;
  VertexId num_vertices_;
  EdgeCount most_ = 0;
  std::unique_ptr<VertexId[]> queue_;  // on small pages: of most frontiers little is ever touched
  std::uint64_t end_ = 0;              // of what the workers have written to the queue
  Bitmap bits_;
  std::uint64_t size_ = 0;
  EdgeCount edges_ = 0;
  bool is_listed_ = false, is_bitmap_ = false;
  std::vector<Part> parts_;
};

}  // namespace engine
}  // namespace gaspipe
