# cmake -DOUTPUT=<file> -DSOURCE_DIR=<dir> -DBINARY_DIR=<dir> -P ChecksumHeaders.cmake
#
# Writes a checksum of what the relay dialect's header may include: what lies
# beside it, and what all dialects include. <file>.in is put before it.
file(READ ${OUTPUT}.in content)
foreach(dir ${SOURCE_DIR} ${BINARY_DIR})
  file(GLOB_RECURSE headers RELATIVE ${dir}
    ${dir}/relay-mlir/Dialect/Relay/IR/*.h
    ${dir}/relay-mlir/Dialect/Relay/IR/*.h.inc
    ${dir}/relay-mlir/Support/*.h)
  list(SORT headers)
  foreach(header ${headers})
    file(SHA256 ${dir}/${header} sum)
    string(APPEND content "${header} ${sum}\n")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${content}")
