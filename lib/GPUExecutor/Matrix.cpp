#include "Builder.h"
void mlir::relay::gpu_executor::populateMatrixLowerings(LoweringTable &) {}
