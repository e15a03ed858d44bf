# routh_read_list(OUT FILE MACRO): the names in the lines MACRO(name) of a .def list, which C reads too. A change of the
# list makes CMake run again, so that adding a row is one file and one line.
function(routh_read_list out file macro)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(names "")
  if(EXISTS ${file})
    file(STRINGS ${file} lines REGEX "^${macro}\\(")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^${macro}\\( *([A-Za-z0-9_]+).*" "\\1" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endif()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# routh_check_listed(FOLDER SOURCE...): stops if FOLDER holds a .c file (two folders down included) that is not a SOURCE.
function(routh_check_listed folder)
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.c ${folder}/*/*.c ${folder}/*/*/*.c)
  list(REMOVE_ITEM found ${ARGN})
  if(found)
    list(JOIN found ", " names)
    message(FATAL_ERROR "In ${folder}: ${names} is in no list; name it in the CMakeLists.txt there or in a .def list")
  endif()
endfunction()
