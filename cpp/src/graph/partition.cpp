// SPDX-License-Identifier: Apache-2.0
// Partitions in two passes over the edges. Chunks of consecutive sources count what they will add to every partition;
// prefix sums give each chunk its place; then each writes there. Sources ascend inside a chunk and from chunk to chunk,
// so every partition comes out sorted by source, and no edge is compared with another. Then each is cut.
#include "gaspipe/partition.h"

#include <algorithm>
#include <cstring>

#include "cut_partitions.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace {

std::size_t edge_type_bytes(abi::Scalar type) {
  switch (type) {
    case abi::kNone:
      return 0;
    case abi::kInt32:
    case abi::kUint32:
    case abi::kFloat32:
      return 4;
    default:
      return 8;
  }
}

}  // namespace

class PartitionBuilder {
 public:
  PartitionBuilder(Partitioning* result, const std::uint8_t* weights, abi::Scalar edge_type, Workers& workers)
      : result_(*result),
        csr_(*result->csr_),
        weights_(weights),
        weight_bytes_(weights ? edge_type_bytes(edge_type) : 0),
        workers_(workers) {
    capacity_ = std::max<std::uint32_t>(1, std::min<std::uint32_t>(result_.config_.capacity, csr_.num_columns));
    num_partitions_ = (std::uint64_t(csr_.num_columns) + capacity_ - 1) / capacity_;
    while ((std::uint64_t(2) << shift_) <= capacity_) ++shift_;
    power_of_two_ = (std::uint64_t(1) << shift_) == capacity_;
    // Chunks of rows with about equal edges; few enough that their counters stay small beside the graph.
    const std::uint64_t most =
        std::max<std::uint64_t>(1, (csr_.num_edges() + csr_.num_rows) / (8 * num_partitions_ + 4096));
    num_chunks_ = std::min<std::uint64_t>(64, most);
    chunk_rows_.resize(num_chunks_ + 1);
    for (std::uint64_t c = 1; c < num_chunks_; ++c) chunk_rows_[c] = first_row_at(csr_.num_edges() / num_chunks_ * c);
    chunk_rows_[num_chunks_] = csr_.num_rows;
  }

  void build() {
    count();
    const bool small = capacity_ <= (1u << 16);
    small ? fill<std::uint16_t>() : fill<std::uint32_t>();
    describe(small ? 2 : 4);
    cut();
  }

 private:
  struct Count {
    std::uint64_t edges = 0, runs = 0;
  };

  // Divides by multiplying. Method: D. Lemire, O. Kaser, N. Kurz, "Faster remainder by direct computation", Software:
  // Practice and Experience 49 (2019), doi:10.1002/spe.2689: exact for divisors and dividends of 32 bits, but not by 1.
  class Divisor {
   public:
    explicit Divisor(std::uint32_t by) : factor_(~std::uint64_t(0) / by + 1) {}
    std::uint32_t divide(std::uint32_t n) const {
      return static_cast<std::uint32_t>(((factor_ >> 32) * n + (((factor_ & 0xffffffffu) * n) >> 32)) >> 32);
    }

   private:
    std::uint64_t factor_;
  };
  Count& at(std::uint64_t chunk, std::uint64_t partition) { return counts_[chunk * num_partitions_ + partition]; }

  VertexId first_row_at(EdgeCount edge) const {
    std::uint64_t low = 0, high = csr_.num_rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (csr_.offsets[middle] < edge) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<VertexId>(low);
  }

  // Calls sink(source, partition, first, size) for a chunk's edges, as many at once as follow each other into one
  // partition: in a sorted row, all of them.
  template <class Sink>
  void visit(std::uint64_t chunk, const Sink& sink) const {
    power_of_two_ ? visit(chunk, sink, [shift = shift_](VertexId v) { return v >> shift; })
                  : visit(chunk, sink, [by = Divisor(capacity_)](VertexId v) { return by.divide(v); });
  }
  template <class Sink, class PartitionOf>
  void visit(std::uint64_t chunk, const Sink& sink, const PartitionOf& partition_of) const {
    const VertexId* targets = csr_.targets.data();
    const EdgeCount last = csr_.offsets[chunk_rows_[chunk + 1]];
    EdgeBlock block;
    block.first = block.end = csr_.offsets[chunk_rows_[chunk]];
    for (std::uint64_t v = chunk_rows_[chunk]; v < chunk_rows_[chunk + 1]; ++v) {
      const EdgeCount first = csr_.offsets[v], end = csr_.offsets[v + 1];
      if (end - first > 0xffffffffu)
        throw CapacityError(message("vertex ", v, " has ", end - first, " edges; at most 2^32 - 1 are supported"));
      for (EdgeCount e = first, start = first; e < end;) {
        if (e == block.end) block.read(targets, last, partition_of);
        const EdgeCount piece = std::min(end, block.end);
        std::uint64_t changes = block.changes_between(e, piece);
        if (e == first) changes &= ~(std::uint64_t(1) << (e - block.first));  // from another row
        for (; changes != 0; changes &= changes - 1) {
          const EdgeCount next = block.first + static_cast<unsigned>(__builtin_ctzll(changes));
          sink(static_cast<VertexId>(v), block.partition_before(next), start, next - start);
          start = next;
        }
        if (piece == end) sink(static_cast<VertexId>(v), block.partition_before(end), start, end - start);
        e = piece;
      }
    }
  }
  // Edges and their partitions, 64 at a time: without a branch per edge, for half of these would be mispredicted where
  // runs are short.
  struct EdgeBlock {
    static constexpr EdgeCount kSize = 64;
    EdgeCount first, end;
    std::uint32_t partitions[kSize + 1] = {};  // of the edge before the block and of the block's
    std::uint64_t changes = 0;                 // bit i: edge i has another partition than the one before it

    // Goes on to the edges from `end`, up to `last` at most.
    template <class PartitionOf>
    void read(const VertexId* targets, EdgeCount last, const PartitionOf& partition_of) {
      first = end;
      end = std::min<EdgeCount>(first + kSize, last);
      partitions[0] = partitions[kSize];
      std::uint8_t differs[kSize] = {};
      const auto compare = [&, here = targets + first](EdgeCount count) {
        for (EdgeCount i = 0; i < count; ++i) partitions[i + 1] = partition_of(here[i]);
        for (EdgeCount i = 1; i < count; ++i) differs[i] = partition_of(here[i]) != partition_of(here[i - 1]);
      };
      end - first == kSize ? compare(kSize) : compare(end - first);
      differs[0] = partitions[1] != partitions[0];
      static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bits are gathered from bytes in this order");
      changes = 0;
      for (int i = 0; i < 8; ++i) {
        std::uint64_t eight;  // bytes of 0 or 1; the highest byte of the product has a bit of each
        std::memcpy(&eight, differs + 8 * i, 8);
        changes |= (eight * 0x0102040810204080u >> 56) << (8 * i);
      }
    }
    std::uint64_t changes_between(EdgeCount from, EdgeCount to) const {  // from < to, both in the block
      return changes & (~std::uint64_t(0) << (from - first)) & (~std::uint64_t(0) >> (first + kSize - to));
    }
    std::uint32_t partition_before(EdgeCount edge) const { return partitions[edge - first]; }
  };

  void count() {
    counts_.resize(num_chunks_ * num_partitions_);
    workers_.step("counting", csr_.num_edges());
    workers_.each(num_chunks_, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
      std::vector<VertexId> last_source(num_partitions_, kNoVertex);
      Count* count = counts_.data() + chunk * num_partitions_;  // there may be none
      visit(chunk, [&](VertexId source, std::uint64_t p, EdgeCount, EdgeCount size) {
        count[p].edges += size;
        count[p].runs += last_source[p] != source;
        last_source[p] = source;
      });
    });
    total_.resize(num_partitions_ + 1);
    Count sum;
    for (std::uint64_t p = 0; p < num_partitions_; ++p) {
      total_[p] = sum;
      for (std::uint64_t chunk = 0; chunk < num_chunks_; ++chunk) {
        const Count here = at(chunk, p);
        at(chunk, p) = sum;
        sum.edges += here.edges;
        sum.runs += here.runs;
      }
    }
    total_[num_partitions_] = sum;
  }

  template <class Local>
  void fill() {
    const Count all = total_[num_partitions_];
    Writable<std::uint32_t> sources(all.runs), lengths(all.runs);
    Local* destinations = detail::allocate_bytes<Local>(&result_.destinations_, all.edges);
    std::uint8_t* weights =
        weight_bytes_ ? detail::allocate_bytes<std::uint8_t>(&result_.weights_, all.edges * weight_bytes_) : nullptr;
    const EdgeCount num_edges = csr_.offsets[csr_.num_rows];
    workers_.step("filling", num_edges);
    workers_.each(num_chunks_, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
      std::vector<Place> places(num_partitions_);
      for (std::uint64_t p = 0; p < num_partitions_; ++p) {
        const Count here = at(chunk, p), next = chunk + 1 < num_chunks_ ? at(chunk + 1, p) : total_[p + 1];
        places[p] = {here.edges, next.edges, here.runs, kNoVertex};
      }
      visit(chunk, [&](VertexId source, std::uint64_t p, EdgeCount first, EdgeCount size) {
        Place& place = places[p];
        if (place.last_source != source) {
          place.last_source = source;
          sources[place.run] = source;
          lengths[place.run] = 0;
          fetch_next_line(sources.data(), place.run);
          fetch_next_line(lengths.data(), place.run);
          ++place.run;
        }
        lengths[place.run - 1] += static_cast<std::uint32_t>(size);
        const EdgeCount room = std::min(place.last_edge - place.edge, num_edges - first);
        copy_run(destinations + place.edge, csr_.targets.data() + first, size, room,
                 [low = static_cast<VertexId>(p * capacity_)](VertexId v) { return static_cast<Local>(v - low); });
        if (weight_bytes_ == 4) copy_weights<std::uint32_t>(weights, place, first, size, room);
        if (weight_bytes_ == 8) copy_weights<std::uint64_t>(weights, place, first, size, room);
        place.edge += size;
      });
    });
    result_.run_sources_ = sources.freeze();
    result_.run_lengths_ = lengths.freeze();
  }

  // Where a chunk goes on in a partition.
  struct Place {
    EdgeCount edge, last_edge;  // last: where the next chunk begins
    std::uint64_t run;
    VertexId last_source;
  };
  // A partition's arrays grow in turn with all others': the processor does not foresee their next lines, and waits for
  // each. Asked for ahead, Kronecker 22 takes 0.66 of the time.
  template <class T>
  static void fetch_next_line(const T* array, std::uint64_t at) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(array) + at * sizeof(T) + 64;  // may lie behind it
    __builtin_prefetch(reinterpret_cast<const void*>(address), 1);
  }
  // By blocks of fixed size, which most runs fit into, where these end neither behind the input nor in what another
  // chunk writes.
  template <class To, class From, class Convert>
  static void copy_run(To* to, const From* from, EdgeCount size, EdgeCount room, const Convert& convert) {
    constexpr EdgeCount kTogether = 8;
    fetch_next_line(to, size);
    EdgeCount i = 0;
    for (; i < size && i + kTogether <= room; i += kTogether) {
      for (EdgeCount j = 0; j < kTogether; ++j) to[i + j] = convert(from[i + j]);
    }
    for (; i < size; ++i) to[i] = convert(from[i]);
  }

  template <class Word>
  void copy_weights(std::uint8_t* weights, const Place& place, EdgeCount first, EdgeCount size, EdgeCount room) const {
    copy_run(reinterpret_cast<Word*>(weights) + place.edge, reinterpret_cast<const Word*>(weights_) + first, size, room,
             [](Word weight) { return weight; });
  }

  void describe(int destination_bytes) {
    result_.partitions_.resize(num_partitions_);
    for (std::uint64_t p = 0; p < num_partitions_; ++p) {
      abi::Partition& part = result_.partitions_[p];
      const Count first = total_[p], end = total_[p + 1];
      part.first = static_cast<VertexId>(p * capacity_);
      part.last = static_cast<VertexId>(std::min<std::uint64_t>((p + 1) * capacity_, csr_.num_columns));
      part.num_edges = end.edges - first.edges;
      part.num_runs = end.runs - first.runs;
      part.run_sources = result_.run_sources_.data() + first.runs;
      part.run_lengths = result_.run_lengths_.data() + first.runs;
      part.destinations = result_.destinations_.data() + first.edges * destination_bytes;
      part.weights = weight_bytes_ ? result_.weights_.data() + first.edges * weight_bytes_ : nullptr;
    }
    result_.table_.destination_bytes = destination_bytes;
    result_.table_.capacity = capacity_;
    result_.table_.num_partitions = num_partitions_;
    result_.table_.partitions = result_.partitions_.data();
  }

  void cut() {
    const std::uint32_t units = result_.config_.compute_units;
    const Partitioner& partitioner = find_partitioner(result_.config_.partitioner);
    detail::PartitionArrays arrays{std::move(result_.run_sources_),
                                   std::move(result_.run_lengths_),
                                   std::move(result_.destinations_),
                                   std::move(result_.weights_),
                                   static_cast<std::size_t>(result_.table_.destination_bytes),
                                   weight_bytes_};
    result_.sub_partitions_ = cut_partitions(result_.partitions_, arrays, partitioner.cut, units, workers_);
    result_.run_sources_ = std::move(arrays.run_sources);
    result_.run_lengths_ = std::move(arrays.run_lengths);
    result_.destinations_ = std::move(arrays.destinations);
    result_.weights_ = std::move(arrays.weights);
    for (std::uint64_t p = 0; p < num_partitions_; ++p) {
      result_.partitions_[p].sub_partitions = result_.sub_partitions_.data() + p * units;
    }
    result_.table_.num_sub_partitions = units;
  }

  Partitioning& result_;
  const Csr& csr_;
  const std::uint8_t* weights_;  // of the graph's edges, in the type to keep; may be null
  std::size_t weight_bytes_;
  Workers& workers_;
  std::uint32_t capacity_ = 0;
  std::uint64_t num_partitions_ = 0, num_chunks_ = 0;
  int shift_ = 0;
  bool power_of_two_ = false;
  std::vector<VertexId> chunk_rows_;
  std::vector<Count> counts_;  // per chunk and partition: first what it adds, then where
  std::vector<Count> total_;   // per partition, what lies before it
};

std::shared_ptr<const Partitioning> Partitioning::make(std::shared_ptr<const Csr> csr, const PartitionConfig& config,
                                                       abi::Scalar edge_type, const Array<std::uint8_t>& weights,
                                                       Workers& workers) {
  if (config.capacity == 0) throw InputError("capacity is 0 vertices; a partition needs at least 1");
  if (config.compute_units == 0 || config.compute_units > kMostComputeUnits) {
    throw InputError(message(config.compute_units, " compute units; 1 to ", kMostComputeUnits, " are allowed"));
  }
  find_partitioner(config.partitioner);
  std::shared_ptr<Partitioning> result(new Partitioning);
  result->config_ = config;
  result->csr_ = std::move(csr);
  PartitionBuilder(result.get(), weights.data(), edge_type, workers).build();
  return result;
}

std::uint64_t Partitioning::num_bytes() const {
  return 4 * (run_sources_.size() + run_lengths_.size()) + destinations_.size() + weights_.size();
}

namespace {
void check_id(const char* what, std::int64_t id, std::size_t size) {
  if (id < 0 || std::uint64_t(id) >= size) {
    throw InputError(message("there is no ", what, " ", id, "; ids go from 0 to ", std::int64_t(size) - 1));
  }
}
}  // namespace

Partition Partitioning::get_partition(std::int64_t id) const {
  check_id("partition", id, size());
  return Partition(shared_from_this(), static_cast<std::size_t>(id));
}

const abi::Partition& Partition::stored() const { return owner_->table().partitions[index_]; }
std::size_t Partition::size() const { return owner_->table().num_sub_partitions; }
SubPartition Partition::get_sub_partition(std::int64_t id) const {
  check_id("sub-partition", id, size());
  return SubPartition(owner_, index_, static_cast<std::size_t>(id));
}

SubPartition::SubPartition(std::shared_ptr<const Partitioning> owner, std::size_t partition, std::size_t index)
    : owner_(std::move(owner)), partition_(partition), index_(index) {}

const abi::Partition& SubPartition::stored() const { return owner_->table().partitions[partition_]; }
const abi::SubPartition& SubPartition::sub_partition() const { return stored().sub_partitions[index_]; }
EdgeCount SubPartition::num_padded_edges() const { return PlainEdgeCodec::padded(num_edges()); }

VertexId SubPartition::first_source() const {
  return num_edges() == 0 ? 0 : stored().run_sources[sub_partition().first_run];
}
VertexId SubPartition::last_source() const {
  if (num_edges() == 0) return 0;
  EdgeCount edge = sub_partition().first_edge - sub_partition().skip;
  std::uint64_t run = sub_partition().first_run;
  while (edge + stored().run_lengths[run] < sub_partition().last_edge) edge += stored().run_lengths[run++];
  return stored().run_sources[run];
}

SubPartition::Encoded SubPartition::encode() const {
  const abi::Partition& part = stored();
  const EdgeCount padded = num_padded_edges();
  Writable<VertexId> sources(padded), destinations(padded);
  EdgeCount to = 0, edge = sub_partition().first_edge;
  std::uint32_t skip = sub_partition().skip;
  VertexId source = 0;
  for (std::uint64_t run = sub_partition().first_run; edge < sub_partition().last_edge; ++run) {
    source = part.run_sources[run];
    const EdgeCount end = std::min<EdgeCount>(edge + part.run_lengths[run] - skip, sub_partition().last_edge);
    skip = 0;
    for (; edge < end; ++edge, ++to) {
      sources[to] = source;
      destinations[to] = part.first + (owner_->table().destination_bytes == 2
                                           ? static_cast<const std::uint16_t*>(part.destinations)[edge]
                                           : static_cast<const std::uint32_t*>(part.destinations)[edge]);
    }
  }
  for (; to < padded; ++to) {
    sources[to] = source;
    destinations[to] = PlainEdgeCodec::kPadding;
  }
  return {sources.freeze(), destinations.freeze()};
}

}  // namespace gaspipe
