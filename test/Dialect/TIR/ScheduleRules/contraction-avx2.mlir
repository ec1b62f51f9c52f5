// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Two rows by all five vectors of columns fill as many registers, but would read
// the columns from the second cache faster than it can deliver them.
// The columns are copied, as most of their vectors lie across two lines.
// CHECK-LABEL: transform.named_sequence @odd.schedule
// CHECK: transform.tir.cache_read %{{.*}}, 1, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0, #{{.*}}
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK: transform.tir.split %{{.*}} [?, 4]
func.func @odd(%x: tensor<1000x513xf32>, %w: tensor<513x37xf32>) -> tensor<1000x37xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<1000x513xf32>, tensor<513x37xf32>) -> tensor<1000x37xf32>
  return %0 : tensor<1000x37xf32>
}

// -----

// Columns 256 bytes apart share a quarter of the sets of the first cache.
// CHECK-LABEL: transform.named_sequence @same_sets.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @batch_matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: %[[COPY:.*]] = transform.tir.get_block @batch_matmul_read_global
// CHECK: transform.tir.compute_at %[[COPY]], %{{.*}}

// Half as many fit beside the rows.
// CHECK-LABEL: transform.named_sequence @few_steps.schedule
// CHECK-NOT: transform.tir.cache_read
func.func @same_sets(%x: tensor<12x128x128xf32>, %w: tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.batch_matmul %x, %w {transpose_a = false, transpose_b = false} : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  return %0 : tensor<12x128x64xf32>
}
func.func @few_steps(%x: tensor<12x128x64xf32>, %w: tensor<12x64x64xf32>) -> tensor<12x128x64xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.batch_matmul %x, %w {transpose_a = false, transpose_b = false} : (tensor<12x128x64xf32>, tensor<12x64x64xf32>) -> tensor<12x128x64xf32>
  return %0 : tensor<12x128x64xf32>
}

// -----

// Rows that are pages apart are copied; where they pass by in blocks, and the
// columns of a tile would fill the second cache, for a part of the reduction.
// CHECK-LABEL: transform.named_sequence @page_apart.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: transform.tir.cache_read %[[PRODUCT]], 0, "global"
// CHECK: %[[ROWS:.*]] = transform.tir.get_block @matmul_read_global_1
// CHECK: transform.tir.transform_layout %[[ROWS]], write 0
// CHECK-NOT: transform.tir.compute_at
func.func @page_apart(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
// The sums are fetched while the terms are added.
// CHECK-LABEL: transform.named_sequence @long.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: transform.tir.cache_read %[[PRODUCT]], 0, "global"
// CHECK: transform.tir.split %{{.*}} [?, 2048]
// CHECK: %[[ROWS:.*]] = transform.tir.get_block @matmul_read_global_1
// CHECK: transform.tir.compute_at %[[ROWS]], %{{.*}}#1
// CHECK: transform.tir.transform_layout %[[ROWS]], write 0
// CHECK-COUNT-2: transform.tir.tensorize %{{.*}}, "register_tile"
// APPLIED-LABEL: tir.prim_func {{.*}}@long
// APPLIED: tir.block @matmul(
// APPLIED-COUNT-6: memref.prefetch %{{.*}}, write, locality<3>, data : memref<67108864xf32>
// APPLIED: scf.for
// APPLIED: vector.fma
func.func @long(%x: tensor<8192x8192xf32>, %w: tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  return %0 : tensor<8192x8192xf32>
}

// -----

// Weights that stay in the third cache are read in two places at a time.
// CHECK-LABEL: @near_weights.schedule
// CHECK: transform.tir.split %{{.*}} [2, ?]
func.func @near_weights(%x: tensor<1x512xf32>, %w: tensor<2048x512xf32>) -> tensor<1x2048xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.dense %x, %w : (tensor<1x512xf32>, tensor<2048x512xf32>) -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
}

// -----

// The columns of a group, a multiple of a vector, are packed in tiles of three
// vectors, the last of each group less: no tile has columns of two groups.
// CHECK: #[[GROUPS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 136, d2, d3, (d0 mod 136) floordiv 24, d1, (d0 mod 136) mod 24)>
// CHECK-LABEL: transform.named_sequence @groups.schedule
// CHECK: transform.tir.transform_layout %{{.*}}, read 1, #[[GROUPS]]
// CHECK: transform.tir.split %{{.*}} [?, 24]
func.func @groups(%x: tensor<1x7x7x544xf32>, %w: tensor<544x136x1x1xf32>) -> tensor<1x7x7x544xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.conv2d %x, %w {groups = 4, data_layout = "NHWC", kernel_layout = "OIHW"} : (tensor<1x7x7x544xf32>, tensor<544x136x1x1xf32>) -> tensor<1x7x7x544xf32>
  return %0 : tensor<1x7x7x544xf32>
}

// -----

// An unknown number of columns is divided in tiles as known ones are.
// CHECK-LABEL: transform.named_sequence @open_columns.schedule
// CHECK: transform.tir.split %{{.*}} [?, 16]
// CHECK: transform.tir.split %{{.*}} [?, 6]
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
func.func @open_columns(%x: tensor<?x256xf32>, %w: tensor<256x?xf32>) -> tensor<?x?xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<?x256xf32>, tensor<256x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Channels first, few products per result: lanes are the pixels, so that
// results are stored as they are, and the weights stay as they are.
// CHECK-LABEL: transform.named_sequence @pixels.schedule
// CHECK-NOT: transform.tir.transform_layout
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK-NOT: transform.tir.cache_read
func.func @pixels(%x: tensor<64x3136xf32>, %w: tensor<256x64xf32>) -> tensor<256x3136xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.matmul %w, %x : (tensor<256x64xf32>, tensor<64x3136xf32>) -> tensor<256x3136xf32>
  return %0 : tensor<256x3136xf32>
}
