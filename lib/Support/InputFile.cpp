//===- InputFile.cpp - Read files that may change -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/InputFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

using namespace mlir::relay;

namespace {
class InputFileCategory final : public std::error_category {
  const char *name() const noexcept override { return "input file"; }
  std::string message(int code) const override {
    return code == S_IFDIR    ? "is a directory"
           : code == S_IFIFO  ? "expects a file, but got a pipe"
           : code == S_IFSOCK ? "expects a file, but got a socket"
           : code == S_IFREG  ? "the file changed while it was read"
                              : "expects a file, but got a device";
  }
};
} // namespace

/// The error that says why a file of this type cannot be read.
static std::error_code makeError(int type) {
  static const InputFileCategory category;
  return std::error_code(type, category);
}

std::error_code InputFile::read(llvm::MutableArrayRef<char> bytes,
                                uint64_t offset) const {
  std::error_code error = readAt(file.get(), bytes, offset);
  struct stat status;
  if (error && ::fstat(file.get(), &status) == 0 &&
      static_cast<uint64_t>(status.st_size) < offset + bytes.size())
    return makeError(S_IFREG);
  return error;
}

llvm::ErrorOr<InputFile> InputFile::open(llvm::StringRef path) {
  InputFile result;
  result.file = FileDescriptor(
      ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (result.file.get() < 0 || ::fstat(result.file.get(), &status) != 0)
    return getSystemError();
  if (!S_ISREG(status.st_mode))
    return makeError(status.st_mode & S_IFMT);
  result.size = status.st_size;
  return result;
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
mlir::relay::readInputFile(llvm::StringRef path) {
  llvm::ErrorOr<InputFile> file = InputFile::open(path);
  if (!file)
    return file.getError();
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->getSize(), path);
  if (!buffer)
    return std::make_error_code(std::errc::not_enough_memory);
  if (std::error_code error = file->read(buffer->getBuffer(), 0))
    return error;
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(buffer));
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
mlir::relay::readInputText(llvm::StringRef path) {
  if (path == "-")
    return llvm::MemoryBuffer::getSTDIN();
  // A device such as /dev/zero has no end. Nothing at all is no text, but says
  // so itself.
  struct stat status;
  if (path != "/dev/null" && ::stat(path.str().c_str(), &status) == 0 &&
      (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
    return makeError(status.st_mode & S_IFMT);
  // Read: of a file that is mapped, another program may cut off pages.
  return llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/true,
                                     /*IsVolatile=*/true);
}
