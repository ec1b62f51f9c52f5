"""Names of Relay's passes that are no passes here."""

from __future__ import annotations

# What does their job, or why there is none. utils/docs/passes_page.py writes it into
# docs/Passes.md.
REPLACED: dict[str, str] = {
    "AnnotateMemoryScope": "textures of OpenCL; there is no target that has them",
    "AOTLowerMain": "`relay-compile` makes the native main (docs/Architecture.md)",
    "AutoSchedulerLayoutRewrite": "constant weights are packed by the schedules that read them",
    "ExtractFusedFunctions": "an analysis: `relay.analysis.extract_fused_functions`",
    "FlattenNestedTuples": "a part of PartitionGraph in TVM",
    "LowerTE": "kernels are made by `convert-relay-to-linalg` and `convert-linalg-to-tir`",
    "ManifestAlloc": "relax plans memory (`relax-plan-memory`)",
    "ManifestAllocImportStorage": "relax plans memory (`relax-plan-memory`)",
    "MetaScheduleLayoutRewrite": "constant weights are packed by the schedules that read them",
    "NameMangleExtFuncs": "a part of PartitionGraph in TVM",
    "QnnLegalize": "QnnCanonicalize does it, for all targets; schedules choose instructions",
    "RelayToTIRTargetHook": "targets of plugins are asked by interfaces "
                            "(`CodeGeneratorAttrInterface`)",
    "RemoveDefaultAnnotations": "a part of PartitionGraph in TVM",
    "RemoveStandaloneReshapes": "`convert-relay-to-relax` makes views of kernels that only "
                                "reshape",
}

__all__ = ["REPLACED"]
