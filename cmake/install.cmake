# What is installed: the public headers, both libraries, the program with its manual page and completion, and the files
# by which CMake and pkg-config find them.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/routh)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/routh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS routh_shared EXPORT routhTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS routh_static EXPORT routhStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET routh_studies)
  install(TARGETS routh_studies EXPORT routhTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(EXPORT routhTargets NAMESPACE routh:: DESTINATION ${package_dir})
install(EXPORT routhStaticTargets NAMESPACE routh:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/routhConfig.cmake.in ${PROJECT_BINARY_DIR}/routhConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/routhConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/routhConfig.cmake ${PROJECT_BINARY_DIR}/routhConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix in routh.pc is found from the place of the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/routh.pc.in ${PROJECT_BINARY_DIR}/routh.pc @ONLY)
if(TARGET routh_studies)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/routh_studies.pc.in ${PROJECT_BINARY_DIR}/routh_studies.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/routh_studies.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(FILES ${PROJECT_BINARY_DIR}/routh.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET routh)
  install(TARGETS routh RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET routh_mpi)
    install(TARGETS routh_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/routh)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/routh.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/routh.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME routh)
  install(FILES ${PROJECT_BINARY_DIR}/routh.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _routh)
  install(FILES ${PROJECT_BINARY_DIR}/routh.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
