//===- ModelFiles.cpp - The files of an ONNX model ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relay::onnx;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// True if `filePath` lies below `folder`; both are real paths.
static bool isBelow(StringRef filePath, StringRef folder) {
  return filePath.consume_front(folder) &&
         (folder.ends_with("/") || filePath.starts_with("/"));
}

llvm::Expected<std::string>
mlir::relay::onnx::findExternalData(StringRef modelPath, StringRef location) {
  auto makeOutsideError = [&] {
    return llvm::createStringError("external data location \"" + location +
                                   "\" does not lie beside the model");
  };
  if (location.empty())
    return llvm::createStringError("external data has no location");
  if (path::is_absolute(location) ||
      llvm::is_contained(
          llvm::make_range(path::begin(location), path::end(location)), ".."))
    return makeOutsideError();

  SmallString<256> folder(path::parent_path(modelPath));
  if (folder.empty())
    folder = ".";
  SmallString<256> given(folder), real, realFolder, realModel;
  path::append(given, location);
  std::error_code error = fs::real_path(given, real);
  if (!error)
    error = fs::real_path(folder, realFolder);
  if (error)
    return llvm::createStringError("cannot read external data file \"" + given +
                                   "\": " + error.message());
  if (isBelow(real, realFolder))
    return real.str().str();
  if (!fs::real_path(modelPath, realModel) &&
      isBelow(real, path::parent_path(realModel)))
    return real.str().str();
  return makeOutsideError();
}
