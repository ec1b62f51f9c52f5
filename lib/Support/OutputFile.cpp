//===- OutputFile.cpp - Write whole files or none -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/OutputFile.h"

#include "relay-mlir/Support/FileDescriptor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::relay;
using llvm::StringRef;

/// Calls `attempt` with names beside `path` until one is free.
static std::error_code
tryNames(StringRef path, std::string &name,
         llvm::function_ref<int(const char *name)> attempt) {
  static std::atomic<unsigned> counter{0};
  for (int i = 0; i < 1000; ++i) {
    name = path.str() + ".tmp" + std::to_string(::getpid()) + "-" +
           std::to_string(counter++);
    if (attempt(name.c_str()) >= 0)
      return {};
    if (errno != EEXIST)
      break;
  }
  return getSystemError();
}

/// Gives the file `from` the name `to`, which another file may have.
static std::error_code rename(const std::string &from, const std::string &to) {
#ifdef RENAME_EXCHANGE
  // Some file systems write a file to disk before it replaces another one, but
  // not when two change their names.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                  RENAME_EXCHANGE) == 0)
    // What was replaced is old, and others may have tidied it away.
    return ::unlink(from.c_str()) == 0 || errno == ENOENT ? std::error_code()
                                                          : getSystemError();
#endif
  return ::rename(from.c_str(), to.c_str()) == 0 ? std::error_code()
                                                 : getSystemError();
}

static std::error_code renameOrRemove(const std::string &from,
                                      const std::string &to) {
  std::error_code error = rename(from, to);
  if (error)
    ::unlink(from.c_str());
  return error;
}

/// Names the nameless `file`.
static std::error_code publish(int file, const std::string &path) {
  std::string self = "/proc/self/fd/" + std::to_string(file);
  auto link = [&](const char *name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  };
  if (link(path.c_str()) == 0)
    return {};
  if (errno != EEXIST)
    return getSystemError();
  std::string name;
  if (std::error_code error = tryNames(path, name, link))
    return error;
  return renameOrRemove(name, path);
}

static std::error_code copyTo(const std::string &path, int file) {
  FileDescriptor target(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status;
  if (target.get() < 0 || ::fstat(file, &status) != 0)
    return getSystemError();
  std::vector<char> buffer(1 << 16);
  for (uint64_t done = 0, size = status.st_size; done < size;) {
    llvm::MutableArrayRef<char> bytes(
        buffer.data(), std::min<uint64_t>(buffer.size(), size - done));
    if (std::error_code error = readAt(file, bytes, done))
      return error;
    done += bytes.size();
    while (!bytes.empty()) {
      ssize_t count = ::write(target.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return getSystemError();
      bytes = bytes.drop_front(count);
    }
  }
  return {};
}

std::error_code mlir::relay::writeOutputFile(StringRef output, unsigned mode,
                                             WriteFileFn write) {
  std::string path = output.str();
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISREG(status.st_mode) && status.st_nlink == 0) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_TRUNC | O_CLOEXEC));
    return file.get() < 0 ? getSystemError() : write(file.get());
  }
  if (exists && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      return std::make_error_code(std::errc::is_a_directory);
    llvm::ErrorOr<FileDescriptor> file =
        FileDescriptor::createInMemory("output");
    if (!file)
      return file.getError();
    std::error_code error = write(file->get());
    return error ? error : copyTo(path, file->get());
  }

  StringRef folder = llvm::sys::path::parent_path(output);
#ifdef O_TMPFILE
  FileDescriptor file(::open(folder.empty() ? "." : folder.str().c_str(),
                             O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (file.get() >= 0) {
    if (std::error_code error = write(file.get()))
      return error;
    return publish(file.get(), path);
  }
  // Not every file system can do that.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return getSystemError();
#endif
  std::string name;
  int descriptor = -1;
  auto create = [&](const char *name) {
    descriptor = ::open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
    return descriptor;
  };
  if (std::error_code error = tryNames(path, name, create))
    return error;
  FileDescriptor named(descriptor);
  if (std::error_code error = write(named.get())) {
    ::unlink(name.c_str());
    return error;
  }
  return renameOrRemove(name, path);
}

std::error_code mlir::relay::writeOutputText(
    StringRef path,
    llvm::function_ref<llvm::LogicalResult(llvm::raw_ostream &os)> write) {
  auto writeTo = [&](llvm::raw_fd_ostream &os) {
    bool isCanceled = failed(write(os));
    os.flush();
    std::error_code error = os.error();
    // Or the stream ends the process when it goes.
    os.clear_error();
    return isCanceled ? std::make_error_code(std::errc::operation_canceled)
                      : error;
  };
  // Others may have written to this stream, and their text comes first.
  if (path == "-")
    return writeTo(llvm::outs());
  return writeOutputFile(path, 0666, [&](int file) {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/false);
    return writeTo(os);
  });
}

llvm::LogicalResult mlir::relay::finishStandardOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (!error)
    return llvm::success();
  llvm::errs() << "error: cannot write standard output: " << error.message()
               << '\n';
  return llvm::failure();
}
