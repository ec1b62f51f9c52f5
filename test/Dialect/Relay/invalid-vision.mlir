// Object detection that makes no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @vision_get_valid_counts(%a0: tensor<2x9x6xf32>, %a1: tensor<f32>) {
  // expected-error @below {{expects score_index in the range [0, 6), but got 6}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.get_valid_counts %a0, %a1 {score_index = 6} : (tensor<2x9x6xf32>, tensor<f32>) -> tuple<tensor<2xi32>, tensor<2x9x6xf32>, tensor<2x9xi32>>
  return
}

// -----

func.func @vision_non_max_suppression(%a0: tensor<2x9x6xf32>, %a1: tensor<3xi32>, %a2: tensor<2x9xi32>, %a3: tensor<i32>, %a4: tensor<f32>) {
  // expected-error @below {{expects valid_count of size 2 along dimension 0, but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.non_max_suppression %a0, %a1, %a2, %a3, %a4 : (tensor<2x9x6xf32>, tensor<3xi32>, tensor<2x9xi32>, tensor<i32>, tensor<f32>) -> tuple<tensor<2x9xi32>, tensor<2x1xi32>>
  return
}

// -----

func.func @vision_non_max_suppression(%a0: tensor<2x9x5xf32>, %a1: tensor<2xi32>, %a2: tensor<2x9xi32>, %a3: tensor<i32>, %a4: tensor<f32>) {
  // expected-error @below {{expects coord_start in the range [0, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.non_max_suppression %a0, %a1, %a2, %a3, %a4 : (tensor<2x9x5xf32>, tensor<2xi32>, tensor<2x9xi32>, tensor<i32>, tensor<f32>) -> tuple<tensor<2x9xi32>, tensor<2x1xi32>>
  return
}

// -----

func.func @vision_all_class_non_max_suppression(%a0: tensor<2x9x4xf32>, %a1: tensor<2x3x8xf32>, %a2: tensor<i64>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @below {{expects scores of size 9 along dimension 2, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.all_class_non_max_suppression %a0, %a1, %a2, %a3, %a4 : (tensor<2x9x4xf32>, tensor<2x3x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tuple<tensor<54x3xi64>, tensor<1xi64>>
  return
}

// -----

func.func @vision_all_class_non_max_suppression(%a0: tensor<2x9x4xf32>, %a1: tensor<2x3x9xf32>, %a2: tensor<i64>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @below {{expects output_format to be one of onnx, tensorflow, but got torch}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.all_class_non_max_suppression %a0, %a1, %a2, %a3, %a4 {output_format = "torch"} : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tuple<tensor<54x3xi64>, tensor<1xi64>>
  return
}

// -----

func.func @vision_regular_non_max_suppression(%a0: tensor<2x9x4xf32>, %a1: tensor<2x9x2xf32>) {
  // expected-error @below {{expects scores of at least 3 classes, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.regular_non_max_suppression %a0, %a1 {iou_threshold = 0.5, max_detections = 7, max_detections_per_class = 5, num_classes = 3, score_threshold = 0.1} : (tensor<2x9x4xf32>, tensor<2x9x2xf32>) -> tuple<tensor<2x7x4xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2xi32>>
  return
}

// -----

func.func @vision_roi_align(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x4xf32>) {
  // expected-error @below {{expects rois of size 5 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.roi_align %a0, %a1 {pooled_size = [2, 3], spatial_scale = 0.5} : (tensor<1x3x8x8xf32>, tensor<4x4xf32>) -> tensor<4x3x2x3xf32>
  return
}

// -----

func.func @vision_roi_align(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x5xf32>) {
  // expected-error @below {{expects mode to be one of avg, max, but got min}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.roi_align %a0, %a1 {mode = "min", pooled_size = [2, 3], spatial_scale = 0.5} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>) -> tensor<4x3x2x3xf32>
  return
}

// -----

func.func @vision_roi_pool(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x5xf32>) {
  // expected-error @below {{expects 2 positive pooled_size, but got [2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.roi_pool %a0, %a1 {pooled_size = [2], spatial_scale = 0.5} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>) -> tensor<4x3x2x3xf32>
  return
}

// -----

func.func @vision_proposal(%a0: tensor<2x20x4x5xf32>, %a1: tensor<2x48x4x5xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @below {{expects cls_prob of size 24 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.proposal %a0, %a1, %a2 : (tensor<2x20x4x5xf32>, tensor<2x48x4x5xf32>, tensor<2x3xf32>) -> tensor<600x5xf32>
  return
}

// -----

func.func @vision_multibox_prior(%a0: tensor<1x3x4x5xf32>) {
  // expected-error @below {{expects 2 steps and 2 offsets, but got 1 and 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.multibox_prior %a0 {steps = [1.0]} : (tensor<1x3x4x5xf32>) -> tensor<1x20x4xf32>
  return
}

// -----

func.func @vision_multibox_transform_loc(%a0: tensor<2x3x9xf32>, %a1: tensor<2x32xf32>, %a2: tensor<1x9x4xf32>) {
  // expected-error @below {{expects loc_pred of size 36 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.multibox_transform_loc %a0, %a1, %a2 : (tensor<2x3x9xf32>, tensor<2x32xf32>, tensor<1x9x4xf32>) -> tuple<tensor<2x9x6xf32>, tensor<2xi32>>
  return
}

// -----

func.func @vision_yolo_reorg(%a0: tensor<2x6x4x4xf32>) {
  // expected-error @below {{expects a size divisible by 4 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vision.yolo_reorg %a0 {stride = 2} : (tensor<2x6x4x4xf32>) -> tensor<2x24x2x2xf32>
  return
}
