// SPDX-License-Identifier: Apache-2.0
#include "cpp/examples/command.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include "cpp/examples/bfs.h"
#include "cpp/examples/max_value.h"
#include "cpp/examples/pagerank.h"
#include "cpp/examples/sssp.h"

namespace gaspipe {
namespace example {
namespace {

// The values as text, and which is the largest.
struct Shown {
  std::vector<std::string> values;
  std::uint64_t num_rounds;
  VertexId largest;  // the first of the largest that are finite
};

template <class Value>
Shown show(const Answer<Value>& answer) {
  Shown shown{{}, answer.num_rounds, 0};
  const auto rank_of = [](Value value) {
    return value < std::numeric_limits<Value>::infinity() || !std::numeric_limits<Value>::has_infinity
               ? value
               : std::numeric_limits<Value>::lowest();
  };
  for (const Value value : answer.values) {
    std::ostringstream text;
    text.precision(std::numeric_limits<Value>::max_digits10);
    text << value;
    if (rank_of(value) > rank_of(answer.values[shown.largest])) shown.largest = VertexId(shown.values.size());
    shown.values.push_back(text.str());
  }
  return shown;
}

struct Program {
  const char *name, *file;
  std::function<Shown(const Graph&, std::int64_t source, ProgramOptions)> run;
};
const std::vector<Program>& programs() {
  static const std::vector<Program> all = {
      {"bfs", "BFS.txt", [](const Graph& g, std::int64_t s, ProgramOptions o) { return show(bfs(g, s, o)); }},
      {"bottom_up_bfs", "BottomUpBFS.txt",
       [](const Graph& g, std::int64_t s, ProgramOptions o) {
         o.engine.direction = FrontierOptions::Direction::kPull;
         return show(bfs(g, s, o));
       }},
      {"sssp", "SSSP.txt", [](const Graph& g, std::int64_t s, ProgramOptions o) { return show(sssp(g, s, o)); }},
      {"pagerank", "PageRank.txt", [](const Graph& g, std::int64_t, ProgramOptions o) { return show(pagerank(g, o)); }},
      {"shrinking_pagerank", "ShrinkingPageRank.txt",
       [](const Graph& g, std::int64_t, ProgramOptions o) { return show(shrinking_pagerank(g, o)); }},
      {"max_value", "MaxValue.txt",
       [](const Graph& g, std::int64_t, ProgramOptions o) {
         std::vector<int> start(g.num_vertices());
         std::iota(start.begin(), start.end(), 0);
         return show(max_value(g, start, o));
       }},
  };
  return all;
}

const Program* find(const std::string& name) {
  const auto has_name = [&](const Program& program) { return name == program.name; };
  const auto found = std::find_if(programs().begin(), programs().end(), has_name);
  return found == programs().end() ? nullptr : &*found;
}

std::int64_t number(const std::string& option, const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError(message(option, " is '", text, "'; use a number, 0 or larger"));
  }
  return std::stoll(text);
}

}  // namespace

std::string usage() {
  std::string names;
  for (const Program& program : programs()) names += message(names.empty() ? "" : " | ", program.name);
  return message("usage: olive PROGRAM FILE [-s N] [-dimacs] [-round N] [-verbose] [-g N] [-scan] [-max]\n", "  ",
                 names, "\n",
                 "  -s N      start at vertex N (0)\n"
                 "  -dimacs   FILE is of DIMACS-10 or METIS, not an edge list\n"
                 "  -round N  stop after N rounds (0: as many as it takes)\n"
                 "  -verbose  one line per call of the engine\n"
                 "  -g N      1, 2, 4, 8, 16 or 32: share a frontier among threads more finely (1)\n"
                 "  -scan     collect vertices in a queue per thread, not in one bitmap\n"
                 "  -max      show the vertex with the largest value\n");
}

Command parse(const std::vector<std::string>& words) {
  Command command;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] { return number(word, i + 1 < words.size() ? words[++i] : ""); };
    if (word == "-s") {
      command.source = value();
    } else if (word == "-round") {
      command.most_rounds = static_cast<std::uint64_t>(value());
    } else if (word == "-g") {
      command.group = static_cast<int>(std::min<std::int64_t>(value(), 1000));
      FrontierOptions options;
      options.group = command.group;
      check(options);
    } else if (word == "-dimacs") {
      command.is_dimacs = true;
    } else if (word == "-verbose") {
      command.is_verbose = true;
    } else if (word == "-scan") {
      command.scan = true;
    } else if (word == "-max") {
      command.shows_max = true;
    } else if (word.size() > 1 && word[0] == '-') {
      throw InputError(message("there is no option ", word));
    } else {
      names.push_back(word);
    }
  }
  if (names.size() != 2) throw InputError(message("found ", names.size(), " names; give a program and a file"));
  command.program = names[0];
  command.path = names[1];
  if (find(command.program) == nullptr) throw InputError(message("there is no program '", command.program, "'"));
  return command;
}

int run_command(const std::vector<std::string>& words, const std::string& folder, std::ostream& out,
                std::ostream& err) {
  Command command;
  try {
    command = parse(words);
  } catch (const InputError& error) {
    err << "olive: " << error.what() << '\n' << usage();
    return 2;
  }
  try {
    const Program& program = *find(command.program);
    ProgramOptions options;
    options.most_rounds = command.most_rounds;
    options.engine.group = command.group;
    options.engine.scan = command.scan;
    options.engine.log_level = command.is_verbose ? LogLevel::kDebug : LogLevel::kWarning;
    options.engine.log = [&](LogLevel, const std::string& text) { err << text << '\n'; };
    Workers workers;
    const Graph graph(
        read_graph(command.path, command.is_dimacs ? GraphFile::kDimacs10 : GraphFile::kEdgeList, workers));
    const Shown shown = program.run(graph, command.source, options);
    const std::string path = folder + "/" + program.file;
    std::ofstream file(path);
    for (const std::string& value : shown.values) file << value << '\n';
    file.close();
    if (!file) throw Error(message("cannot write '", path, "'; use a folder that can be written to"));
    out << program.name << ": " << graph.num_vertices() << " vertices, " << graph.num_edges() << " edges, "
        << shown.num_rounds << " rounds; wrote " << path << '\n';
    if (command.shows_max) out << "max: " << shown.values[shown.largest] << " at vertex " << shown.largest << '\n';
  } catch (const Error& error) {
    err << "olive: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace example
}  // namespace gaspipe
