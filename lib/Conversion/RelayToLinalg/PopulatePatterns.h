//===- PopulatePatterns.h - Pattern families of RelayToLinalg ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this library. Each function is defined in the file of its family.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POPULATEPATTERNS_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POPULATEPATTERNS_H

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::relay::detail {

void populateActivationPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns);
void populateAdaptivePoolingPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns);
void populateAnchorBoxPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);
void populateAssertPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateBlockedConvolutionPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns);
void populateCallPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateClassSuppressionPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns);
void populateConvolutionPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateCorrelationPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateCreationPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateCropPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateDeformableConvolutionPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns);
void populateDilationPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateEinsumPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateElementwisePatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateGradientPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateGridSamplingPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);
void populateImagePatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns);
void populateIndexingPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateLayoutPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateMatmulPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateMovementPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateNonMaxSuppressionPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns);
void populateNormalizationPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populatePackedWeightPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);
void populatePadPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);
void populatePartsPatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns);
void populatePoolingPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateProposalPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateRandomPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateReductionPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);
void populateRegionPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateReshapePatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateScanPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateScatterPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateSearchPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateSequencePatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateSlicePatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns);
void populateSoftmaxPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateSortPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateSparsePatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateSparseReshapePatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populateStringMapPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);
void populateStructurePatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);
void populateUniquePatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateWinogradPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POPULATEPATTERNS_H
