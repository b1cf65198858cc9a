# SPDX-License-Identifier: Apache-2.0
# In a mutated tree in place of tests/CMakeLists.txt: the C++ tests that reach mutants, without what they do not need of
# the library: modules, laws of hooks, and what partitions and schedules, a program each.
find_package(GTest REQUIRED)
set(CMAKE_CXX_STANDARD 17)

function(add_program name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/cpp/include)
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main OpenMP::OpenMP_CXX)
  # What else the sources name is never called.
  target_link_options(${name} PRIVATE -no-pie -Wl,--unresolved-symbols=ignore-all)
endfunction()

file(GLOB sources ${CMAKE_CURRENT_SOURCE_DIR}/hls/module/*_test.cpp)
add_program(module_mutants ${sources})
set(sources "")
foreach(name IN LISTS GASPIPE_ALGORITHMS)
  configure_file(hls/laws_test.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/laws/${name}_test.cpp @ONLY)
  list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/laws/${name}_test.cpp)
endforeach()
set(core ${PROJECT_SOURCE_DIR}/cpp/src)
file(GLOB more ${CMAKE_CURRENT_SOURCE_DIR}/hls/algorithm/*_test.cpp)
add_program(law_mutants ${sources} ${more} ${core}/graph/csr.cpp ${core}/workers.cpp ${core}/team.cpp)

file(GLOB sources ${CMAKE_CURRENT_SOURCE_DIR}/cpp/schedule/*_test.cpp ${core}/partition/*.cpp ${core}/schedule/*.cpp)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ways.cpp "#include \"gaspipe/partition.h\"\n#include \"gaspipe/schedule.h\"
namespace gaspipe {
namespace partitioner {
std::vector<EdgeCount> balanced(const abi::Partition&, std::uint32_t);
std::vector<EdgeCount> equal(const abi::Partition&, std::uint32_t);
}
namespace scheduler {
Scheduler equal_cycles();
Scheduler in_order();
Scheduler longest_first();
}
const std::vector<Partitioner>& partitioners() {
  static const std::vector<Partitioner> all = {{\"balanced\", partitioner::balanced}, {\"equal\", partitioner::equal}};
  return all;
}
const std::vector<NamedScheduler>& schedulers() {
  static const std::vector<NamedScheduler> all = {{\"equal_cycles\", scheduler::equal_cycles},
      {\"in_order\", scheduler::in_order}, {\"longest_first\", scheduler::longest_first}};
  return all;
}
}
")
add_program(partition_mutants ${CMAKE_CURRENT_SOURCE_DIR}/cpp/graph/partition_test.cpp ${sources} ${core}/find.cpp
            ${core}/schedule.cpp ${core}/workers.cpp ${core}/team.cpp ${core}/graph/partition.cpp ${core}/graph/graph.cpp
            ${core}/graph/csr.cpp ${CMAKE_CURRENT_BINARY_DIR}/ways.cpp)
