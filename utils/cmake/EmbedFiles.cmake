# cmake -DOUTPUT=<file> "-DINPUTS=<file>;..." -P EmbedFiles.cmake
#
# Writes {"name", "contents"}, for each input.
set(text "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name ${input} NAME)
  file(READ ${input} contents)
  string(APPEND text "{\"${name}\", R\"rly(${contents})rly\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
