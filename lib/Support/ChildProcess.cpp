//===- ChildProcess.cpp - Run a program to its end ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ChildProcess.h"

#include "relay-mlir/Support/FileDescriptor.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::relay;

llvm::ErrorOr<ExitStatus>
mlir::relay::runChild(llvm::StringRef path, llvm::ArrayRef<std::string> args,
                      llvm::ArrayRef<int> files) {
  // Copies whose numbers are beyond those that the child gets, so that none is
  // overwritten before it is handed over.
  int firstFree = static_cast<int>(files.size()) + 3;
  std::vector<FileDescriptor> copies;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (int error = posix_spawn_file_actions_init(&actions))
    return std::error_code(error, std::generic_category());
  if (int error = posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return std::error_code(error, std::generic_category());
  }
  auto spawn = [&](pid_t &child) -> int {
    for (int i = 0, e = static_cast<int>(files.size()); i != e; ++i) {
      int error = 0;
      if (files[i] < 0) {
        error = posix_spawn_file_actions_addopen(&actions, i, "/dev/null",
                                                 O_RDWR, 0);
      } else {
        copies.emplace_back(::fcntl(files[i], F_DUPFD_CLOEXEC, firstFree));
        if (copies.back().get() < 0)
          return errno;
        error =
            posix_spawn_file_actions_adddup2(&actions, copies.back().get(), i);
      }
      if (error)
        return error;
    }
    // The calling thread may have blocked signals that should end the child.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<char *> argv;
    for (const std::string &arg : args)
      argv.push_back(const_cast<char *>(arg.c_str()));
    argv.push_back(nullptr);
    return posix_spawn(&child, path.str().c_str(), &actions, &attributes,
                       argv.data(), environ);
  };
  pid_t child = 0;
  int error = spawn(child);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error)
    return std::error_code(error, std::generic_category());

  int status = 0;
  pid_t ended;
  do
    ended = ::waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  ExitStatus result;
  if (ended == child && WIFEXITED(status))
    result.code = WEXITSTATUS(status);
  else if (ended == child && WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  return result;
}
