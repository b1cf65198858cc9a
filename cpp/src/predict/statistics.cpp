// SPDX-License-Identifier: Apache-2.0
#include "statistics.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace gaspipe {
namespace predict {
namespace {

constexpr const char* kLineStream = "lines";  // of every configuration: words of properties, fetched for sources

// The arguments in the text of a call: names, numbers and what has no comma of its own.
std::vector<std::string> arguments_of(const std::string& call) {
  std::vector<std::string> arguments;
  const std::string separators = ",)";
  for (std::size_t at = call.find('('); at < call.size() && call[at] != ')'; at = call.find_first_of(separators, at)) {
    at = call.find_first_not_of(' ', at + 1);
    if (at == std::string::npos) break;
    arguments.push_back(call.substr(at, call.find_first_of(separators, at) - at));
  }
  return arguments;
}

// Tasks by names that tell them apart: "burstRead(destinations)" where several tasks are of one function, by the first
// argument that is another in each.
std::vector<std::string> labels(const std::vector<emulator::TaskStats>& tasks) {
  std::vector<std::string> labels;
  for (const emulator::TaskStats& task : tasks) {
    std::vector<std::vector<std::string>> others;
    for (const emulator::TaskStats& other : tasks) {
      if (other.name == task.name && other.call != task.call) others.push_back(arguments_of(other.call));
    }
    const std::vector<std::string> own = arguments_of(task.call);
    std::size_t at = 0;
    const auto is_same = [&](const auto& other) { return other.size() > at && other[at] == own[at]; };
    while (at < own.size() && std::any_of(others.begin(), others.end(), is_same)) ++at;
    labels.push_back(others.empty() || at == own.size() ? task.name : task.name + "(" + own[at] + ")");
  }
  return labels;
}

// Adds up by name; those of the first kernel are listed, or with `all` those of every one.
void add_uses(std::vector<StreamUse>& to_streams, std::vector<TaskUse>& to_tasks, const emulator::RunStats& stats,
              bool all) {
  std::unordered_map<std::string, StreamUse*> streams;
  std::unordered_map<std::string, TaskUse*> tasks;
  const std::vector<std::string> names = labels(stats.tasks);
  if (to_streams.empty() || all) {
    const auto is_new = [](const auto& listed, const std::string& name) {
      return std::none_of(listed.begin(), listed.end(), [&](const auto& one) { return one.name == name; });
    };
    for (const emulator::StreamStats& s : stats.streams) {
      if (is_new(to_streams, s.name)) to_streams.push_back({s.name, s.depth, 0, s.token_bytes, 0, 0, 0});
    }
    for (const std::string& name : names) {
      if (is_new(to_tasks, name)) to_tasks.push_back({name, 0, 0, 0, 0});
    }
  }
  for (StreamUse& stream : to_streams) streams[stream.name] = &stream;
  for (TaskUse& task : to_tasks) tasks[task.name] = &task;
  for (const emulator::StreamStats& s : stats.streams) {
    const auto found = streams.find(s.name);
    if (found == streams.end()) continue;
    StreamUse& use = *found->second;
    use.most = std::max(use.most, s.most);
    use.tokens += s.num_tokens;
    use.reader_waited += s.reader_waited;
    use.writer_waited += s.writer_waited;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const emulator::TaskStats& t = stats.tasks[i];
    const auto found = tasks.find(names[i]);
    if (found == tasks.end()) continue;
    TaskUse& use = *found->second;
    const std::uint64_t waited = t.waited_in + t.waited_out + t.waited_memory;
    use.busy += t.finish - std::min<std::uint64_t>(waited, t.finish);
    use.waited_in += t.waited_in;
    use.waited_out += t.waited_out;
    use.waited_memory += t.waited_memory;
  }
}

}  // namespace

void add_statistics(Prediction& prediction, const KernelConfig& config, const KernelTiming& timing, bool all) {
  add_uses(prediction.streams, prediction.tasks, timing.stats, all);
  const std::string prefix = config.pe_stream;
  prediction.source_edges += timing.edges;
  for (const emulator::StreamStats& s : timing.stats.streams) {
    if (s.name == kLineStream) {
      prediction.source_lines += s.num_tokens - (config.is_published ? 1 : 0);  // there with an end token
    }
    if (s.name.compare(0, prefix.size(), prefix) != 0 || s.name[prefix.size()] != '[') continue;
    const auto pe = static_cast<std::size_t>(std::stoi(s.name.substr(prefix.size() + 1)));
    if (prediction.pe_updates.size() <= pe) prediction.pe_updates.resize(pe + 1);
    const std::uint64_t ends = std::max<std::size_t>(1, timing.sub_partition_ends.size());
    prediction.pe_updates[pe] += s.num_tokens - std::min<std::uint64_t>(ends, s.num_tokens);
  }
}

void add_apply_statistics(Prediction& prediction, const KernelTiming& timing) {
  add_uses(prediction.apply_streams, prediction.apply_tasks, timing.stats, false);
}

}  // namespace predict
}  // namespace gaspipe
