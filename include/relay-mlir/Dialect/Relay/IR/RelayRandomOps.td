//===- RelayRandomOps.td - Random numbers ------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYRANDOMOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYRANDOMOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

/// The state of a generator: four words of key, two of path, two of counter (of
/// which the second counts) and two with the place of the next bit of the path.
def Relay_RandomKey : RankedTensorOf<[UI64]>;

/// Random operators are pure: the same key gives the same numbers, and each
/// returns, beside its result, a key for the next one.
class Relay_RandomOperator<string mnemonic>
    : Relay_Operator<"random." # mnemonic, "Opaque"> {
  let results = (outs AnyTuple:$result);
}

def Relay_RandomThreefryGenerateOp : Relay_RandomOperator<"threefry_generate"> {
  let summary = "Random words";
  let description = [{
    Returns (key, words of `out_shape`). Four words at a time are a hash by
    Threefry (20 rounds on four 64-bit words, with the rotations of Skein; no
    key is added after the last round) of path and counter, each word plus the
    number of the four; the last of them may be cut off. The counter then grows
    by the words that were made. When it has no room for them, the path gets one
    bit longer and the counter starts at 0, and when the path has no room
    either, a new key is hashed from the old one and four words of ones.

    Example:

    ```mlir
    %0 = relay.random.threefry_generate %key {out_shape = [16]}
        : (tensor<10xui64>) -> tuple<tensor<10xui64>, tensor<16xui64>>
    ```
  }];
  let arguments = (ins Relay_RandomKey:$key, DenseI64ArrayAttr:$out_shape);
}

def Relay_RandomThreefrySplitOp : Relay_RandomOperator<"threefry_split"> {
  let summary = "Two keys for independent numbers from one";
  let description = [{
    Returns (left, right), which are `key` with a 0 and a 1 added to the path,
    or with a new key, hashed from the old one, path and counter, when the path
    has no room.

    Example:

    ```mlir
    %0 = relay.random.threefry_split %key
        : (tensor<10xui64>) -> tuple<tensor<10xui64>, tensor<10xui64>>
    ```
  }];
  let arguments = (ins Relay_RandomKey:$key);
}

class Relay_RandomFloatOp<string mnemonic, string what, string first,
                          string second>
    : Relay_RandomOperator<mnemonic> {
  let summary = what;
  let arguments = (ins Relay_RandomKey:$key, 0DTensorOf<[F32, F64]>:$low,
                       0DTensorOf<[F32, F64]>:$high,
                       DenseI64ArrayAttr:$out_shape,
                       Relay_OptionalDType:$out_dtype);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferRandomFloats(
          location, adaptor, "}] # first # [{", "}] # second # [{", types);
    }
  }];
}

def Relay_RandomUniformOp
    : Relay_RandomFloatOp<"uniform", "Numbers that are equally likely",
                          "low", "high"> {
  let description = [{
    Returns (key, tensor of `out_shape` and `out_dtype`, float32 or float64).
    The low 32 or all 64 bits of each word of random.threefry_generate give, by
    their highest 23 or 52, a number u in [0, 1); the result is
    u * (high - low) + low.

    Example:

    ```mlir
    %0 = relay.random.uniform %key, %low, %high
        {out_shape = [8, 128], out_dtype = f32}
        : (tensor<10xui64>, tensor<f32>, tensor<f32>)
        -> tuple<tensor<10xui64>, tensor<8x128xf32>>
    ```
  }];
}

def Relay_RandomNormalOp
    : Relay_RandomFloatOp<"normal", "Numbers with a normal distribution",
                          "mean", "scale"> {
  let description = [{
    Returns (key, tensor of `out_shape` and `out_dtype`, float32 or float64):
    sqrt(-2 log(1 - u)) * sin(2 pi v) * scale + mean, where u and v are the
    halves of random.uniform of (2, out_shape).

    Example:

    ```mlir
    %0 = relay.random.normal %key, %mean, %scale
        {out_shape = [8, 128], out_dtype = f32}
        : (tensor<10xui64>, tensor<f32>, tensor<f32>)
        -> tuple<tensor<10xui64>, tensor<8x128xf32>>
    ```
  }];
  let arguments = (ins Relay_RandomKey:$key, 0DTensorOf<[F32, F64]>:$mean,
                       0DTensorOf<[F32, F64]>:$scale,
                       DenseI64ArrayAttr:$out_shape,
                       Relay_OptionalDType:$out_dtype);
}

def Relay_RandomMultinomialOp : Relay_RandomOperator<"multinomial"> {
  let summary = "Indices with given probabilities";
  let description = [{
    Returns (key, int32 tensor of the shape of `probs` with `num_samples` for
    the last dimension). Along the last dimension `probs`, where negative ones
    count as 0, are divided by their sum and added up, in float32; a sample is
    the first index whose sum is above a number of random.uniform.

    Example:

    ```mlir
    %0 = relay.random.multinomial %key, %probs {num_samples = 5}
        : (tensor<10xui64>, tensor<8x1000xf32>)
        -> tuple<tensor<10xui64>, tensor<8x5xi32>>
    ```
  }];
  let arguments = (ins Relay_RandomKey:$key, Relay_Tensor:$probs,
                       Relay_DefaultInt<"1">:$num_samples);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYRANDOMOPS_TD
