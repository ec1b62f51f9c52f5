//===- RelayElementwiseOps.td - Elementwise operators ------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYELEMENTWISEOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYELEMENTWISEOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

class Relay_UnaryOp<string mnemonic, string what,
                    string type = "tensor<8x128xf32>", list<Trait> traits = []>
    : Relay_SameTypeOperator<mnemonic, "ElemWise",
                             [Relay_ElementwiseLayout] # traits> {
  let summary = "Elementwise " # what;
  let description = [{
    Example:

    ```mlir
    %0 = relay.}] # mnemonic # " %x : (" # type # ") -> " # type # [{
    ```
  }];
  let arguments = (ins Relay_Tensor:$data);
}

def Relay_LogOp : Relay_UnaryOp<"log", "natural logarithm">;
def Relay_Log2Op : Relay_UnaryOp<"log2", "logarithm to base 2">;
def Relay_Log10Op : Relay_UnaryOp<"log10", "logarithm to base 10">;
def Relay_TanOp : Relay_UnaryOp<"tan", "tangent">;
def Relay_CosOp : Relay_UnaryOp<"cos", "cosine">;
def Relay_CoshOp : Relay_UnaryOp<"cosh", "hyperbolic cosine">;
def Relay_SinOp : Relay_UnaryOp<"sin", "sine">;
def Relay_SinhOp : Relay_UnaryOp<"sinh", "hyperbolic sine">;
def Relay_AcosOp : Relay_UnaryOp<"acos", "arc cosine">;
def Relay_AcoshOp : Relay_UnaryOp<"acosh", "inverse hyperbolic cosine">;
def Relay_AsinOp : Relay_UnaryOp<"asin", "arc sine">;
def Relay_AsinhOp : Relay_UnaryOp<"asinh", "inverse hyperbolic sine">;
def Relay_AtanOp : Relay_UnaryOp<"atan", "arc tangent">;
def Relay_AtanhOp : Relay_UnaryOp<"atanh", "inverse hyperbolic tangent">;
def Relay_ExpOp : Relay_UnaryOp<"exp", "exponential">;
def Relay_FastExpOp : Relay_UnaryOp<"fast_exp", "exponential, approximate">;
def Relay_ErfOp : Relay_UnaryOp<"erf", "error function">;
def Relay_FastErfOp : Relay_UnaryOp<"fast_erf", "error function, approximate">;
def Relay_SqrtOp : Relay_UnaryOp<"sqrt", "square root">;
def Relay_RsqrtOp : Relay_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def Relay_ZerosLikeOp : Relay_UnaryOp<"zeros_like", "0">;
def Relay_OnesLikeOp : Relay_UnaryOp<"ones_like", "1">;
def Relay_SigmoidOp : Relay_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def Relay_CopyOp : Relay_UnaryOp<"copy", "copy">;
def Relay_FloorOp : Relay_UnaryOp<"floor", "largest integer not above x">;
def Relay_CeilOp : Relay_UnaryOp<"ceil", "smallest integer not below x">;
def Relay_TruncOp : Relay_UnaryOp<"trunc", "rounding toward zero">;
def Relay_RoundOp : Relay_UnaryOp<"round",
    "rounding to the nearest integer, halves away from zero">;
def Relay_SignOp : Relay_UnaryOp<"sign", "sign: -1, 0 or 1">;
def Relay_AbsOp : Relay_UnaryOp<"abs", "absolute value">;
def Relay_TanhOp : Relay_UnaryOp<"tanh", "hyperbolic tangent">;
def Relay_FastTanhOp : Relay_UnaryOp<"fast_tanh",
                                     "hyperbolic tangent, approximate">;
def Relay_NegativeOp : Relay_UnaryOp<"negative", "negation">;
def Relay_BitwiseNotOp : Relay_UnaryOp<"bitwise_not", "complement of the bits",
                                       "tensor<8x128xi32>"> {
  let arguments = (ins Relay_IntegerTensor:$data);
}

def Relay_LogicalNotOp
    : Relay_SameTypeOperator<"logical_not", "ElemWise",
                             [Relay_ElementwiseLayout]> {
  let summary = "Elementwise logical negation";
  let description = [{
    Example:

    ```mlir
    %0 = relay.logical_not %x : (tensor<8x128xi1>) -> tensor<8x128xi1>
    ```
  }];
  let arguments = (ins Relay_BoolTensor:$data);
}

def Relay_ClipOp
    : Relay_SameTypeOperator<"clip", "ElemWise", [Relay_ElementwiseLayout]> {
  let summary = "Elementwise min(max(x, a_min), a_max)";
  let description = [{
    Example:

    ```mlir
    %0 = relay.clip %x {a_min = 0.0, a_max = 6.0}
        : (tensor<1x32x112x112xf32>) -> tensor<1x32x112x112xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, F64Attr:$a_min, F64Attr:$a_max);
}

def Relay_FixedPointMultiplyOp
    : Relay_SameTypeOperator<"fixed_point_multiply", "ElemWise",
                             [Relay_ElementwiseLayout]> {
  let summary = "Elementwise product with a fixed-point number";
  let description = [{
    round(x * multiplier * 2^(shift - 31)), with `multiplier` in Q31; int32.
    `shift` is in [-31, 31].

    Example:

    ```mlir
    %0 = relay.fixed_point_multiply %x {multiplier = 1518500250, shift = -3}
        : (tensor<1x64x56x56xi32>) -> tensor<1x64x56x56xi32>
    ```
  }];
  let check = "::mlir::relay::detail::checkShift(location, adaptor.getShift())";
  let arguments = (ins RankedTensorOf<[I32]>:$data, Relay_IntAttr:$multiplier,
                       Relay_IntAttr:$shift);
}

/// A test of floating-point values: same shape, bool.
class Relay_FloatTestOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "ElemWise", [Relay_ElementwiseLayout]> {
  let summary = "Elementwise test for " # what;
  let description = [{
    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x : (tensor<8x128xf32>) -> tensor<8x128xi1>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(
          ::llvm::cast<::mlir::RankedTensorType>(adaptor.getData().getType())
              .clone(::mlir::IntegerType::get(context, 1)));
      return ::mlir::success();
    }
  }];
}

def Relay_IsnanOp : Relay_FloatTestOp<"isnan", "NaN">;
def Relay_IsfiniteOp : Relay_FloatTestOp<"isfinite", "finite values">;
def Relay_IsinfOp : Relay_FloatTestOp<"isinf", "infinities">;

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

/// Operands of one element type, shapes that broadcast as in NumPy.
class Relay_BroadcastOp<string mnemonic, string what, string inference,
                        string element, string resultElement>
    : Relay_Operator<mnemonic, "Broadcast",
                     [BroadcastOpInterface, Relay_ElementwiseLayout]> {
  let summary = "Elementwise " # what # ", with broadcasting";
  let description = [{
    Shapes are aligned at their last dimension; sizes that differ must be 1, in
    which case the element is repeated. Element types must be equal.
  }] # example;
  let example = [{
    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x, %y
        : (tensor<8x128x}] # element # ">, tensor<8x1x" # element
    # [{>) -> tensor<8x128x}] # resultElement # [{>
    ```
  }];
  let arguments = (ins Relay_Tensor:$lhs, Relay_Tensor:$rhs);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::}] # inference # [{(
          location, adaptor.getLhs().getType(), adaptor.getRhs().getType(),
          types);
    }
  }];
}

class Relay_BinaryOp<string mnemonic, string what, string element = "f32">
    : Relay_BroadcastOp<mnemonic, what, "inferBroadcast", element, element>;
class Relay_DivisionOp<string mnemonic, string what>
    : Relay_BinaryOp<mnemonic, what, "i32"> {
  let description = [{
    Shapes broadcast as of `relay.add`. A division of integers by 0 gives 0, as
    quotient and as remainder; of the lowest integer by -1, itself and 0.
  }] # example;
}
class Relay_LogicalOp<string mnemonic, string what>
    : Relay_BinaryOp<mnemonic, what, "i1"> {
  let arguments = (ins Relay_BoolTensor:$lhs, Relay_BoolTensor:$rhs);
}
class Relay_BitwiseOp<string mnemonic, string what>
    : Relay_BinaryOp<mnemonic, what, "i32"> {
  let arguments = (ins Relay_IntegerTensor:$lhs, Relay_IntegerTensor:$rhs);
}
class Relay_ComparisonOp<string mnemonic, string what>
    : Relay_BroadcastOp<mnemonic, what, "inferComparison", "f32", "i1">;

def Relay_AddOp : Relay_BinaryOp<"add", "sum">;
def Relay_SubtractOp : Relay_BinaryOp<"subtract", "difference">;
def Relay_MultiplyOp : Relay_BinaryOp<"multiply", "product">;
def Relay_DivideOp : Relay_DivisionOp<"divide",
                                      "quotient; of integers, truncated">;
def Relay_TruncDivideOp : Relay_DivisionOp<"trunc_divide",
                                           "quotient, truncated">;
def Relay_FloorDivideOp : Relay_DivisionOp<"floor_divide",
                                           "quotient, rounded down">;
def Relay_ModOp : Relay_DivisionOp<"mod",
    "remainder with the sign of lhs (as % in C)">;
def Relay_TruncModOp : Relay_DivisionOp<"trunc_mod",
                                        "remainder of truncated division">;
def Relay_FloorModOp : Relay_DivisionOp<"floor_mod",
    "remainder of floored division: a - floor(a / b) * b">;
def Relay_PowerOp : Relay_BinaryOp<"power", "power">;
def Relay_MaximumOp : Relay_BinaryOp<"maximum", "maximum">;
def Relay_MinimumOp : Relay_BinaryOp<"minimum", "minimum">;

def Relay_LogicalAndOp : Relay_LogicalOp<"logical_and", "and">;
def Relay_LogicalOrOp : Relay_LogicalOp<"logical_or", "or">;
def Relay_LogicalXorOp : Relay_LogicalOp<"logical_xor", "exclusive or">;
def Relay_BitwiseAndOp : Relay_BitwiseOp<"bitwise_and", "and of bits">;
def Relay_BitwiseOrOp : Relay_BitwiseOp<"bitwise_or", "or of bits">;
def Relay_BitwiseXorOp : Relay_BitwiseOp<"bitwise_xor", "exclusive or of bits">;
def Relay_LeftShiftOp : Relay_BitwiseOp<"left_shift", "shift to the left">;
def Relay_RightShiftOp : Relay_BitwiseOp<"right_shift", "shift to the right">;

def Relay_EqualOp : Relay_ComparisonOp<"equal", "a == b">;
def Relay_NotEqualOp : Relay_ComparisonOp<"not_equal", "a != b">;
def Relay_LessOp : Relay_ComparisonOp<"less", "a < b">;
def Relay_LessEqualOp : Relay_ComparisonOp<"less_equal", "a <= b">;
def Relay_GreaterOp : Relay_ComparisonOp<"greater", "a > b">;
def Relay_GreaterEqualOp : Relay_ComparisonOp<"greater_equal", "a >= b">;

//===----------------------------------------------------------------------===//
// Other elementwise operators
//===----------------------------------------------------------------------===//

def Relay_AssertOp : Relay_SameTypeOperator<"assert_op", "Injective"> {
  let summary = "Data, if a condition of the run holds";
  let description = [{
    Returns `data`, of any shape and type. Where an element of `condition`, of
    any shape, is false, the run ends with the error `message`; the condition
    holds if it has no elements. As an operator without effects it is removed,
    with its check, where nobody needs the result.

    Not an operator of TVM's Relay; Relax has `assert_op`.

    Example:

    ```mlir
    %1 = relay.assert_op %size, %isPositive
        {message = "expects a size of at least 1"}
        : (tensor<i64>, tensor<i1>) -> tensor<i64>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_BoolTensor:$condition,
                       StrAttr:$message);
}

def Relay_StringMapOp : Relay_SameTypeOperator<"string_map", "Opaque"> {
  let summary = "A function of strings, element by element";
  let description = [{
    Strings are numbers in the table of the run, which begins with the strings
    of the module (`relay.strings`) and to which strings are added as they are
    made: equal strings have equal numbers. Operands have one shape. `params`
    are numbers too; a text among them is one of the strings of the module.

    | `function` | operands | `params` | result |
    |---|---|---|---|
    | `concat` | two strings | | one after the other |
    | `lower`, `upper` | string | language, such as "en_US" | each code point in lower or upper case |
    | `split` | string | delimiter, greatest number of splits or -1 | list of what is between; without delimiter, between spaces |
    | `characters` | string | | list of its code points |
    | `find_all` | string | pattern, least number of code points | list of what matches a regular expression |
    | `split_all` | string | least number of code points, patterns | list of what is between matches, one pattern after the other |
    | `list_size` | list | | number of its strings |
    | `list_item` | list, position | string | that string, or the parameter where the list has none |
    | `full_match` | string | pattern | 1 if all of it matches, else 0 |
    | `parse_int`, `parse_uint` | string | | the integer it says |
    | `parse_float` | string | 32 or 64 | the bits of an f64, rounded to so many bits |
    | `format_int`, `format_uint` | integer | | its decimal digits |
    | `format_float` | bits of an f64 | digits | the number with so many digits at most |
    | `hash` | string | seed | MurmurHash3 of its bytes, 32 bits |
    | `less` | two strings | | 1 if the first one comes first, by bytes |

    Lists are numbers for their own functions. Patterns are those of RE2;
    `find_all` and `split_all` take the longest match. A string that is none of
    the table, or not what a function parses, ends the run with an error.

    Not an operator of TVM's Relay.

    Example:

    ```mlir
    %0 = relay.string_map %a, %b {function = "concat"}
        : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    ```
  }];
  let check = [{::mlir::relay::detail::checkStringMap(
      location, adaptor.getData(), adaptor.getFunction(),
      adaptor.getParams())}];
  let arguments = (ins Variadic<RankedTensorOf<[I64]>>:$data,
                       StrAttr:$function, Relay_DefaultInts<"{}">:$params);
}

def Relay_CastOp
    : Relay_Operator<"cast", "ElemWise", [Relay_ElementwiseLayout]> {
  let summary = "Conversion to another element type";
  let description = [{
    Floating-point values become integers by truncation; those beyond the range
    of the type become the nearest end of it, and NaN becomes 0. Of integers,
    the low bits stay. Anything becomes bool by comparison with zero.

    Example:

    ```mlir
    %0 = relay.cast %x {dtype = i8} : (tensor<8x128xf32>) -> tensor<8x128xi8>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, TypeAttr:$dtype);
  let hasFolder = 1;
}

def Relay_WhereOp
    : Relay_Operator<"where", "Broadcast", [Relay_ElementwiseLayout]> {
  let summary = "x where the condition is not zero, else y";
  let description = [{
    The three shapes broadcast together; x and y have one element type.

    Example:

    ```mlir
    %0 = relay.where %mask, %x, %y
        : (tensor<8x1xi1>, tensor<8x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$condition, Relay_Tensor:$x,
                       Relay_Tensor:$y);
}

def Relay_NNReluOp
    : Relay_UnaryOp<"nn.relu", "max(x, 0)", "tensor<8x128xf32>",
                    [Relay_PositivelyHomogeneous]>;

def Relay_NNLeakyReluOp
    : Relay_SameTypeOperator<"nn.leaky_relu", "ElemWise",
                             [Relay_ElementwiseLayout,
                              Relay_PositivelyHomogeneous]> {
  let summary = "Elementwise x if x > 0, else alpha * x";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.leaky_relu %x {alpha = 0.1}
        : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data,
                       Relay_DefaultFloat<"0.25">:$alpha);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYELEMENTWISEOPS_TD
