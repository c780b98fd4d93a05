#pragma once
/// \file
/// Values of constants in the standard's binary interface. The other faces have a file of this name, too: the core
/// is compiled for each.
///
/// Source: Message Passing Interface Forum, MPI: A Message-Passing Interface Standard, Version 5.0, annex A.1.

#include <cstddef>
#include <cstdint>

namespace nasvm::mpi {

inline constexpr int mpi_any_source = -1;
inline constexpr int mpi_any_tag = -2;
inline constexpr int proc_null = -3;
inline constexpr int root_here = -4;  ///< MPI_ROOT
inline constexpr int undefined = -32766;
inline constexpr int keyval_invalid = 0;

/// MPI_IN_PLACE
inline const void* const in_place = reinterpret_cast<const void*>(1);
/// MPI_BUFFER_AUTOMATIC
inline void* const buffer_automatic = reinterpret_cast<void*>(2);
/// MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
inline int* const unweighted = reinterpret_cast<int*>(10);
inline int* const weights_empty = reinterpret_cast<int*>(11);

/// MPI_T_PVAR_ALL_HANDLES
inline const void* const t_all_handles = reinterpret_cast<const void*>(1);

inline constexpr int max_processor_name = 256;
inline constexpr int max_error_string = 512;
inline constexpr int max_object_name = 128;
inline constexpr int max_info_key = 256;
inline constexpr int max_info_value = 1024;
inline constexpr int max_library_version = 8192;
inline constexpr int bsend_overhead = 512;

enum ErrorClass : int {
  success = 0,
  err_buffer = 1,
  err_count = 2,
  err_type = 3,
  err_tag = 4,
  err_comm = 5,
  err_rank = 6,
  err_request = 7,
  err_root = 8,
  err_group = 9,
  err_op = 10,
  err_topology = 11,
  err_dims = 12,
  err_arg = 13,
  err_unknown = 14,
  err_truncate = 15,
  err_other = 16,
  err_intern = 17,
  err_in_status = 19,
  err_pending = 18,
  err_info_key = 31,
  err_info_no_key = 32,
  err_info_value = 33,
  err_info = 34,
  err_keyval = 36,
  err_no_mem = 39,
  err_session = 60,
  t_err_not_initialized = 1003,
  t_err_invalid_index = 1007,
  t_err_invalid_session = 1009,
  t_err_invalid_handle = 1010,
  t_err_invalid_name = 1011,
  err_last_code = 16383,
};

enum Comparison : int { identical = 201, congruent, similar, unequal };
enum ThreadLevel : int {
  thread_single = 0,
  thread_funneled = 1024,
  thread_serialized = 2048,
  thread_multiple = 4096
};
enum TopologyKind : int { cartesian = 211, graph, distributed_graph };
enum ArrayOrder : int { order_c = 12, order_fortran = 15 };
enum Distribution : int { distribute_none = 16, distribute_block, distribute_cyclic };
inline constexpr int default_distribution_argument = 19;
inline constexpr int comm_type_shared = 221;
inline constexpr int comm_type_hw_unguided = 222;
inline constexpr int comm_type_hw_guided = 223;
inline constexpr int comm_type_resource_guided = 224;
inline constexpr int last_comm_type = comm_type_resource_guided;

/// Whose handler hears of errors of calls that name no communicator, window, file or session: MPI_COMM_SELF's since
/// MPI-4.0 (section 9.3), MPI_COMM_WORLD's before.
inline constexpr bool errors_go_to_self = true;
/// Whether MPI_Comm_dup hands hints on: not since MPI-4.0 (section 7.4.2).
inline constexpr bool duplicates_have_hints = false;
enum TypeClass : int { integer_class = 192, real_class, complex_class };

/// How a datatype was made.
enum Combiner : int {
  combiner_named = 101,
  combiner_dup = 102,
  combiner_contiguous = 103,
  combiner_vector = 104,
  combiner_hvector_integer = 190,  // not of the standard, and never said
  combiner_hvector = 105,
  combiner_indexed = 106,
  combiner_hindexed_integer = 191,  // not of the standard, and never said
  combiner_hindexed = 107,
  combiner_indexed_block = 108,
  combiner_struct_integer = 192,  // not of the standard, and never said
  combiner_struct = 110,
  combiner_subarray = 111,
  combiner_darray = 112,
  combiner_f90_real = 113,
  combiner_f90_complex = 114,
  combiner_f90_integer = 115,
  combiner_resized = 116,
  combiner_hindexed_block = 109,
};

/// Attributes that MPI_COMM_WORLD has from the start.
enum PredefinedKeyval : int {
  tag_ub = 501,
  io_rank,
  host_rank,
  wtime_is_global,
  app_number,
  last_used_code,
  universe_size
};
inline constexpr int first_user_keyval = 1024;

/// Of a status: how its count of bytes is aligned, and what follows it.
using StatusBytes [[gnu::aligned(4)]] = std::size_t;
struct StatusReserve {
  int integers[2] = {};
};

/// MPI_COMM_DUP_FN and its like; 0: it is a function as others.
inline constexpr std::uintptr_t duplicating_function = 1;

/// What MPI_Get_version and MPI_Get_library_version say.
inline constexpr int interface_version = 5;
inline constexpr int interface_subversion = 0;
inline constexpr const char* interface_name = "the binary interface of MPI 5.0";

}  // namespace nasvm::mpi
