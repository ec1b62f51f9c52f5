//===- FileDescriptor.cpp - Open files ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/FileDescriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::relay;

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) {
  std::swap(file, other.file);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (file >= 0)
    ::close(file);
}

std::error_code mlir::relay::getSystemError() {
  return std::error_code(errno, std::generic_category());
}

// Since Linux 6.3, which has a setting that refuses files without it. It is
// about execve(), not about mapping code.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

llvm::ErrorOr<FileDescriptor>
FileDescriptor::createInMemory(llvm::StringRef name) {
  std::string text = name.take_front(200).str();
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int file = ::memfd_create(text.c_str(), flags | MFD_NOEXEC_SEAL);
  if (file < 0 && errno == EINVAL)
    file = ::memfd_create(text.c_str(), flags);
  if (file < 0)
    return getSystemError();
  return FileDescriptor(file);
}

std::error_code FileDescriptor::seal() {
  constexpr int seals =
      F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  return ::fcntl(file, F_ADD_SEALS, seals) == 0 ? std::error_code()
                                                : getSystemError();
}

std::error_code mlir::relay::readAt(int file, llvm::MutableArrayRef<char> bytes,
                                    uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t count = ::pread(file, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return getSystemError();
    if (count == 0)
      return std::make_error_code(std::errc::io_error);
    bytes = bytes.drop_front(count);
    offset += count;
  }
  return {};
}

llvm::ErrorOr<std::vector<char>> mlir::relay::readAll(int file) {
  struct stat status;
  if (::fstat(file, &status) != 0)
    return getSystemError();
  std::vector<char> bytes(status.st_size);
  if (std::error_code error = readAt(file, bytes, 0))
    return error;
  return bytes;
}

std::error_code mlir::relay::writeAt(int file, llvm::ArrayRef<char> bytes,
                                     uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? getSystemError()
                       : std::make_error_code(std::errc::io_error);
    bytes = bytes.drop_front(count);
    offset += count;
  }
  return {};
}
