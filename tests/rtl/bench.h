// SPDX-License-Identifier: Apache-2.0
// Drives a leaf's Verilog, and the leaf itself in the emulator, with the same tokens, and compares.
#pragma once

#include <verilated.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/sssp.h"
#include "tokens.h"
#include "whole_word_tokens.h"

namespace gaspipe {
namespace rtl {

using Bytes = std::vector<unsigned char>;

// A FIFO that the leaf reads, one that it writes, and memory that it does either with.
struct In {
  std::vector<Bytes> tokens;
  std::function<void(const Bytes&)> put;
  CData *empty_n, *read;
  std::size_t at = 0;
  bool there = false;  // the token is, and stays until it is read
};
struct Out {
  std::function<Bytes()> get;
  CData *full_n, *write;
  std::vector<Bytes> tokens;
  bool there = false;  // a place is, likewise
};
// A read that does not follow the one before waits `latency` cycles.
struct ReadBus {
  const unsigned char* words;
  std::function<void(const unsigned char*)> put;
  const QData* address;
  const CData* read;
  CData* valid;
  std::size_t num_words;
  QData next = ~QData(0);
  int wait = 0;
  bool outside = false;
};
struct WriteBus {
  unsigned char* words;
  std::function<void(unsigned char*)> get;  // the word
  const QData *address, *mask;
  const CData* write;
  CData* ready;
  std::size_t num_words;
  bool outside = false;
};

template <class T>
std::vector<Bytes> bytes_of(const std::vector<T>& tokens) {
  std::vector<Bytes> all;
  for (const T& t : tokens) {
    const auto* p = reinterpret_cast<const unsigned char*>(&t);
    all.push_back(Bytes(p, p + sizeof(T)));
  }
  return all;
}
template <class T>
std::vector<T> of_bytes(const std::vector<Bytes>& all) {
  std::vector<T> tokens(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(static_cast<void*>(&tokens[i]), all[i].data(), sizeof(T));
  return tokens;
}
template <class T, class Port>
In in(Port& dout, CData& empty_n, CData& read, const std::vector<T>& tokens) {
  return {bytes_of(tokens), [&dout](const Bytes& b) { std::memcpy(static_cast<void*>(&dout), b.data(), b.size()); },
          &empty_n, &read, 0};
}
template <class T, class Port>
Out out(Port& din, CData& full_n, CData& write) {
  return {[&din] {
            Bytes b(sizeof(T));
            std::memcpy(b.data(), static_cast<const void*>(&din), sizeof(T));
            return b;
          },
          &full_n,
          &write,
          {}};
}
template <class T, class Port>
ReadBus read_bus(Port& data, const QData& address, const CData& read, CData& valid, const std::vector<Word<T>>& words) {
  return {reinterpret_cast<const unsigned char*>(words.data()),
          [&data](const unsigned char* word) { std::memcpy(static_cast<void*>(&data), word, 64); },
          &address,
          &read,
          &valid,
          words.size()};
}
template <class T, class Port>
WriteBus write_bus(Port& data, const QData& address, const QData& mask, const CData& write, CData& ready,
                   std::vector<Word<T>>& words) {
  return {reinterpret_cast<unsigned char*>(words.data()),
          [&data](unsigned char* word) { std::memcpy(word, static_cast<const void*>(&data), 64); },
          &address,
          &mask,
          &write,
          &ready,
          words.size()};
}

// Cycles until `done`; -1 if there is no end, or memory was left. Every side stalls with probability stall/8 in a
// cycle, but a FIFO that is ready stays so until it is used; memory has a latency where they stall.
template <class Dut>
long simulate(Dut& dut, std::vector<In*> ins, std::vector<Out*> outs, std::vector<ReadBus*> reads,
              std::vector<WriteBus*> writes, int stall, long limit = 1000000) {
  Random random(stall + 1);
  const auto ready = [&] { return int(random() % 8) >= stall; };
  dut.rst = 1;
  for (int i = 0; i < 2; ++i) {
    dut.clk = 0;
    dut.eval();
    dut.clk = 1;
    dut.eval();
  }
  dut.rst = 0;
  long cycles = 0;
  while (!dut.done) {
    if (++cycles > limit) {
      std::printf("  no end after %ld cycles\n", limit);
      return -1;
    }
    dut.clk = 0;
    for (In* i : ins) {
      i->there = i->at < i->tokens.size() && (i->there || ready());
      *i->empty_n = i->there;
      if (i->at < i->tokens.size()) i->put(i->tokens[i->at]);
    }
    for (Out* o : outs) *o->full_n = o->there = o->there || ready();
    for (WriteBus* w : writes) *w->ready = ready();
    for (ReadBus* r : reads) *r->valid = 0;
    dut.eval();
    for (ReadBus* r : reads) {
      if (!*r->read) continue;
      if (*r->address >= r->num_words) {
        r->outside = true;
        continue;
      }
      if (*r->address != r->next) {  // a burst begins
        r->next = *r->address;
        r->wait = stall == 0 ? 0 : 20;
      }
      if (r->wait > 0) {
        --r->wait;
      } else if (ready()) {
        r->put(r->words + 64 * *r->address);
        *r->valid = 1;
      }
    }
    dut.eval();
    for (In* i : ins) {
      i->at += *i->read;
      i->there = i->there && !*i->read;
    }
    for (ReadBus* r : reads) r->next += *r->read && *r->valid && dut.busy;
    for (Out* o : outs) {
      if (!*o->write) continue;
      o->tokens.push_back(o->get());
      o->there = false;
    }
    for (WriteBus* w : writes) {
      if (!*w->write) continue;
      if (*w->address >= w->num_words) {
        w->outside = true;
        continue;
      }
      unsigned char word[64];
      w->get(word);
      for (int i = 0; i < 64; ++i) {
        if (*w->mask >> i & 1) w->words[64 * *w->address + i] = word[i];
      }
    }
    dut.clk = 1;
    dut.eval();
  }
  for (ReadBus* r : reads) {
    if (r->outside) return std::printf("  read outside memory\n"), -1;
  }
  for (WriteBus* w : writes) {
    if (w->outside) return std::printf("  written outside memory\n"), -1;
  }
  return cycles;
}

// The emulator's region around a task.
template <class T>
void feed(const std::vector<T>& tokens, stream<T>& s) {
  for (const T& t : tokens) {
    GASPIPE_PIPELINE(1);
    s.write(t);
  }
}
template <class T>
void drain(stream<T>& s, std::size_t n, std::vector<T>& tokens) {
  for (std::size_t i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    tokens.push_back(s.read());
  }
}

// Tokens are the same if what they mean is: nothing behind an end, lanes that are valid only.
template <class T>
typename std::enable_if<std::is_integral<T>::value, bool>::type same(T a, T b) {
  return a == b;
}
template <class V>
bool same(const Update<V>& a, const Update<V>& b) {
  return a.destination == b.destination && a.value == b.value;
}
template <class V>
bool same(const UpdateToken<V>& a, const UpdateToken<V>& b) {
  return a.end == b.end && (a.end || same(a.update, b.update));
}
// Lists of lanes are the same if the updates in them are.
template <class Listed>
bool same_lists(const Listed& a, const Listed& b) {
  for (int i = 0; i < a.num && a.num == b.num; ++i) {
    if (!same(a.update[a.lane >> (4 * i) & 15], b.update[b.lane >> (4 * i) & 15])) return false;
  }
  return a.num == b.num;
}
template <class V, int n>
bool same(const ListedSet<V, n>& a, const ListedSet<V, n>& b) {
  return a.end == b.end && (a.end || same_lists(a, b));
}
template <class V, int n>
bool same(const UpdateSet<V, n>& a, const UpdateSet<V, n>& b) {
  if (a.end != b.end || a.end) return a.end == b.end && a.update[0].destination == b.update[0].destination;
  for (int i = 0; i < n; ++i) {
    if ((a.valid >> i & 1) && !same(a.update[i], b.update[i])) return false;
  }
  return a.valid == b.valid;
}
template <class V, int n>
bool same(const MarkedSet<V, n>& a, const MarkedSet<V, n>& b) {
  if (a.end != b.end || (!a.end && a.mark != b.mark)) return false;
  return a.end ? a.update[0].destination == b.update[0].destination : same_lists(a, b);
}
template <class V>
bool same(const MarkedUpdate<V>& a, const MarkedUpdate<V>& b) {
  if (a.end != b.end || a.update.destination != b.update.destination) return false;
  return a.end || (a.mark == b.mark && (a.update.destination == kNoVertex || a.update.value == b.update.value));
}
template <class V>
bool same(const UramWord<V>& a, const UramWord<V>& b) {
  return std::memcmp(a.lane, b.lane, sizeof a.lane) == 0;
}
template <class V>
bool same(const MarkedRow<V>& a, const MarkedRow<V>& b) {
  if (a.mark != b.mark || a.update.end != b.update.end || a.update.row != b.update.row) return false;
  if (a.update.end || a.update.row == kNoRow) return true;
  for (int i = 0; i < UramWord<V>::kSize; ++i) {
    if ((a.update.valid >> i & 1) && a.update.word.lane[i] != b.update.word.lane[i]) return false;
  }
  return a.update.valid == b.update.valid;
}
template <class P, int n>
bool same(const SourceToken<P, n>& a, const SourceToken<P, n>& b) {
  return a.end == b.end && (a.end || std::memcmp(a.property, b.property, sizeof a.property) == 0);
}
template <class T>
bool same(const Word<T>& a, const Word<T>& b) {
  return std::memcmp(a.lane, b.lane, 64) == 0;
}
template <class T>
bool same(const WordToken<T>& a, const WordToken<T>& b) {
  return a.end == b.end && (a.end || std::memcmp(a.word.lane, b.word.lane, 64) == 0);
}
inline bool same(const MarkedSources& a, const MarkedSources& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  return std::memcmp(a.source, b.source, sizeof a.source) == 0 && a.lane == b.lane && a.follows == b.follows &&
         a.num == b.num;
}
inline bool same(const SourcePlaces& a, const SourcePlaces& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  return a.place == b.place && a.first == b.first && a.num[0] == b.num[0] && a.num[1] == b.num[1];
}
inline bool same(const LineRun& a, const LineRun& b) {
  return a.end == b.end && (a.end || (a.first == b.first && a.count == b.count));
}
inline bool same(const GroupRun& a, const GroupRun& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  return a.count == b.count && a.due == b.due && (a.count == 0 || a.first == b.first);
}
inline bool same(const SubPartitionToken& a, const SubPartitionToken& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
inline bool same(const PartToken& a, const PartToken& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class V>
bool same(const RowGroup<V>& a, const RowGroup<V>& b) {
  return std::memcmp(a.row, b.row, sizeof a.row) == 0;
}

template <class T>
long differences(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) {
    std::printf("  %zu tokens instead of %zu\n", b.size(), a.size());
    return 1;
  }
  long n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) n += !same(a[i], b[i]);
  return n;
}

}  // namespace rtl
}  // namespace gaspipe
