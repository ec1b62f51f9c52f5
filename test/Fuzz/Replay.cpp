//===- Replay.cpp - Runs a fuzz target on files ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of fuzz targets where libFuzzer does not bring it.
// Arguments are files, and folders of files; those that begin with - are
// libFuzzer's.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    std::filesystem::path path = argv[i];
    if (argv[i][0] == '-')
      continue;
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file())
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &path : files) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      std::cerr << "error: cannot open " << path << "\n";
      return 1;
    }
    std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    // The last line, if the target does not return.
    std::cerr << path.string() << std::endl;
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
  }
  std::cout << "ran " << files.size() << " files\n";
  return files.empty();
}
