# SPDX-License-Identifier: Apache-2.0
# Compiles the bindings for the Python whose headers lie in the folders of GASPIPE_WHEEL_HEADERS; its interpreter is not
# needed. Included by project() (CMAKE_PROJECT_INCLUDE), and once more when the targets are there.
if(NOT TARGET _core)
  # What is deferred sees the variables of its own time.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL include [[${CMAKE_CURRENT_LIST_FILE}]])")
  return()
endif()
separate_arguments(headers UNIX_COMMAND "${GASPIPE_WHEEL_HEADERS}")
target_include_directories(_core BEFORE PRIVATE ${headers})
if(TARGET _fpga)
  target_include_directories(_fpga BEFORE PRIVATE ${headers})
endif()
