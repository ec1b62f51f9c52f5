#include "Builder.h"
void mlir::relay::gpu_executor::populateVectorLowerings(LoweringTable &) {}
