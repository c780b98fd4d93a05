# What the tasks of message system mpi are linked with: Open MPI (cmake/message_systems.cmake).
set(mpi_library openmpi)
pkg_check_modules(ompi IMPORTED_TARGET ompi-c)
if(ompi_FOUND)
  set(mpi_version ${ompi_VERSION})
  add_library(nasvm_mpi_package INTERFACE)
  target_link_libraries(nasvm_mpi_package INTERFACE PkgConfig::ompi)
  # Without the C++ bindings that MPI has dropped.
  target_compile_definitions(nasvm_mpi_package INTERFACE OMPI_SKIP_MPICXX)
endif()
