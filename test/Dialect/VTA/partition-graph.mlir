// RUN: relay-opt %s --relay-attach-target="device-targets={vta=#vta.config<batch=1,block=16>}" --vta-partition-graph --canonicalize --split-input-file | FileCheck %s
// RUN: not relay-opt %s --vta-partition-graph --split-input-file 2>&1 | FileCheck %s --check-prefix=NOTARGET

// NOTARGET: error: expects a target for devices of kind vta

// Channels are padded to blocks, and a change of scale by a power of two is a
// sum and a shift.
// CHECK-LABEL: func.func @convolution
// CHECK-SAME:    (%[[X:.*]]: tensor<1x3x8x8xi8>, %[[R:.*]]: tensor<1x20x8x8xi8>)
// CHECK:         relay.nn.pad %[[X]], {{.*}} -> tensor<1x16x8x8xi8>
// CHECK:         %[[P:.*]] = relay.layout_transform {{.*}}dst_layout = "NCHW16c"
// CHECK:         %[[D:.*]] = relay.device_copy %[[P]] {{.*}}target = "vta"
// CHECK:         %[[W:.*]] = relay.layout_transform {{.*}}dst_layout = "OIHW16o16i"
// CHECK:         %[[C:.*]] = relay.nn.conv2d %[[D]], %[[W]] {data_layout = "NCHW16c", kernel_layout = "OIHW16o16i"
// CHECK:         %[[S:.*]] = relay.add %[[C]]
// CHECK:         %[[H:.*]] = relay.right_shift %[[S]]
// CHECK:         %[[L:.*]] = relay.clip %[[H]]
// CHECK:         %[[R1:.*]] = relay.device_copy
// CHECK:         %[[R2:.*]] = relay.cast %[[R1]]
// CHECK:         relay.add %[[L]], %[[R2]]
// CHECK:         %[[B:.*]] = relay.device_copy
// CHECK:         %[[U:.*]] = relay.layout_transform %[[B]] {dst_layout = "NCHW", src_layout = "NCHW16c"}
// CHECK:         relay.strided_slice %[[U]] {{.*}} -> tensor<1x20x8x8xi8>
func.func @convolution(%x: tensor<1x3x8x8xi8>, %r: tensor<1x20x8x8xi8>) -> tensor<1x20x8x8xi8> {
  %w = relay.constant dense<2> : tensor<20x3x3x3xi8>
  %factor = relay.constant dense<1073741824> : tensor<i64>
  %rounding = relay.constant dense<34359738368> : tensor<i64>
  %bits = relay.constant dense<36> : tensor<i64>
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], out_dtype = i32} : (tensor<1x3x8x8xi8>, tensor<20x3x3x3xi8>) -> tensor<1x20x8x8xi32>
  %1 = relay.cast %0 {dtype = i64} : (tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi64>
  %2 = relay.multiply %1, %factor : (tensor<1x20x8x8xi64>, tensor<i64>) -> tensor<1x20x8x8xi64>
  %3 = relay.add %2, %rounding : (tensor<1x20x8x8xi64>, tensor<i64>) -> tensor<1x20x8x8xi64>
  %4 = relay.right_shift %3, %bits : (tensor<1x20x8x8xi64>, tensor<i64>) -> tensor<1x20x8x8xi64>
  %5 = relay.cast %4 {dtype = i32} : (tensor<1x20x8x8xi64>) -> tensor<1x20x8x8xi32>
  %6 = relay.clip %5 {a_min = -64.0, a_max = 63.0} : (tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi32>
  %7 = relay.cast %r {dtype = i32} : (tensor<1x20x8x8xi8>) -> tensor<1x20x8x8xi32>
  %8 = relay.add %6, %7 : (tensor<1x20x8x8xi32>, tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi32>
  %9 = relay.clip %8 {a_min = -128.0, a_max = 127.0} : (tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi32>
  %10 = relay.cast %9 {dtype = i8} : (tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi8>
  return %10 : tensor<1x20x8x8xi8>
}

// -----

// A factor below zero, and results of 32 bits, are the processor's.
// CHECK-LABEL: func.func @stays
// CHECK-NOT:     device_copy
// CHECK:         return
func.func @stays(%x: tensor<1x16x8x8xi8>) -> (tensor<1x16x8x8xi8>, tensor<1x16x8x8xi32>) {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %three = relay.constant dense<-3> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  %1 = relay.multiply %0, %three : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  %3 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  return %2, %3 : tensor<1x16x8x8xi8>, tensor<1x16x8x8xi32>
}

// -----

// A constant of one element may have more dimensions than the layer, and then
// the result has them too.
// CHECK-LABEL: func.func @more_dimensions
// CHECK-NOT:     device_copy
// CHECK:         return
func.func @more_dimensions(%x: tensor<1x16x4x4xi8>) -> tensor<1x1x16x4x4xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %four = relay.constant dense<4> : tensor<1x1x1x1x1xi64>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.cast %0 {dtype = i64} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi64>
  %2 = relay.multiply %1, %four : (tensor<1x16x4x4xi64>, tensor<1x1x1x1x1xi64>) -> tensor<1x1x16x4x4xi64>
  %3 = relay.add %2, %four : (tensor<1x1x16x4x4xi64>, tensor<1x1x1x1x1xi64>) -> tensor<1x1x16x4x4xi64>
  %4 = relay.right_shift %3, %four : (tensor<1x1x16x4x4xi64>, tensor<1x1x1x1x1xi64>) -> tensor<1x1x16x4x4xi64>
  %5 = relay.cast %4 {dtype = i32} : (tensor<1x1x16x4x4xi64>) -> tensor<1x1x16x4x4xi32>
  %6 = relay.cast %5 {dtype = i8} : (tensor<1x1x16x4x4xi32>) -> tensor<1x1x16x4x4xi8>
  return %6 : tensor<1x1x16x4x4xi8>
}

// -----

// Two parts one after the other: nothing is copied in between.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-2: relay.device_copy
// CHECK-NOT:     relay.device_copy
func.func @chain(%x: tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  %2 = relay.nn.conv2d %1, %w {out_dtype = i32} : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  %3 = relay.cast %2 {dtype = i8} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  return %3 : tensor<1x16x8x8xi8>
}

// -----

// Channels of their own: weights of 16 are the diagonal of a block, and the
// last block has zeros.
// CHECK-LABEL: func.func @depthwise
// CHECK:         %[[W:.*]] = relay.constant dense<{{.*}}> : tensor<32x16x1x1xi8>
// CHECK:         %[[P:.*]] = relay.layout_transform %[[W]] {{.*}} -> tensor<2x1x1x1x16x16xi8>
// CHECK:         relay.nn.conv2d %{{.*}}, %[[P]] {{.*}}groups = 2
func.func @depthwise(%x: tensor<1x20x8x8xi8>) -> tensor<1x20x8x8xi8> {
  %w = relay.constant dense<7> : tensor<20x1x1x1xi8>
  %0 = relay.nn.conv2d %x, %w {groups = 20, out_dtype = i32} : (tensor<1x20x8x8xi8>, tensor<20x1x1x1xi8>) -> tensor<1x20x8x8xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x20x8x8xi32>) -> tensor<1x20x8x8xi8>
  return %1 : tensor<1x20x8x8xi8>
}

// -----

// Results of even and of odd columns are convolutions of one element of the
// kernel and of two, its last one first; the processor interleaves them.
// CHECK-LABEL: func.func @transposed
// CHECK:         %[[ODD:.*]] = relay.constant dense<{{\[\[\[\[}}3, 1]]]]> : tensor<1x1x1x2xi8>
// CHECK:         %[[EVEN:.*]] = relay.constant dense<2> : tensor<1x1x1x1xi8>
// CHECK:         relay.nn.conv2d
// CHECK-SAME:      -> tensor<1x1x4x4x16xi32>
// CHECK:         relay.device_copy
// CHECK:         relay.nn.conv2d
// CHECK-SAME:      padding = [0, 0, 0, 1]
// CHECK:         relay.device_copy
// CHECK:         relay.concatenate {{.*}} -> tensor<1x1x4x4x2xi8>
// CHECK:         relay.strided_slice {{.*}} -> tensor<1x1x4x7xi8>
func.func @transposed(%x: tensor<1x1x4x4xi8>) -> tensor<1x1x4x7xi8> {
  %w = relay.constant dense<[[[[1, 2, 3]]]]> : tensor<1x1x1x3xi8>
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [1, 2], padding = [0, 1, 0, 1], out_dtype = i32} : (tensor<1x1x4x4xi8>, tensor<1x1x1x3xi8>) -> tensor<1x1x4x7xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x1x4x7xi32>) -> tensor<1x1x4x7xi8>
  return %1 : tensor<1x1x4x7xi8>
}

// -----

// A layer of bytes in 32 bits is one of bytes.
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     relay.cast
// CHECK:         relay.layout_transform %{{.*}} : (tensor<1x16x4x4xi8>)
// CHECK:         relay.nn.conv2d {{.*}} : (tensor<1x1x4x4x16xi8>, tensor<1x1x1x1x16x16xi8>)
func.func @wide(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %b = relay.constant dense<-128> : tensor<16x16x1x1xi8>
  %w = relay.cast %b {dtype = i32} : (tensor<16x16x1x1xi8>) -> tensor<16x16x1x1xi32>
  %0 = relay.cast %x {dtype = i32} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x16x4x4xi32>, tensor<16x16x1x1xi32>) -> tensor<1x16x4x4xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %2 : tensor<1x16x4x4xi8>
}

// -----

// Weights that are no bytes stay.
// CHECK-LABEL: func.func @stays_too
// CHECK-NOT:     device_copy
// CHECK:         return
func.func @stays_too(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w = relay.constant dense<128> : tensor<16x16x1x1xi32>
  %0 = relay.cast %x {dtype = i32} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x16x4x4xi32>, tensor<16x16x1x1xi32>) -> tensor<1x16x4x4xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %2 : tensor<1x16x4x4xi8>
}

// -----

// The last of more groups than a block has channels has no other one to be
// joined with: data gets more blocks, and what takes the result has fewer.
// CHECK-LABEL: func.func @more_blocks
// CHECK:         relay.nn.pad {{.*}}pad_width = [0, 0, 0, 24, 0, 0, 0, 0]{{.*}} -> tensor<1x432x2x2xi8>
// CHECK:         %[[G:.*]] = relay.nn.conv2d {{.*}}groups = 9, {{.*}} : (tensor<1x27x2x2x16xi8>, tensor<27x3x1x1x16x16xi8>) -> tensor<1x27x2x2x16xi32>
// CHECK:         %[[B:.*]] = relay.cast %[[G]]
// CHECK:         %[[H:.*]] = relay.device_copy %[[B]] {{.*}}src_virtual_device = {{.*}}"vta"
// CHECK:         %[[U:.*]] = relay.layout_transform %[[H]] {dst_layout = "NCHW"
// CHECK:         %[[S:.*]] = relay.strided_slice %[[U]] {{.*}} -> tensor<1x408x2x2xi8>
// CHECK:         relay.nn.pad %[[S]], {{.*}} -> tensor<1x416x2x2xi8>
// CHECK:         relay.nn.conv2d {{.*}} : (tensor<1x26x2x2x16xi8>, tensor<1x26x1x1x16x16xi8>)
func.func @more_blocks(%x: tensor<1x408x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %v = relay.constant dense<1> : tensor<408x24x1x1xi8>
  %w = relay.constant dense<1> : tensor<16x408x1x1xi8>
  %0 = relay.nn.conv2d %x, %v {groups = 17, out_dtype = i32} : (tensor<1x408x2x2xi8>, tensor<408x24x1x1xi8>) -> tensor<1x408x2x2xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x408x2x2xi32>) -> tensor<1x408x2x2xi8>
  %2 = relay.nn.conv2d %1, %w {out_dtype = i32} : (tensor<1x408x2x2xi8>, tensor<16x408x1x1xi8>) -> tensor<1x16x2x2xi32>
  %3 = relay.cast %2 {dtype = i8} : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %3 : tensor<1x16x2x2xi8>
}

// -----

// One pixel, with one block of inputs and several of outputs, and groups of a
// transposed convolution.
// CHECK-LABEL: func.func @pixel
// CHECK:         relay.nn.conv2d {{.*}} : (tensor<1x1x1x1x16xi8>, tensor<3x1x1x1x16x16xi8>)
// CHECK:         relay.nn.conv2d {{.*}}groups = 2, {{.*}} : (tensor<1x2x2x2x16xi8>, tensor<2x1x2x2x16x16xi8>)
func.func @pixel(%x: tensor<1x16xi8>, %y: tensor<1x32x2x2xi8>) -> (tensor<1x48xi8>, tensor<1x32x3x3xi8>) {
  %w = relay.constant dense<1> : tensor<48x16xi8>
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<1x16xi8>, tensor<48x16xi8>) -> tensor<1x48xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x48xi32>) -> tensor<1x48xi8>
  %v = relay.constant dense<1> : tensor<32x1x2x2xi8>
  %2 = relay.nn.conv2d_transpose %y, %v {groups = 32, out_dtype = i32} : (tensor<1x32x2x2xi8>, tensor<32x1x2x2xi8>) -> tensor<1x32x3x3xi32>
  %3 = relay.cast %2 {dtype = i8} : (tensor<1x32x3x3xi32>) -> tensor<1x32x3x3xi8>
  return %1, %3 : tensor<1x48xi8>, tensor<1x32x3x3xi8>
}

// -----

// Groups of several blocks of both channels are as they are. Two groups of one
// and a half blocks are three blocks.
// CHECK-LABEL: func.func @groups_of_blocks
// CHECK:         relay.nn.conv2d {{.*}}groups = 17, {{.*}} : (tensor<1x34x2x2x16xi8>, tensor<34x2x1x1x16x16xi8>)
// CHECK:         relay.nn.conv2d {{.*}}groups = 9, {{.*}} : (tensor<1x27x2x2x16xi8>, tensor<27x3x1x1x16x16xi8>)
func.func @groups_of_blocks(%x: tensor<1x544x2x2xi8>, %y: tensor<1x432x2x2xi8>) -> (tensor<1x544x2x2xi8>, tensor<1x432x2x2xi8>) {
  %w = relay.constant dense<1> : tensor<544x32x1x1xi8>
  %0 = relay.nn.conv2d %x, %w {groups = 17, out_dtype = i32} : (tensor<1x544x2x2xi8>, tensor<544x32x1x1xi8>) -> tensor<1x544x2x2xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x544x2x2xi32>) -> tensor<1x544x2x2xi8>
  %v = relay.constant dense<1> : tensor<432x24x1x1xi8>
  %2 = relay.nn.conv2d %y, %v {groups = 18, out_dtype = i32} : (tensor<1x432x2x2xi8>, tensor<432x24x1x1xi8>) -> tensor<1x432x2x2xi32>
  %3 = relay.cast %2 {dtype = i8} : (tensor<1x432x2x2xi32>) -> tensor<1x432x2x2xi8>
  return %1, %3 : tensor<1x544x2x2xi8>, tensor<1x432x2x2xi8>
}

// -----

// The clip to the range of bytes is not needed before one to less. One to more
// stays.
// CHECK-LABEL: func.func @clips
// CHECK:         relay.nn.conv2d
// CHECK-NEXT:    relay.clip {{.*}} {a_max = 1.270000e+02, a_min = -1.270000e+02} : (tensor<1x1x4x4x16xi32>)
// CHECK-NEXT:    relay.cast
// CHECK-NEXT:    relay.device_copy
// CHECK:         relay.nn.conv2d
// CHECK-NEXT:    relay.clip
// CHECK-NEXT:    relay.cast
// CHECK-NEXT:    relay.clip
func.func @clips(%x: tensor<1x16x4x4xi8>) -> (tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>) {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.clip %0 {a_min = -128.0, a_max = 127.0} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  %3 = relay.clip %2 {a_min = -127.0, a_max = 127.0} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8>
  %4 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %5 = relay.clip %4 {a_min = -200.0, a_max = 127.0} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %6 = relay.cast %5 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  %7 = relay.clip %6 {a_min = -100.0, a_max = 100.0} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %3, %7 : tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>
}

// -----

// What comes after a layer is on the device already, and stays there: a pool, and
// a sum that another result needs too.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-1: relay.device_copy
// CHECK:         relay.nn.conv2d
// CHECK:         %[[C:.*]] = relay.cast
// CHECK:         %[[P:.*]] = relay.nn.max_pool2d %[[C]] {layout = "NCHW16c", padding = [1, 1, 1, 1], pool_size = [3, 3]}
// CHECK:         relay.device_copy %[[P]]
// CHECK:         %[[F:.*]] = relay.annotation.stop_fusion %[[P]]
// CHECK:         %[[B:.*]] = relay.cast %[[F]]
// CHECK:         %[[S:.*]] = relay.right_shift %[[B]]
// CHECK:         relay.cast %[[S]]
// CHECK:         relay.device_copy
// CHECK-NOT:     relay.device_copy
func.func @between(%x: tensor<1x16x8x8xi8>) -> (tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>) {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %one = relay.constant dense<1> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  %2 = relay.nn.max_pool2d %1 {pool_size = [3, 3], strides = [1, 1], padding = [1, 1, 1, 1]} : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8>
  %3 = relay.cast %2 {dtype = i32} : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32>
  %4 = relay.right_shift %3, %one : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %5 = relay.cast %4 {dtype = i8} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  return %2, %5 : tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>
}

// -----

// The average of nine numbers, 256 for each unit, which are then rounded to
// units: a sum, a product and a shift.
// CHECK-LABEL: func.func @average
// CHECK-DAG:     relay.constant dense<{{.*}}> : tensor<16x16x3x3xi8>
// CHECK-DAG:     %[[M:.*]] = relay.constant dense<455> : tensor<i32>
// CHECK-DAG:     %[[H:.*]] = relay.constant dense<12> : tensor<i32>
// CHECK:         %[[S:.*]] = relay.nn.conv2d {{.*}}strides = [2, 2]}
// CHECK:         %[[P:.*]] = relay.multiply %[[S]], %[[M]]
// CHECK:         %[[A:.*]] = relay.add %[[P]]
// CHECK:         %[[R:.*]] = relay.right_shift %[[A]], %[[H]]
// CHECK:         relay.cast %[[R]] {dtype = i8}
// CHECK-NOT:     avg_pool2d
func.func @average(%x: tensor<1x16x9x9xi8>) -> tensor<1x16x4x4xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %unit = relay.constant dense<256> : tensor<i32>
  %half = relay.constant dense<128> : tensor<i32>
  %bits = relay.constant dense<8> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x9x9xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x16x9x9xi32>) -> tensor<1x16x9x9xi8>
  %2 = relay.cast %1 {dtype = i32} : (tensor<1x16x9x9xi8>) -> tensor<1x16x9x9xi32>
  %3 = relay.multiply %2, %unit : (tensor<1x16x9x9xi32>, tensor<i32>) -> tensor<1x16x9x9xi32>
  %4 = relay.nn.avg_pool2d %3 {pool_size = [3, 3], strides = [2, 2]} : (tensor<1x16x9x9xi32>) -> tensor<1x16x4x4xi32>
  %5 = relay.add %4, %half : (tensor<1x16x4x4xi32>, tensor<i32>) -> tensor<1x16x4x4xi32>
  %6 = relay.right_shift %5, %bits : (tensor<1x16x4x4xi32>, tensor<i32>) -> tensor<1x16x4x4xi32>
  %7 = relay.cast %6 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %7 : tensor<1x16x4x4xi8>
}

// -----

// The processor has the data of these, or a division that rounds towards zero,
// or windows with different numbers of elements.
// CHECK-LABEL: func.func @pools_stay
// CHECK:         relay.nn.max_pool2d %arg0
// CHECK:         relay.nn.avg_pool2d {{.*}} (tensor<1x16x9x9xi8>)
// CHECK:         relay.nn.avg_pool2d {{.*}} (tensor<1x16x9x9xi32>)
func.func @pools_stay(%x: tensor<1x16x9x9xi8>) -> (tensor<1x16x8x8xi8>, tensor<1x16x4x4xi8>, tensor<1x16x5x5xi8>) {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %max = relay.nn.max_pool2d %x {pool_size = [2, 2]} : (tensor<1x16x9x9xi8>) -> tensor<1x16x8x8xi8>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x9x9xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x16x9x9xi32>) -> tensor<1x16x9x9xi8>
  %2 = relay.nn.avg_pool2d %1 {pool_size = [3, 3], strides = [2, 2]} : (tensor<1x16x9x9xi8>) -> tensor<1x16x4x4xi8>
  %3 = relay.cast %1 {dtype = i32} : (tensor<1x16x9x9xi8>) -> tensor<1x16x9x9xi32>
  %4 = relay.nn.avg_pool2d %3 {pool_size = [3, 3], strides = [2, 2], padding = [1, 1, 1, 1]} : (tensor<1x16x9x9xi32>) -> tensor<1x16x5x5xi32>
  %5 = relay.cast %4 {dtype = i8} : (tensor<1x16x5x5xi32>) -> tensor<1x16x5x5xi8>
  return %max, %2, %5 : tensor<1x16x8x8xi8>, tensor<1x16x4x4xi8>, tensor<1x16x5x5xi8>
}

// -----

// A constant is subtracted by adding its negative.
// CHECK-LABEL: func.func @difference
// CHECK:         %[[N:.*]] = relay.constant dense<-7> : tensor<i32>
// CHECK:         relay.add {{.*}}, %[[N]] : (tensor<1x1x9x9x16xi32>
func.func @difference(%x: tensor<1x16x9x9xi8>) -> tensor<1x16x9x9xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %seven = relay.constant dense<7> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x9x9xi32>
  %1 = relay.subtract %0, %seven : (tensor<1x16x9x9xi32>, tensor<i32>) -> tensor<1x16x9x9xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x9x9xi32>) -> tensor<1x16x9x9xi8>
  return %2 : tensor<1x16x9x9xi8>
}

// -----

// A convolution of one dimension is one of one row; its weights get the other
// sign, since it is subtracted.
// CHECK-LABEL: func.func @row
// CHECK-DAG:     relay.constant dense<-2> : tensor<16x16x3xi8>
// CHECK-NOT:     relay.nn.conv1d
// CHECK:         relay.reshape {{.*}} -> tensor<1x16x1x8xi8>
// CHECK:         relay.nn.conv2d {{.*}} {data_layout = "NCHW16c", kernel_layout = "OIHW16o16i", {{.*}}padding = [0, 1, 0, 1]
// CHECK-NEXT:    relay.add
// CHECK-NOT:     relay.subtract
// CHECK:         return
func.func @row(%x: tensor<1x16x8xi8>) -> tensor<1x16x8xi8> {
  %w = relay.constant dense<2> : tensor<16x16x3xi8>
  %c = relay.constant dense<7> : tensor<i32>
  %0 = relay.nn.conv1d %x, %w {padding = [1, 1], out_dtype = i32} : (tensor<1x16x8xi8>, tensor<16x16x3xi8>) -> tensor<1x16x8xi32>
  %1 = relay.subtract %c, %0 : (tensor<i32>, tensor<1x16x8xi32>) -> tensor<1x16x8xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x8xi32>) -> tensor<1x16x8xi8>
  return %2 : tensor<1x16x8xi8>
}
