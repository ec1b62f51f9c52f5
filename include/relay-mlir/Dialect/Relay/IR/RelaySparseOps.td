//===- RelaySparseOps.td - Operators on sparse tensors -----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats: COO is a list of positions and one of values. CSR holds the values
// of a matrix row by row, their columns in `indices`, and in `indptr` where
// each row begins (one more than there are rows). BSR is CSR of blocks: data is
// (blocks, block rows, block columns).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

def Relay_IntegerVector
    : 1DTensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;

//===----------------------------------------------------------------------===//
// COO
//===----------------------------------------------------------------------===//

def Relay_SparseToDenseOp : Relay_Operator<"sparse_to_dense", "Opaque"> {
  let summary = "A dense tensor from positions and values";
  let description = [{
    `sparse_indices` is (n, rank), or for a vector (n) or a scalar;
    `sparse_values` is (n), or a scalar for all positions. Elsewhere the result
    is `default_value`. A later value replaces an earlier one at the same
    position.

    Example:

    ```mlir
    %0 = relay.sparse_to_dense %at, %values, %zero {output_shape = [8, 16]}
        : (tensor<5x2xi32>, tensor<5xf32>, tensor<f32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$sparse_indices,
                       Relay_Tensor:$sparse_values, Relay_Scalar:$default_value,
                       DenseI64ArrayAttr:$output_shape);
}

def Relay_SparseFillEmptyRowsOp
    : Relay_Operator<"sparse_fill_empty_rows", "Opaque"> {
  let summary = "Gives each empty row one value";
  let description = [{
    A COO tensor of integers: `sparse_indices` (n, rank), `sparse_values` (n),
    `dense_shape` (rank), and `default_value`, a scalar or vector of one
    element. The result is a tuple of int64: indices (?, rank) and values (?), in the
    order of rows, with `default_value` at column 0 of each row that had none,
    and a vector that is 1 for these rows and 0 for others (?, the number of
    rows).

    Example:

    ```mlir
    %0 = relay.sparse_fill_empty_rows %at, %values, %shape, %fill
        : (tensor<5x2xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>)
        -> tuple<tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$sparse_indices,
                       Relay_IntegerVector:$sparse_values,
                       Relay_IntegerVector:$dense_shape,
                       Relay_IntegerTensor:$default_value);
  let results = (outs AnyTuple:$result);
}

def Relay_SparseReshapeOp : Relay_Operator<"sparse_reshape", "Injective"> {
  let summary = "The positions of a COO tensor in another shape";
  let description = [{
    `sparse_indices` is (n, rank), `prev_shape` (rank), `new_shape` (new rank),
    of which one value may be -1, inferred. The result is a tuple of the indices
    (n, new rank) and the new shape. An index beyond the size of its dimension
    counts on in the next row, as far as the tensor has one; the same shape
    leaves all indices as they are.

    Example:

    ```mlir
    %0 = relay.sparse_reshape %at, %old, %new
        : (tensor<5x2xi64>, tensor<2xi64>, tensor<3xi64>)
        -> tuple<tensor<5x3xi64>, tensor<3xi64>>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$sparse_indices,
                       Relay_IntegerVector:$prev_shape,
                       Relay_IntegerVector:$new_shape);
  let results = (outs AnyTuple:$result);
}

//===----------------------------------------------------------------------===//
// CSR and BSR
//===----------------------------------------------------------------------===//

class Relay_SparseDenseOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = "Product of a dense and a sparse matrix" # what;
  let description = [{
    The sparse matrix is CSR (data of rank 1) or BSR (rank 3). The result is
    dense * sparse^T, (rows of dense, rows of sparse), or with `sparse_lhs`
    sparse * dense^T, (rows of sparse, rows of dense).
  }] # example;
  code inference = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferSparseDense(
          location, adaptor.getOperands(), adaptor.getSparseLhs(), types);
    }
  }];
  let extraClassDefinition = inference;
}

def Relay_NNSparseDenseOp : Relay_SparseDenseOp<"nn.sparse_dense", ""> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.sparse_dense %x, %data, %cols, %rows
        : (tensor<8x512xf32>, tensor<640x16x1xf32>, tensor<640xi32>,
           tensor<65xi32>)
        -> tensor<8x1024xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$dense_data, Relay_Tensor:$sparse_data,
                       Relay_IntegerVector:$sparse_indices,
                       Relay_IntegerVector:$sparse_indptr,
                       Relay_DefaultBool<"false">:$sparse_lhs);
}

def Relay_NNInternalSparseDensePaddedOp
    : Relay_SparseDenseOp<"nn.internal.sparse_dense_padded",
                          ", whose rows may be padded"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.internal.sparse_dense_padded %x, %data, %cols, %rows
        : (tensor<8x512xf32>, tensor<5120xf32>, tensor<5120xi32>,
           tensor<1025xi32>)
        -> tensor<8x1024xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight_data,
                       Relay_IntegerVector:$weight_indices,
                       Relay_IntegerVector:$weight_indptr,
                       Relay_DefaultBool<"false">:$sparse_lhs);
}

def Relay_NNSparseTransposeOp
    : Relay_Operator<"nn.sparse_transpose", "OutEWiseFusable"> {
  let summary = "The transpose of a square CSR matrix, in CSR";
  let description = [{
    The result is a tuple of the types of the three operands.

    Example:

    ```mlir
    %0 = relay.nn.sparse_transpose %data, %cols, %rows
        : (tensor<100xf32>, tensor<100xi32>, tensor<17xi32>)
        -> tuple<tensor<100xf32>, tensor<100xi32>, tensor<17xi32>>
    ```
  }];
  let arguments = (ins Relay_Vector:$sparse_data,
                       Relay_IntegerVector:$sparse_indices,
                       Relay_IntegerVector:$sparse_indptr);
  let results = (outs AnyTuple:$result);
}

def Relay_NNSparseAddOp : Relay_SameTypeOperator<"nn.sparse_add", "Opaque"> {
  let summary = "Sum of a dense and a CSR matrix";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.sparse_add %x, %data, %cols, %rows
        : (tensor<16x32xf32>, tensor<100xf32>, tensor<100xi32>, tensor<17xi32>)
        -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$dense_data, Relay_Vector:$sparse_data,
                       Relay_IntegerVector:$sparse_indices,
                       Relay_IntegerVector:$sparse_indptr);
  let check = [{::mlir::relay::detail::checkSparseAdd(
      location, adaptor.getOperands())}];
}

def Relay_NNSparseConv2dOp
    : Relay_Operator<"nn.sparse_conv2d", "OutEWiseFusable"> {
  let summary = "Convolution with a sparse weight";
  let description = [{
    The weight is a BSR matrix of (output channels, inputs), where data may also
    be (blocks, block rows), of block columns 1, or CSR. For `kernel_size` 1x1
    the inputs are the channels of a pixel. For 3x3, with one pixel of zeros
    around the image, they are (kernel row, kernel column, channel). `layout` is
    NHWC or NCHW.

    Example:

    ```mlir
    %0 = relay.nn.sparse_conv2d %x, %data, %cols, %rows
        : (tensor<1x28x28x64xf32>, tensor<80x16x1xf32>, tensor<80xi32>,
           tensor<9xi32>)
        -> tensor<1x28x28x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$dense_data, Relay_Tensor:$sparse_data,
                       Relay_IntegerVector:$sparse_indices,
                       Relay_IntegerVector:$sparse_indptr,
                       Relay_DefaultStr<"NHWC">:$layout,
                       Relay_DefaultInts<"{1, 1}">:$kernel_size);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_TD
