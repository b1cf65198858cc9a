// SPDX-License-Identifier: Apache-2.0
// Folders of files: their names, and their end. Those of <filesystem> end the process where memory is short.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/error.h"

namespace gaspipe {

using FolderStream = std::unique_ptr<DIR, int (*)(DIR*)>;

// Of all in it but . and ..; `what` was under way.
inline std::vector<std::string> names_in(DIR* stream, const std::string& folder, const char* what) {
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(stream);
    if (entry == nullptr && errno != 0) throw FileError(errno, what, folder);
    if (entry == nullptr) return names;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
}
inline std::vector<std::string> names_in(const std::string& folder, const char* what) {
  const FolderStream stream(::opendir(folder.c_str()), ::closedir);
  if (!stream) throw FileError(errno, what, folder);
  return names_in(stream.get(), folder, what);
}

// With its files, where it is there and they can be removed. A link is removed, not what it leads to.
inline void remove_folder(const std::string& folder, const char* what) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    ::unlink(folder.c_str());
    return;
  }
  const FolderStream stream(::fdopendir(descriptor), ::closedir);
  if (!stream) {
    ::close(descriptor);
    return;
  }
  for (const std::string& name : names_in(stream.get(), folder, what)) ::unlinkat(descriptor, name.c_str(), 0);
  ::rmdir(folder.c_str());
}

}  // namespace gaspipe
