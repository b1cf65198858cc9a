// SPDX-License-Identifier: Apache-2.0
// Random tokens for the leaves of Cell's search.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "hls/kernel/local_store_bfs.h"

namespace gaspipe {
namespace rtl {

inline bool same(std::uint32_t a, std::uint32_t b) { return a == b; }
inline bool same(const FetchedCodes& a, const FetchedCodes& b) {
  return a.end == b.end && (a.end || (a.num == b.num && std::equal(a.code, a.code + a.num, b.code)));
}
inline bool same(const FetchedCode& a, const FetchedCode& b) { return a.end == b.end && (a.end || a.code == b.code); }
inline bool same(const ListDescriptor& a, const ListDescriptor& b) {
  return a.end == b.end && (a.end || (a.first == b.first && a.num == b.num && a.is_escaped == b.is_escaped));
}
inline bool same(const ListPiece& a, const ListPiece& b) {
  return a.end == b.end &&
         (a.end || (a.first == b.first && a.num == b.num && a.follows == b.follows && a.is_escaped == b.is_escaped));
}
inline bool same(const OwnedCode& a, const OwnedCode& b) {
  return a.end == b.end && (a.end || (a.code == b.code && a.parent == b.parent && a.owner == b.owner));
}
inline bool same(const MarkRequest& a, const MarkRequest& b) {
  return a.end == b.end && (a.end || (a.code == b.code && a.parent == b.parent && a.held == b.held));
}
inline bool same(const MarkedCode& a, const MarkedCode& b) {
  return a.end == b.end && (a.end || (a.code == b.code && a.parent == b.parent && a.is_new == b.is_new));
}
inline bool same(const ListWord& a, const ListWord& b) {
  return a.done == b.done &&
         (a.done || (a.end == b.end && std::equal(a.word.lane, a.word.lane + kCodesPerWord, b.word.lane)));
}
inline bool same(const CodeMessage& a, const CodeMessage& b) {
  return a.end == b.end && a.last == b.last && (a.end || (a.code == b.code && a.parent == b.parent));
}

// A token whose padding is zero too, for what goes into a circuit are bytes.
template <class T>
T cleared() {
  T token;
  std::memset(static_cast<void*>(&token), 0, sizeof token);
  return token;
}

// A PE's array: the states, of which number `turn` tells of `num` entries, and the entries behind them.
inline std::vector<Word<std::uint64_t>> random_queue(std::uint32_t num_state_words, std::uint32_t level,
                                                     std::uint32_t num, std::mt19937_64& random) {
  std::vector<Word<std::uint64_t>> words(2 * num_state_words + (num + kEntriesPerWord - 1) / kEntriesPerWord);
  for (auto& word : words) {
    for (std::uint64_t& lane : word.lane) lane = random();
  }
  words[level * num_state_words].lane[ControlLane::kFirstWord] = 2 * num_state_words;
  words[level * num_state_words].lane[ControlLane::kNumEntries] = num;
  return words;
}

// Lists that follow each other, lie elsewhere, are long or empty.
inline std::vector<FetchedCodes> random_fetched(std::size_t num, std::mt19937_64& random) {
  std::vector<FetchedCodes> tokens;
  std::uint32_t place = 5;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<FetchedCodes>();
    token.num = static_cast<std::uint8_t>(1 + random() % kEntriesPerWord);
    for (int k = 0; k < token.num; ++k) {
      const auto words = static_cast<std::uint32_t>(random() % 20 == 0 ? random() % 700 : random() % 5);
      if (random() % 3 == 0) place = static_cast<std::uint32_t>(random() % 100'000);
      token.code[k] = make_list_code(static_cast<std::uint32_t>(random() % kMostOwned), words, place);
      place += words;
    }
    tokens.push_back(token);
  }
  tokens.push_back(cleared<FetchedCodes>());
  tokens.back().end = true;
  return tokens;
}

inline std::vector<FetchedCode> single(const std::vector<FetchedCodes>& several) {
  std::vector<FetchedCode> tokens;
  for (const FetchedCodes& from : several) {
    for (int k = 0; k < from.num; ++k) {
      tokens.push_back(cleared<FetchedCode>());
      tokens.back().code = from.code[k];
    }
  }
  tokens.push_back(cleared<FetchedCode>());
  tokens.back().end = true;
  return tokens;
}

inline CodeMessage message_of(ListCode code, VertexId parent) {
  auto message = cleared<CodeMessage>();
  message.code = code;
  message.parent = parent;
  return message;
}
inline CodeMessage sentinel(bool last) {
  auto message = cleared<CodeMessage>();
  message.end = true;
  message.last = last;
  return message;
}

// Vertices of a PE, the same ones often, and the end.
inline std::vector<CodeMessage> random_messages(std::size_t num, std::uint32_t num_owned, std::mt19937_64& random) {
  std::vector<CodeMessage> messages;
  for (std::size_t i = 0; i < num; ++i) {
    const auto index = static_cast<std::uint32_t>(random() % (i % 2 == 0 ? 16 : num_owned));
    messages.push_back(message_of(make_list_code(index, 1, static_cast<std::uint32_t>(i)), VertexId(random())));
  }
  messages.push_back(sentinel(true));
  return messages;
}

// The same with what watchRows finds.
inline std::vector<MarkRequest> random_requests(std::size_t num, std::uint32_t num_owned, std::mt19937_64& random) {
  RowWindow window;
  window.start();
  std::vector<MarkRequest> requests;
  for (const CodeMessage& message : random_messages(num, num_owned, random)) {
    auto request = cleared<MarkRequest>();
    request.code = message.code;
    request.parent = message.parent;
    request.held = window.take(code_index(message.code) / kMarksPerRow);
    request.end = message.end;
    requests.push_back(request);
  }
  return requests;
}

inline std::vector<MarkedCode> random_marked_codes(std::size_t num, std::mt19937_64& random) {
  std::vector<MarkedCode> codes;
  for (std::size_t i = 0; i <= num; ++i) {
    auto code = cleared<MarkedCode>();
    code.code = random();
    code.parent = static_cast<VertexId>(random());
    code.end = i == num;
    code.is_new = !code.end && random() % 2 == 0;
    codes.push_back(code);
  }
  return codes;
}

inline std::vector<ListPiece> random_pieces(std::size_t num, std::mt19937_64& random) {
  std::vector<ListPiece> pieces;
  for (std::size_t i = 0; i <= num; ++i) {
    auto piece = cleared<ListPiece>();
    piece.first = static_cast<std::uint32_t>(random() % 100'000);
    piece.num = static_cast<std::uint32_t>(1 + random() % 9);
    piece.is_escaped = random() % 9 == 0;
    piece.follows = i % 6 != 0 && random() % 2 == 0;
    piece.end = i == num;
    pieces.push_back(piece);
  }
  return pieces;
}

inline std::vector<OwnedCode> random_owned(int num_pes, std::size_t num, std::mt19937_64& random) {
  std::vector<OwnedCode> codes;
  for (std::size_t i = 0; i <= num; ++i) {
    auto code = cleared<OwnedCode>();
    code.code = random();
    code.parent = static_cast<VertexId>(random());
    code.owner = static_cast<std::uint8_t>(random() % 3 == 0 ? 1 : random() % static_cast<unsigned>(num_pes));
    code.end = i == num;
    codes.push_back(code);
  }
  return codes;
}

// What a sender sends in some periods.
inline std::vector<CodeMessage> random_periods(int num, std::mt19937_64& random) {
  std::vector<CodeMessage> messages;
  for (int period = 0; period < num; ++period) {
    const auto codes = random() % kPeriodTokens;
    for (std::uint64_t i = 0; i < codes; ++i) messages.push_back(message_of(random(), VertexId(random())));
    messages.push_back(sentinel(period + 1 == num));
  }
  return messages;
}

// Descriptors of one to three lists, for both engines by turns.
inline std::vector<std::vector<ListWord>> random_lists(std::uint32_t num_pes, int num, std::mt19937_64 random) {
  std::vector<std::vector<ListWord>> engines(2);
  const auto add = [&](int engine, const Word<std::uint64_t>& word) {
    auto token = cleared<ListWord>();
    token.word = word;
    engines[engine].push_back(token);
  };
  for (int i = 0; i < num; ++i) {
    for (std::uint64_t list = random() % 3 + 1; list > 0; --list) {
      ListHeader header = {};
      std::uint32_t sum = 0;
      for (std::uint32_t s = 0; s < kMostPes; ++s) {
        header.end[s] = sum += s < num_pes ? static_cast<std::uint32_t>(random() % (random() % 9 == 0 ? 90 : 4)) : 0;
      }
      if (sum == 0) {
        for (std::uint32_t& end : header.end) end = 1;
        sum = 1;
      }
      header.vertex = static_cast<VertexId>(random());
      header.num_words = 1 + (sum + kCodesPerWord - 1) / kCodesPerWord;
      add(i % 2, to_word(header));
      for (std::uint32_t at = 1; at < header.num_words; ++at) {
        Word<std::uint64_t> word;
        for (std::uint64_t& lane : word.lane) lane = random();
        add(i % 2, word);
      }
    }
    engines[i % 2].back().end = true;
  }
  for (auto& engine : engines) {
    engine.push_back(cleared<ListWord>());
    engine.back().done = true;
  }
  return engines;
}

}  // namespace rtl
}  // namespace gaspipe
