// RUN: relay-opt %s --masked-half-access | FileCheck %s

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME:    %[[ZERO:[a-z0-9]+]]: vector<8xbf16>
// CHECK:         %[[ZERO_BITS:.*]] = llvm.bitcast %[[ZERO]] : vector<8xbf16> to vector<8xi16>
// CHECK:         %[[BITS:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZERO_BITS]] {{.*}} -> vector<8xi16>
// CHECK:         %[[VALUE:.*]] = llvm.bitcast %[[BITS]] : vector<8xi16> to vector<8xbf16>
// CHECK:         %[[STORED:.*]] = llvm.bitcast %[[VALUE]] : vector<8xbf16> to vector<8xi16>
// CHECK:         llvm.intr.masked.store %[[STORED]]
llvm.func @copy(%x: !llvm.ptr, %y: !llvm.ptr, %mask: vector<8xi1>, %zero: vector<8xbf16>) {
  %0 = llvm.intr.masked.load %x, %mask, %zero {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %0, %y, %mask {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}

// Other types stay.
// CHECK-LABEL: llvm.func @single
// CHECK-NOT:     bitcast
llvm.func @single(%x: !llvm.ptr, %mask: vector<8xi1>, %zero: vector<8xf32>) -> vector<8xf32> {
  %0 = llvm.intr.masked.load %x, %mask, %zero {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.return %0 : vector<8xf32>
}
