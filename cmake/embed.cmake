# embed.cmake: makes a C file out of a scene or a page, so that `routh run`, `routh paper` and the live server need no file.
#
# Include it and call   rh_embed(<target> <file> <symbol> <header that declares the symbol>)
# or run it as a script cmake -DINPUT=... -DOUTPUT=... -DSYMBOL=... -DHEADER=... -P embed.cmake
# The C file defines `const char SYMBOL[]` (closed by a zero) and `const unsigned long SYMBOL_size`.
if(CMAKE_SCRIPT_MODE_FILE AND CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ ${INPUT} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(....................................................................................)" "\\1\n"
    bytes "${bytes}")
  get_filename_component(name ${INPUT} NAME)
  file(WRITE ${OUTPUT} "// Made from ${name} by cmake/embed.cmake.\n#include \"${HEADER}\"\n\n"
    "const char ${SYMBOL}[] = {\n${bytes}0};\nconst unsigned long ${SYMBOL}_size = ${size};\n")
  return()
endif()

set(RH_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(rh_embed target input symbol header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=${symbol} -DHEADER=${header} -P ${RH_EMBED_SCRIPT}
    DEPENDS ${input} ${RH_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
