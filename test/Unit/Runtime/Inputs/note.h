/* The note of the image of an artefact written by hand; tests fill in sizes and
   checksums. MAGIC and VERSION may be wrong ones. */
#ifndef RELAY_MLIR_TEST_UNIT_RUNTIME_NOTE_H
#define RELAY_MLIR_TEST_UNIT_RUNTIME_NOTE_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

#ifndef MAGIC
#define MAGIC RELAY_ARTIFACT_MAGIC
#endif
#ifndef VERSION
#define VERSION RELAY_ARTIFACT_VERSION
#endif

static const struct {
  uint32_t ownerSize, contentsSize, type;
  char owner[12];
  RelayArtifactNote contents;
} kNote __attribute__((used, section(RELAY_NOTE_SECTION), aligned(4))) = {
    sizeof(RELAY_NOTE_OWNER),
    sizeof(RelayArtifactNote),
    RELAY_NOTE_TYPE,
    RELAY_NOTE_OWNER,
    {MAGIC, VERSION, sizeof(RelayArtifactNote), 0, 0, 0, 0}};

#endif /* RELAY_MLIR_TEST_UNIT_RUNTIME_NOTE_H */
