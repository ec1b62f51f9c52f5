// RUN: relay-opt %s --relay-quantize-errors | FileCheck %s --check-prefix=ERRORS
// RUN: relay-opt %s "--relay-quantize-correct-biases=errors=1,2,3,4,5,6,7,8" | FileCheck %s --check-prefix=CORRECT
// RUN: not relay-opt %s "--relay-quantize-correct-biases=errors=1,2,3" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relay-opt %s "--relay-quantize-correct-biases=errors=1,nan" 2>&1 | FileCheck %s --check-prefix=FINITE
// NUMBER: expects an error for each of 8 channels of products, but got 3
// FINITE: expects errors that are finite, but got {{.*}}nan

// Each product of floats, less that of rounded data; all that comes before is
// floats.
// ERRORS-LABEL: func.func @main
// ERRORS-SAME:  -> tuple<tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>>
// ERRORS:       %[[D:.*]] = relay.qnn.dequantize
// ERRORS:       %[[F:.*]] = relay.nn.dense %arg0, %{{.*}}
// ERRORS-NEXT:  %[[Q:.*]] = relay.nn.dense %[[D]], %{{.*}}
// ERRORS-NEXT:  %[[E:.*]] = relay.subtract %[[F]], %[[Q]]
// ERRORS-NEXT:  %[[M:.*]] = relay.mean %[[E]] {axis = [1], exclude = true}
// ERRORS:       %[[A:.*]] = relay.add %[[F]]
// ERRORS:       relay.nn.dense %[[A]], %{{.*}}
// ERRORS:       %[[T:.*]] = relay.tuple %[[M]], %{{.*}}, %{{.*}}, %{{.*}}
// ERRORS:       return %[[T]]

// Biases take errors in; where there is none, they are added. A product of
// floats has none.
// CORRECT:     %[[X:.*]] = relay.nn.dense
// CORRECT:     %[[B:.*]] = relay.constant dense<[1.500000e+00, 2.250000e+00]> : tensor<2xf32>
// CORRECT:     relay.add %[[X]], %[[B]]
// CORRECT:     %[[Y:.*]] = relay.nn.dense
// CORRECT:     %[[C:.*]] = relay.constant dense<[3.500000e+00, 4.250000e+00]> : tensor<2xf32>
// CORRECT:     relay.nn.bias_add %[[Y]], %[[C]]
// CORRECT:     %[[Z:.*]] = relay.nn.dense
// CORRECT:     %[[N:.*]] = relay.constant dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CORRECT:     %[[S:.*]] = relay.add %[[Z]], %[[N]]
// CORRECT:     %[[L:.*]] = relay.nn.dense %[[S]]
// CORRECT:     return %[[L]]
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %w = relay.constant dense<[[1.0, 0.5], [0.25, 2.0]]> : tensor<2x2xf32>
  %b = relay.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %q0 = relay.qnn.quantize %x, %s, %z {out_dtype = i8} : (tensor<?x2xf32>, tensor<f32>, tensor<i32>) -> tensor<?x2xi8>
  %c0 = relay.clip %q0 {a_max = 127.0, a_min = -127.0} : (tensor<?x2xi8>) -> tensor<?x2xi8>
  %d0 = relay.qnn.dequantize %c0, %s, %z {out_dtype = f32} : (tensor<?x2xi8>, tensor<f32>, tensor<i32>) -> tensor<?x2xf32>
  %0 = relay.nn.dense %d0, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %1 = relay.add %0, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %q1 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<?x2xf32>, tensor<f32>, tensor<i32>) -> tensor<?x2xi8>
  %d1 = relay.qnn.dequantize %q1, %s, %z {out_dtype = f32} : (tensor<?x2xi8>, tensor<f32>, tensor<i32>) -> tensor<?x2xf32>
  %2 = relay.nn.dense %d1, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %3 = relay.nn.bias_add %2, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %q3 = relay.qnn.quantize %3, %s, %z {out_dtype = i8} : (tensor<?x2xf32>, tensor<f32>, tensor<i32>) -> tensor<?x2xi8>
  %d3 = relay.qnn.dequantize %q3, %s, %z {out_dtype = f32} : (tensor<?x2xi8>, tensor<f32>, tensor<i32>) -> tensor<?x2xf32>
  %4 = relay.nn.dense %d3, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %5 = relay.nn.dense %4, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %5 : tensor<?x2xf32>
}
