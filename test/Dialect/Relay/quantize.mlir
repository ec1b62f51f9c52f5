// RUN: relay-opt %s --relay-quantize-partition | FileCheck %s --check-prefix=PARTITION
// RUN: relay-opt %s "--relay-quantize-annotate=skip-conv-layers=0" | FileCheck %s --check-prefix=ANNOTATE
// RUN: relay-opt %s "--relay-quantize-annotate=skip-values=6" | FileCheck %s --check-prefix=VALUES
// RUN: relay-opt %s --relay-quantize-annotate --relay-quantize-collect | FileCheck %s --check-prefix=COLLECT
// RUN: relay-opt %s --relay-quantize-annotate "--relay-quantize-calibrate=weight-scale=max thresholds=4,2,0" | FileCheck %s --check-prefix=CALIBRATE
// RUN: relay-opt %s --relay-quantize-annotate "--relay-quantize-calibrate" "--relay-quantize-realize=per-channel=true" --relay-fake-quantization-to-integer=use-qat=true | FileCheck %s --check-prefix=REALIZE

// Constants that are added, bounds and maxima stay with the convolution; the
// second one reads bytes, and so does whatever else there is.
// PARTITION:      %[[C:.*]] = relay.nn.conv2d
// PARTITION-NEXT: %[[A:.*]] = relay.add %[[C]]
// PARTITION-NEXT: %[[R:.*]] = relay.nn.relu %[[A]]
// PARTITION-NEXT: %[[H:.*]] = relay.annotation.cast_hint %[[R]] {dtype = i8}
// PARTITION-NEXT: %[[S:.*]] = relay.annotation.stop_fusion %[[H]]
// PARTITION-NEXT: %[[D:.*]] = relay.nn.conv2d %[[S]]
// PARTITION:      %[[E:.*]] = relay.annotation.stop_fusion
// PARTITION-NEXT: relay.add %[[E]], %[[S]]
// PARTITION:      relay.annotation.stop_fusion
// PARTITION:      relay.nn.global_avg_pool2d

// The first convolution stays as it is. A sum quantizes one side; what ends it
// reads bytes.
// ANNOTATE:     %[[C:.*]] = relay.nn.conv2d %arg0
// ANNOTATE:     %[[R:.*]] = relay.nn.relu
// ANNOTATE:     %[[Q:.*]] = relay.relay.op.annotation.simulated_quantize %[[R]], {{.*}} {kind = 1
// ANNOTATE:     %[[D:.*]] = relay.nn.conv2d %[[Q]], %[[W:[^ ]*]]
// ANNOTATE:     %[[S:.*]] = relay.add %[[D]], %{{.*}}
// ANNOTATE:     %[[F:.*]] = relay.relay.op.annotation.simulated_quantize %[[S]], {{.*}} {kind = 1
// ANNOTATE:     relay.nn.global_avg_pool2d %[[F]]

// Value 6 is what the second convolution computes: the sum is one of floats.
// VALUES:      relay.nn.conv2d
// VALUES:      %[[S:.*]] = relay.relay.op.annotation.simulated_quantize %{{.*}} {kind = 1
// VALUES-NEXT: %[[D:.*]] = relay.nn.conv2d %[[S]],
// VALUES-NEXT: %[[A:.*]] = relay.add %[[D]], %[[S]]
// VALUES-NEXT: relay.nn.global_avg_pool2d %[[A]]

// COLLECT-LABEL: func.func @main
// COLLECT-SAME:  -> tuple<tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>>
// COLLECT:       %[[T:.*]] = relay.tuple %arg0, %{{.*}}, %{{.*}}
// COLLECT-NEXT:  return %[[T]]

// 4 / 128; the largest weight, 0.75, / 128.
// CALIBRATE-DAG: relay.constant dense<3.125000e-02> : tensor<f32>
// CALIBRATE-DAG: relay.constant dense<0.005859375> : tensor<f32>
// CALIBRATE-DAG: relay.constant dense<-1.270000e+02> : tensor<f32>
// CALIBRATE-DAG: relay.constant dense<1.270000e+02> : tensor<f32>

// REALIZE:     relay.qnn.quantize %arg0
// REALIZE:     relay.clip %{{.*}} {a_max = 1.270000e+02, a_min = -1.270000e+02} : (tensor<1x2x4x4xi8>)
// REALIZE:     relay.qnn.conv2d
// REALIZE:     relay.maximum
// REALIZE:     relay.qnn.requantize
// REALIZE:     relay.qnn.conv2d
// REALIZE:     relay.qnn.requantize
// REALIZE-NOT: relay.relay.op
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32> {
  %w = relay.constant dense<[[[[0.5]], [[-0.75]]], [[[0.25]], [[0.125]]]]> : tensor<2x2x1x1xf32>
  %b = relay.constant dense<[[[0.5]], [[0.25]]]> : tensor<2x1x1xf32>
  %0 = relay.nn.conv2d %x, %w {} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = relay.add %0, %b : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = relay.nn.relu %1 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = relay.nn.conv2d %2, %w {} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %4 = relay.add %3, %2 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = relay.nn.global_avg_pool2d %4 : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  return %5 : tensor<1x2x1x1xf32>
}
