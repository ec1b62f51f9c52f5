// Object detection: result types, and unknown sizes.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @get_valid_counts(
// CHECK:         relay.vision.get_valid_counts %arg0, %arg1 {id_index = -1} : (tensor<?x9x6xf32>, tensor<f32>) -> tuple<tensor<?xi32>, tensor<?x9x6xf32>, tensor<?x9xi32>>
func.func @get_valid_counts(%a0: tensor<?x9x6xf32>, %a1: tensor<f32>) -> tuple<tensor<?xi32>, tensor<?x?x?xf32>, tensor<?x?xi32>> {
  %r = relay.vision.get_valid_counts %a0, %a1 {id_index = -1, score_index = 1} : (tensor<?x9x6xf32>, tensor<f32>) -> tuple<tensor<?xi32>, tensor<?x?x?xf32>, tensor<?x?xi32>>
  return %r : tuple<tensor<?xi32>, tensor<?x?x?xf32>, tensor<?x?xi32>>
}

// CHECK-LABEL: func.func @non_max_suppression(
// CHECK:         relay.vision.non_max_suppression {{.*}} -> tuple<tensor<2x9xi32>, tensor<2x1xi32>>
func.func @non_max_suppression(%a0: tensor<2x9x6xf32>, %a1: tensor<2xi32>, %a2: tensor<2x?xi32>, %a3: tensor<i32>, %a4: tensor<f32>) -> tuple<tensor<?x?xi32>, tensor<?x?xi32>> {
  %r = relay.vision.non_max_suppression %a0, %a1, %a2, %a3, %a4 {top_k = 5} : (tensor<2x9x6xf32>, tensor<2xi32>, tensor<2x?xi32>, tensor<i32>, tensor<f32>) -> tuple<tensor<?x?xi32>, tensor<?x?xi32>>
  return %r : tuple<tensor<?x?xi32>, tensor<?x?xi32>>
}

// CHECK-LABEL: func.func @all_class_onnx(
// CHECK:         relay.vision.all_class_non_max_suppression {{.*}} -> tuple<tensor<54x3xi64>, tensor<1xi64>>
func.func @all_class_onnx(%a0: tensor<2x9x4xf32>, %a1: tensor<?x3x9xf32>, %a2: tensor<i64>, %a3: tensor<f32>, %a4: tensor<f32>) -> tuple<tensor<?x?xi64>, tensor<?xi64>> {
  %r = relay.vision.all_class_non_max_suppression %a0, %a1, %a2, %a3, %a4 : (tensor<2x9x4xf32>, tensor<?x3x9xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tuple<tensor<?x?xi64>, tensor<?xi64>>
  return %r : tuple<tensor<?x?xi64>, tensor<?xi64>>
}

// CHECK-LABEL: func.func @all_class_tensorflow(
// CHECK:         relay.vision.all_class_non_max_suppression {{.*}} -> tuple<tensor<2x?x2xi64>, tensor<2x?xf32>, tensor<2xi64>>
func.func @all_class_tensorflow(%a0: tensor<2x?x4xf32>, %a1: tensor<2x3x?xf32>, %a2: tensor<i64>, %a3: tensor<f32>, %a4: tensor<f32>) -> tuple<tensor<?x?x?xi64>, tensor<?x?xf32>, tensor<?xi64>> {
  %r = relay.vision.all_class_non_max_suppression %a0, %a1, %a2, %a3, %a4 {output_format = "tensorflow"} : (tensor<2x?x4xf32>, tensor<2x3x?xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tuple<tensor<?x?x?xi64>, tensor<?x?xf32>, tensor<?xi64>>
  return %r : tuple<tensor<?x?x?xi64>, tensor<?x?xf32>, tensor<?xi64>>
}

// CHECK-LABEL: func.func @regular(
// CHECK:         relay.vision.regular_non_max_suppression {{.*}} -> tuple<tensor<2x7x4xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2xi32>>
func.func @regular(%a0: tensor<2x?x4xf32>, %a1: tensor<?x9x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>> {
  %r = relay.vision.regular_non_max_suppression %a0, %a1 {iou_threshold = 0.5, max_detections = 7, max_detections_per_class = 5, num_classes = 3, score_threshold = 0.1} : (tensor<2x?x4xf32>, tensor<?x9x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>>
  return %r : tuple<tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>>
}

// CHECK-LABEL: func.func @multibox_transform_loc(
// CHECK:         relay.vision.multibox_transform_loc %arg0, %arg1, %arg2 : (tensor<2x3x?xf32>, tensor<?x36xf32>, tensor<1x9x4xf32>) -> tuple<tensor<2x9x6xf32>, tensor<2xi32>>
func.func @multibox_transform_loc(%a0: tensor<2x3x?xf32>, %a1: tensor<?x36xf32>, %a2: tensor<1x9x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?xi32>> {
  %r = relay.vision.multibox_transform_loc %a0, %a1, %a2 {variances = [0.1, 0.1, 0.2, 0.2]} : (tensor<2x3x?xf32>, tensor<?x36xf32>, tensor<1x9x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?xi32>>
  return %r : tuple<tensor<?x?x?xf32>, tensor<?xi32>>
}

// CHECK-LABEL: func.func @non_max_suppression_data(
// CHECK:         relay.vision.non_max_suppression {{.*}} -> tensor<?x9x5xf32>
func.func @non_max_suppression_data(%a0: tensor<?x9x5xf32>, %a1: tensor<2xi32>, %a2: tensor<2x?xi32>, %a3: tensor<i32>, %a4: tensor<f32>) -> tensor<?x?x?xf32> {
  %r = relay.vision.non_max_suppression %a0, %a1, %a2, %a3, %a4 {coord_start = 1, id_index = -1, return_indices = false, score_index = 0} : (tensor<?x9x5xf32>, tensor<2xi32>, tensor<2x?xi32>, tensor<i32>, tensor<f32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @roi_align(
// CHECK:         relay.vision.roi_align {{.*}} -> tensor<?x3x2x3xf32>
func.func @roi_align(%a0: tensor<1x3x?x8xf32>, %a1: tensor<?x5xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.vision.roi_align %a0, %a1 {pooled_size = [2, 3], spatial_scale = 0.5} : (tensor<1x3x?x8xf32>, tensor<?x5xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @roi_pool(
// CHECK:         relay.vision.roi_pool {{.*}} -> tensor<4x2x3x3xf32>
func.func @roi_pool(%a0: tensor<1x8x8x3xf32>, %a1: tensor<4x5xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.vision.roi_pool %a0, %a1 {layout = "NHWC", pooled_size = [2, 3], spatial_scale = 1.0} : (tensor<1x8x8x3xf32>, tensor<4x5xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @proposal(
// CHECK:         relay.vision.proposal {{.*}} -> tensor<600x5xf32>
func.func @proposal(%a0: tensor<?x24x4x5xf32>, %a1: tensor<2x48x?x5xf32>, %a2: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %r = relay.vision.proposal %a0, %a1, %a2 : (tensor<?x24x4x5xf32>, tensor<2x48x?x5xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @multibox_prior(
// CHECK:         relay.vision.multibox_prior {{.*}} -> tensor<1x60x4xf32>
func.func @multibox_prior(%a0: tensor<1x3x4x5xf32>) -> tensor<?x?x?xf32> {
  %r = relay.vision.multibox_prior %a0 {ratios = [1.0, 2.0], sizes = [0.5, 0.2]} : (tensor<1x3x4x5xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @yolo_reorg(
// CHECK:         relay.vision.yolo_reorg {{.*}} -> tensor<?x32x2x3xf32>
func.func @yolo_reorg(%a0: tensor<?x8x4x6xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.vision.yolo_reorg %a0 {stride = 2} : (tensor<?x8x4x6xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
