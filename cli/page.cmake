# page.cmake: the page of `routh view`: built once from web/ by tools/build_page and carried along in the program as it is.
# Without node or npm, or where their packages cannot be had, the program says so when the page is asked for.
file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.json ${PROJECT_SOURCE_DIR}/web/*.html
  ${PROJECT_SOURCE_DIR}/web/*.mjs ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/src/*.css)
set(page ${CMAKE_CURRENT_BINARY_DIR}/page.html)
add_custom_command(OUTPUT ${page} COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page ${page}
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/tools/build_page VERBATIM)
set(page_c ${CMAKE_CURRENT_BINARY_DIR}/rh_page.c)
file(CONFIGURE OUTPUT ${page_c} @ONLY CONTENT [[
// Made by cli/page.cmake: the bytes of page.html between rh_page and rh_page_end.
extern const char rh_page[], rh_page_end[];
__asm__(".section .rodata\n.global rh_page\nrh_page:\n.incbin \"@page@\"\n"
        ".global rh_page_end\nrh_page_end:\n.byte 0\n.previous\n");
]])
set_source_files_properties(${page_c} PROPERTIES OBJECT_DEPENDS ${page})
target_sources(routh_verbs PRIVATE ${page_c})
