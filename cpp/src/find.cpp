// SPDX-License-Identifier: Apache-2.0
// Look-ups in the registries, with the known names in the error.
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/domain.h"
#include "gaspipe/partition.h"
#include "gaspipe/run.h"
#include "gaspipe/schedule.h"

namespace gaspipe {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

const abi::Program& find_program(const std::string& name) {
  std::vector<std::string> known;
  for (const NamedProgram& program : programs()) {
    if (name == program.name) return *program.table();
    known.push_back(program.name);
  }
  throw InputError(message("there is no algorithm \"", name, "\"; known are ", joined(known)));
}

const CpuAlgorithm& find_cpu_algorithm(const std::string& name) {
  std::vector<std::string> known;
  for (const CpuAlgorithm* algorithm : cpu_algorithms()) {
    if (name == algorithm->program.name) return *algorithm;
    known.push_back(algorithm->program.name);
  }
  throw InputError(message("there is no algorithm \"", name, "\" of the CPU; known are ", joined(known)));
}

const Partitioner& find_partitioner(const std::string& name) {
  std::vector<std::string> known;
  for (const Partitioner& partitioner : partitioners()) {
    if (name == partitioner.name) return partitioner;
    known.push_back(partitioner.name);
  }
  throw InputError(message("there is no partitioner \"", name, "\"; known are ", joined(known)));
}

const DomainStrategy& find_domain_strategy(const std::string& name) {
  std::vector<std::string> known;
  for (const DomainStrategy& strategy : domain_strategies()) {
    if (name == strategy.name) return strategy;
    known.push_back(strategy.name);
  }
  throw InputError(message("there is no domain strategy \"", name, "\"; known are ", joined(known)));
}

Scheduler make_scheduler(const std::string& name) {
  std::vector<std::string> known;
  for (const NamedScheduler& scheduler : schedulers()) {
    if (name == scheduler.name) return scheduler.make();
    known.push_back(scheduler.name);
  }
  throw InputError(message("there is no scheduler \"", name, "\"; known are ", joined(known)));
}

}  // namespace gaspipe
