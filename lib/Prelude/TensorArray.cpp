//===- TensorArray.cpp - Arrays of tensors, as Relay text -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Prelude/Prelude.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

/// The largest rank of a tensor that knows its rank at run time only.
static constexpr unsigned maxRank = 6;

ArrayRef<StringRef> mlir::relay::getTensorArrayDTypes() {
  static constexpr StringRef types[] = {"float32", "float16", "float64",
                                        "int32",   "uint8",   "int8",
                                        "int16",   "uint16",  "int64"};
  return types;
}

namespace {

/// Fills in templates: `$X` is replaced by the text for the letter X.
class TextBuilder {
public:
  void set(char letter, const Twine &text) { texts[letter - 'A'] = text.str(); }

  void add(StringRef pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '$')
        result += texts[pattern[++i] - 'A'];
      else
        result += pattern[i];
    }
  }

  std::string result = "#[version = \"0.0.5\"]\n";

private:
  std::string texts[26];
};

} // namespace

/// "(?, 2, 3)"; the empty shape is "()".
static std::string getShapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, size] : enumerate(shape))
    text += (i ? ", " : "") + (size < 0 ? "?" : std::to_string(size));
  // Also of one size: "(?)" is a shape of rank 1.
  return text + ")";
}

static std::string getTensorText(StringRef dtype, ArrayRef<int64_t> shape) {
  return ("Tensor[" + getShapeText(shape) + ", " + dtype + "]").str();
}

/// Adds a partial match on the constructors of ranks `first` to `last`; `$K` in
/// `pattern` is the rank, `$M` one more.
static void addRankCases(TextBuilder &text, unsigned first, unsigned last,
                         StringRef pattern) {
  for (unsigned rank = first; rank <= last; ++rank) {
    text.set('K', Twine(rank));
    text.set('M', Twine(rank + 1));
    text.add(pattern);
  }
}

//===----------------------------------------------------------------------===//
// Tensors of any rank
//===----------------------------------------------------------------------===//

/// Operations on single tensors.
static void addTensorOperations(TextBuilder &text) {
  text.add(R"(
/* The rows from %lower up to, but not with, %upper. */
def @tensor_take_$D(%t: tensor_$D_t, %lower: Tensor[(), int32], %upper: Tensor[(), int32]) -> tensor_$D_t {
  match? (%t) {
)");
  addRankCases(text, 1, maxRank,
               R"(    tensor$K_$D(%x) => {
      tensor$K_$D(take(%x, arange(%lower, %upper, 1, dtype="int32"), axis=0))
    },
)");
  text.add(R"(  }
}

/* A new dimension in front. */
def @tensor_expand_dims_$D(%t: tensor_$D_t) -> tensor_$D_t {
  match? (%t) {
)");
  addRankCases(
      text, 0, maxRank - 1,
      R"(    tensor$K_$D(%x) => { tensor$M_$D(expand_dims(%x, axis=0)) },
)");
  text.add(R"(  }
}

/* Joins along the first dimension. */
def @tensor_concatenate_$D(%x: tensor_$D_t, %y: tensor_$D_t) -> tensor_$D_t {
  match? ((%x, %y)) {
)");
  addRankCases(text, 1, 4,
               R"(    (tensor$K_$D(%a), tensor$K_$D(%b)) => {
      tensor$K_$D(concatenate((%a, %b), axis=0))
    },
)");
  text.add(R"(  }
}
)");
}

/// Between one tensor and the list of its rows.
static void addUnstack(TextBuilder &text) {
  SmallVector<int64_t> shape;
  for (unsigned rank = 1; rank <= maxRank; ++rank) {
    shape.push_back(-1);
    text.set('K', Twine(rank));
    text.set('M', Twine(rank - 1));
    text.set('S', getShapeText(shape));
    text.add(R"(
def @tensor_array_unstack_tensor$K_helper_$D(%i: Tensor[(), int32], %limit: Tensor[(), int32], %t: Tensor[$S, $D]) -> List[tensor_$D_t] {
  if (%i == %limit) {
    Nil
  } else {
    Cons(tensor$M_$D(take(%t, %i, axis=0)), @tensor_array_unstack_tensor$K_helper_$D(%i + 1, %limit, %t))
  }
}

/* The rows of a tensor. */
def @tensor_array_unstack_tensor$K_$D(%t: Tensor[$S, $D]) -> List[tensor_$D_t] {
  @tensor_array_unstack_tensor$K_helper_$D(0, take(shape_of(%t, dtype="int32"), 0, axis=0), %t)
}
)");
  }
}

static void addArrayOperations(TextBuilder &text) {
  text.add(R"(
/* %n tensors that are still to be written. */
def @tensor_array_$D(%n: Tensor[(), int32]) -> List[tensor_$D_t] {
  if (%n == 0) {
    Nil
  } else {
    Cons(tensor_nil_$D, @tensor_array_$D(%n - 1))
  }
}

def @tensor_array_read_$D(%array: List[tensor_$D_t], %n: Tensor[(), int32]) -> tensor_$D_t {
  @nth(%array, %n)
}

def @tensor_array_write_$D(%array: List[tensor_$D_t], %n: Tensor[(), int32], %v: tensor_$D_t) -> List[tensor_$D_t] {
  @update(%array, %n, %v)
}

def @tensor_array_scatter_helper_$D(%array: List[tensor_$D_t], %i: Tensor[(), int32], %limit: Tensor[(), int32], %indices: Tensor[(?), int32], %values: List[tensor_$D_t]) -> List[tensor_$D_t] {
  if (%i == %limit) {
    %array
  } else {
    let %written = @tensor_array_write_$D(%array, take(%indices, %i, axis=0), @tensor_array_read_$D(%values, %i));
    @tensor_array_scatter_helper_$D(%written, %i + 1, %limit, %indices, %values)
  }
}

/* Writes element i of %values at index %indices[i]. */
def @tensor_array_scatter_$D(%array: List[tensor_$D_t], %indices: Tensor[(?), int32], %values: List[tensor_$D_t]) -> List[tensor_$D_t] {
  @tensor_array_scatter_helper_$D(%array, 0, take(shape_of(%indices, dtype="int32"), 0, axis=0), %indices, %values)
}

def @ta_split_helper_$D(%array: List[tensor_$D_t], %value: tensor_$D_t, %offset: Tensor[(), int32], %i: Tensor[(), int32], %limit: Tensor[(), int32], %lengths: Tensor[(?), int32]) -> List[tensor_$D_t] {
  if (%i == %limit) {
    %array
  } else {
    let %end = %offset + take(%lengths, %i, axis=0);
    let %written = @tensor_array_write_$D(%array, %i, @tensor_take_$D(%value, %offset, %end));
    @ta_split_helper_$D(%written, %value, %end, %i + 1, %limit, %lengths)
  }
}

/* Writes the first %lengths[0] rows of %value at index 0, and so on. */
def @tensor_array_split_$D(%array: List[tensor_$D_t], %value: tensor_$D_t, %lengths: Tensor[(?), int32]) -> List[tensor_$D_t] {
  @ta_split_helper_$D(%array, %value, 0, 0, take(shape_of(%lengths, dtype="int32"), 0, axis=0), %lengths)
}

/* Joins all, of which there must be one at least, along the first dimension. */
def @tensor_array_concat_$D(%array: List[tensor_$D_t]) -> tensor_$D_t {
  @foldl(@tensor_concatenate_$D, @hd(%array), @tl(%array))
}

/* Joins all along a new first dimension. */
def @tensor_array_stack_$D(%array: List[tensor_$D_t]) -> tensor_$D_t {
  @tensor_array_concat_$D(@map(@tensor_expand_dims_$D, %array))
}
)");
}

std::string mlir::relay::getTensorArrayText(StringRef dtype) {
  TextBuilder text;
  text.set('D', dtype);
  text.add(R"(
/* A tensor of a rank up to 6, or one that is still to be written. */
type tensor_$D_t {
  tensor_nil_$D,
  tensor0_$D($D),
)");
  SmallVector<int64_t> shape;
  for (unsigned rank = 1; rank <= maxRank; ++rank) {
    shape.push_back(-1);
    text.set('K', Twine(rank));
    text.set('S', getTensorText(dtype, shape));
    text.add("  tensor$K_$D($S),\n");
  }
  text.add("}\n");
  addTensorOperations(text);
  addUnstack(text);
  addArrayOperations(text);
  return std::move(text.result);
}

//===----------------------------------------------------------------------===//
// Tensors of one shape
//===----------------------------------------------------------------------===//

/// "float32_2_any", what the names of definitions for a shape end with.
static std::string getSuffix(StringRef dtype, ArrayRef<int64_t> shape) {
  std::string suffix = dtype.str();
  if (shape.empty())
    suffix += "_scalar";
  for (int64_t size : shape)
    suffix += size < 0 ? "_any" : "_" + std::to_string(size);
  return suffix;
}

namespace {

/// Builds the definitions for one element type.
///
/// In templates, X is the suffix of the shape, S its tensor type; R and U are
/// those of a tensor of any number of rows of that shape, B and C of a stack;
/// for rank 1 and more, P and Q of a tensor with any number of this one's rows.
class StaticTensorArray {
public:
  StaticTensorArray(StringRef dtype, ArrayRef<int64_t> shape, int64_t batchSize,
                    function_ref<bool(StringRef)> isDefined)
      : dtype(dtype), shape(shape), batchSize(batchSize), isDefined(isDefined) {
  }

  std::string build();

private:
  void setShape(char suffix, char type, ArrayRef<int64_t> ofShape) {
    text.set(suffix, getSuffix(dtype, ofShape));
    text.set(type, getTensorText(dtype, ofShape));
  }
  /// Adds the definition of `name` followed by the suffix of `ofShape`.
  void define(StringRef name, ArrayRef<int64_t> ofShape, StringRef pattern) {
    std::string full = (name + "_" + getSuffix(dtype, ofShape)).str();
    if (defined.insert(full).second && !isDefined(full))
      text.add(pattern);
  }
  void addType(ArrayRef<int64_t> ofShape);
  void addConcatenate(ArrayRef<int64_t> ofShape);
  void addBasicOperations();
  void addStack();
  void addRows();

  StringRef dtype;
  ArrayRef<int64_t> shape;
  int64_t batchSize;
  function_ref<bool(StringRef)> isDefined;
  StringSet<> defined;
  TextBuilder text;
};

} // namespace

void StaticTensorArray::addType(ArrayRef<int64_t> ofShape) {
  setShape('Y', 'Z', ofShape);
  std::string name = "static_tensor_" + getSuffix(dtype, ofShape) + "_t";
  if (!defined.insert(name).second || isDefined(name))
    return;
  text.add(R"(
type static_tensor_$Y_t {
  tensor_nil_$Y,
  tensor_constructor_$Y($Z),
}
)");
}

/// Joins two tensors to one of any number of rows.
void StaticTensorArray::addConcatenate(ArrayRef<int64_t> ofShape) {
  SmallVector<int64_t> rows(ofShape);
  rows.front() = -1;
  setShape('Y', 'Z', ofShape);
  text.set('T', getSuffix(dtype, rows));
  define("tensor_concatenate", ofShape, R"(
def @tensor_concatenate_$Y(%x: static_tensor_$Y_t, %y: static_tensor_$Y_t) -> static_tensor_$T_t {
  match? ((%x, %y)) {
    (tensor_constructor_$Y(%a), tensor_constructor_$Y(%b)) => {
      tensor_constructor_$T(concatenate((%a, %b), axis=0))
    },
  }
}
)");
}

void StaticTensorArray::addBasicOperations() {
  define("tensor_get_data", shape, R"(
def @tensor_get_data_$X(%t: static_tensor_$X_t) -> $S {
  match? (%t) {
    tensor_constructor_$X(%x) => { %x },
  }
}
)");
  define("tensor_array", shape, R"(
def @tensor_array_$X(%n: Tensor[(), int32]) -> List[static_tensor_$X_t] {
  if (%n == 0) {
    Nil
  } else {
    Cons(tensor_nil_$X, @tensor_array_$X(%n - 1))
  }
}
)");
  define("tensor_array_read", shape, R"(
def @tensor_array_read_$X(%array: List[static_tensor_$X_t], %n: Tensor[(), int32]) -> static_tensor_$X_t {
  @nth(%array, %n)
}
)");
  define("tensor_array_write", shape, R"(
def @tensor_array_write_$X(%array: List[static_tensor_$X_t], %n: Tensor[(), int32], %v: static_tensor_$X_t) -> List[static_tensor_$X_t] {
  @update(%array, %n, %v)
}
)");
  define("tensor_array_scatter_helper", shape, R"(
def @tensor_array_scatter_helper_$X(%array: List[static_tensor_$X_t], %i: Tensor[(), int32], %limit: Tensor[(), int32], %indices: Tensor[(?), int32], %values: List[static_tensor_$X_t]) -> List[static_tensor_$X_t] {
  if (%i == %limit) {
    %array
  } else {
    let %written = @tensor_array_write_$X(%array, take(%indices, %i, axis=0), @tensor_array_read_$X(%values, %i));
    @tensor_array_scatter_helper_$X(%written, %i + 1, %limit, %indices, %values)
  }
}
)");
  define("tensor_array_scatter", shape, R"(
/* Writes element i of %values at index %indices[i]. */
def @tensor_array_scatter_$X(%array: List[static_tensor_$X_t], %indices: Tensor[(?), int32], %values: List[static_tensor_$X_t]) -> List[static_tensor_$X_t] {
  @tensor_array_scatter_helper_$X(%array, 0, take(shape_of(%indices, dtype="int32"), 0, axis=0), %indices, %values)
}
)");
}

/// Between the array and one tensor with its elements as rows.
void StaticTensorArray::addStack() {
  define("tensor_expand_dims", shape, R"(
/* A new dimension in front. */
def @tensor_expand_dims_$X(%t: static_tensor_$X_t) -> static_tensor_$R_t {
  match? (%t) {
    tensor_constructor_$X(%x) => { tensor_constructor_$R(expand_dims(%x, axis=0)) },
  }
}
)");
  define("tensor_array_stack", shape, R"(
/* Joins all, of which there must be one at least, along a new dimension. */
def @tensor_array_stack_$X(%array: List[static_tensor_$X_t]) -> static_tensor_$B_t {
  let %rows = @map(@tensor_expand_dims_$X, %array);
  match? (@foldl(@tensor_concatenate_$R, @hd(%rows), @tl(%rows))) {
    tensor_constructor_$R(%x) => { tensor_constructor_$B(%x) },
  }
}
)");
  define("tensor_array_gather_helper", shape, R"(
def @tensor_array_gather_helper_$X(%array: List[static_tensor_$X_t], %i: Tensor[(), int32], %limit: Tensor[(), int32], %indices: Tensor[(?), int32]) -> List[static_tensor_$X_t] {
  if (%i == %limit) {
    Nil
  } else {
    Cons(@tensor_array_read_$X(%array, take(%indices, %i, axis=0)), @tensor_array_gather_helper_$X(%array, %i + 1, %limit, %indices))
  }
}
)");
  define("tensor_array_gather", shape, R"(
/* The elements at %indices, joined along a new dimension. */
def @tensor_array_gather_$X(%array: List[static_tensor_$X_t], %indices: Tensor[(?), int32]) -> static_tensor_$B_t {
  @tensor_array_stack_$X(@tensor_array_gather_helper_$X(%array, 0, take(shape_of(%indices, dtype="int32"), 0, axis=0), %indices))
}
)");
}

/// Operations on the rows of tensors of rank 1 and more.
void StaticTensorArray::addRows() {
  define("tensor_array_unstack_helper", shape, R"(
def @tensor_array_unstack_helper_$X(%i: Tensor[(), int32], %limit: Tensor[(), int32], %t: $S) -> List[static_tensor_$E_t] {
  if (%i == %limit) {
    Nil
  } else {
    Cons(tensor_constructor_$E(take(%t, %i, axis=0)), @tensor_array_unstack_helper_$X(%i + 1, %limit, %t))
  }
}
)");
  define("tensor_array_unstack", shape, R"(
/* The rows of a tensor of this shape, as an array. */
def @tensor_array_unstack_$X(%t: $S) -> List[static_tensor_$E_t] {
  @tensor_array_unstack_helper_$X(0, take(shape_of(%t, dtype="int32"), 0, axis=0), %t)
}
)");
  define("tensor_take", shape, R"(
/* The rows from %lower up to, but not with, %upper. */
def @tensor_take_$X(%t: static_tensor_$X_t, %lower: Tensor[(), int32], %upper: Tensor[(), int32]) -> static_tensor_$P_t {
  match? (%t) {
    tensor_constructor_$X(%x) => {
      tensor_constructor_$P(take(%x, arange(%lower, %upper, 1, dtype="int32"), axis=0))
    },
  }
}
)");
  define("tensor_array_concat_helper", shape, R"(
def @tensor_array_concat_helper_$X(%joined: $Q, %array: List[static_tensor_$X_t]) -> $Q {
  match? (%array) {
    Cons(tensor_constructor_$X(%x), %rest) => {
      @tensor_array_concat_helper_$X(concatenate((%joined, %x), axis=0), %rest)
    },
    Nil => { %joined },
  }
}
)");
  define("tensor_array_concat", shape, R"(
/* Joins all, of which there must be one at least, along the first dimension. */
def @tensor_array_concat_$X(%array: List[static_tensor_$X_t]) -> static_tensor_$P_t {
  match? (%array) {
    Cons(tensor_constructor_$X(%x), %rest) => {
      tensor_constructor_$P(@tensor_array_concat_helper_$X(%x, %rest))
    },
  }
}
)");
  define("ta_split_helper", shape, R"(
def @ta_split_helper_$X(%array: List[static_tensor_$P_t], %value: static_tensor_$X_t, %offset: Tensor[(), int32], %i: Tensor[(), int32], %limit: Tensor[(), int32], %lengths: Tensor[(?), int32]) -> List[static_tensor_$P_t] {
  if (%i == %limit) {
    %array
  } else {
    let %end = %offset + take(%lengths, %i, axis=0);
    let %written = @update(%array, %i, @tensor_take_$X(%value, %offset, %end));
    @ta_split_helper_$X(%written, %value, %end, %i + 1, %limit, %lengths)
  }
}
)");
  define("tensor_array_split", shape, R"(
/* Writes the first %lengths[0] rows of %value at index 0, and so on. */
def @tensor_array_split_$X(%array: List[static_tensor_$P_t], %value: static_tensor_$X_t, %lengths: Tensor[(?), int32]) -> List[static_tensor_$P_t] {
  @ta_split_helper_$X(%array, %value, 0, 0, take(shape_of(%lengths, dtype="int32"), 0, axis=0), %lengths)
}
)");
}

std::string StaticTensorArray::build() {
  text.set('D', dtype);
  SmallVector<int64_t> rows{-1}, batch{batchSize}, slices(shape);
  rows.append(shape.begin(), shape.end());
  batch.append(shape.begin(), shape.end());
  if (!slices.empty())
    slices.front() = -1;
  setShape('X', 'S', shape);
  setShape('R', 'U', rows);
  setShape('B', 'C', batch);
  setShape('P', 'Q', slices);

  addType(shape);
  addType(rows);
  addType(batch);
  addType(slices);
  addBasicOperations();
  addConcatenate(rows);
  addStack();
  if (!shape.empty()) {
    setShape('E', 'F', shape.drop_front());
    addType(shape.drop_front());
    addConcatenate(shape);
    addRows();
  }
  return std::move(text.result);
}

std::string
mlir::relay::getStaticTensorArrayText(StringRef dtype, ArrayRef<int64_t> shape,
                                      int64_t batchSize,
                                      function_ref<bool(StringRef)> isDefined) {
  return StaticTensorArray(dtype, shape, batchSize, isDefined).build();
}
