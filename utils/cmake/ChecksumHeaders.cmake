# cmake -DOUTPUT=<file> -DHEADERS=<header>;... -DSOURCE_DIR=<dir>
#   -DBINARY_DIR=<dir> -P ChecksumHeaders.cmake
#
# Writes a checksum of the project's HEADERS and of those that they include,
# which lie in one of the folders. <file>.in is put before it. Others do not
# count: object files in a cache should not depend on what has no part in them.
cmake_minimum_required(VERSION 3.22)
file(READ ${OUTPUT}.in content)
set(pending ${HEADERS})
set(lines "")
set(seen "")
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  foreach(dir ${SOURCE_DIR} ${BINARY_DIR})
    if(EXISTS ${dir}/${header})
      file(SHA256 ${dir}/${header} sum)
      list(APPEND lines "${header} ${sum}")
      file(STRINGS ${dir}/${header} includes REGEX "^#include \"relay-mlir/")
      foreach(include ${includes})
        string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include
          "${include}")
        list(APPEND pending ${include})
      endforeach()
      break()
    endif()
  endforeach()
endwhile()
list(SORT lines)
list(JOIN lines "\n" lines)
file(WRITE ${OUTPUT} "${content}${lines}\n")
