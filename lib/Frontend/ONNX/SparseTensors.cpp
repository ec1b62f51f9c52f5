//===- SparseTensors.cpp - Sparse tensors of a model ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseTensors.h"

#include "Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace mlir::relay::onnx;

static std::string describeDims(ArrayRef<int64_t> dims) {
  return "[" +
         join(map_range(dims, [](int64_t dim) { return itostr(dim); }), ", ") +
         "]";
}

/// The bytes of the elements of `tensor`. Those in other files, and types of
/// which a byte has several elements, are not supported.
static Expected<StringRef> getElementBytes(const Tensor &tensor,
                                           const Twine &what) {
  std::optional<int64_t> count = tensor.getNumElements();
  std::optional<unsigned> size = getElementSize(tensor.type);
  if (!tensor.bytes || !size || getElementsPerByte(tensor.type) != 1)
    return createStringError(what + " of " + getDataTypeName(tensor.type) +
                             (tensor.external ? " in another file" : "") +
                             " are not supported");
  // A product could overflow.
  if (!count || tensor.bytes->size() % *size ||
      tensor.bytes->size() / *size != uint64_t(*count))
    return createStringError("expects as many " + what + " as its shape " +
                             describeDims(tensor.dims) + " says, but got " +
                             Twine(tensor.bytes->size()) + " bytes of " +
                             getDataTypeName(tensor.type));
  return StringRef(*tensor.bytes);
}

static Expected<Tensor> fill(const Tensor &values, const Tensor &indices,
                             ArrayRef<int64_t> dims) {
  Expected<StringRef> from = getElementBytes(values, "values");
  if (!from)
    return from.takeError();
  if (indices.type != DataType::Int64)
    return createStringError("expects indices of INT64, but got " +
                             getDataTypeName(indices.type));
  Expected<StringRef> positions = getElementBytes(indices, "indices");
  if (!positions)
    return positions.takeError();

  int64_t rank = dims.size();
  bool isFlat = indices.dims.size() == 1;
  if (values.dims.size() != 1 || indices.dims.empty() ||
      indices.dims.front() != values.dims.front() ||
      (!isFlat && (indices.dims.size() != 2 || indices.dims[1] != rank)))
    return createStringError(
        "expects values of shape [n] and indices of shape [n] or [n, " +
        Twine(rank) + "], but got " + describeDims(values.dims) + " and " +
        describeDims(indices.dims));

  Tensor dense;
  dense.name = values.name;
  dense.type = values.type;
  dense.dims.assign(dims.begin(), dims.end());
  std::optional<int64_t> count = dense.getNumElements();
  int64_t given = values.dims.front();
  // A few bytes must not ask for any amount of memory.
  if (!count || *count > given * kMaxElementsOfSparseValue + kMaxMadeUpElements)
    return createStringError(
        "expects a shape of at most " + Twine(kMaxElementsOfSparseValue) +
        " elements for each value, but got " + describeDims(dims) + " for " +
        Twine(given) + " values");

  size_t size = *getElementSize(values.type);
  std::string bytes(*count * size, '\0');
  int64_t previous = -1;
  for (int64_t index : seq(given)) {
    ArrayRef<int64_t> bounds = isFlat ? ArrayRef(*count) : dims;
    int64_t position = 0;
    for (auto [axis, bound] : enumerate(bounds)) {
      int64_t entry = support::endian::read64le(
          positions->data() + 8 * (index * bounds.size() + axis));
      if (entry < 0 || entry >= bound)
        return createStringError("expects indices in [0, " + Twine(bound) +
                                 "), but got " + Twine(entry));
      position = position * bound + entry;
    }
    if (position <= previous)
      return createStringError("expects indices that ascend, but element " +
                               Twine(index) +
                               " does not follow the one before");
    previous = position;
    copy(from->substr(index * size, size), bytes.data() + position * size);
  }
  dense.bytes = std::make_shared<const std::string>(std::move(bytes));
  return dense;
}

Expected<Tensor> mlir::relay::onnx::makeDense(const Tensor &values,
                                              const Tensor &indices,
                                              ArrayRef<int64_t> dims) {
  Expected<Tensor> dense = fill(values, indices, dims);
  if (dense)
    return dense;
  return createStringError("sparse tensor \"" + values.name +
                           "\": " + toString(dense.takeError()));
}
