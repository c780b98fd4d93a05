#pragma once
/// \file
/// Values of constants in Open MPI's binary interface. The other faces have a file of this name, too: the core is
/// compiled for each.
///
/// Source: Message Passing Interface Forum, MPI: A Message-Passing Interface Standard, Version 3.1, annex A.1
/// (names).

#include <cstddef>
#include <cstdint>

namespace nasvm::mpi {

inline constexpr int mpi_any_source = -1;
inline constexpr int mpi_any_tag = -1;
inline constexpr int proc_null = -2;
inline constexpr int root_here = -4;  ///< MPI_ROOT
inline constexpr int undefined = -32766;
inline constexpr int keyval_invalid = -1;

/// MPI_IN_PLACE
inline const void* const in_place = reinterpret_cast<const void*>(1);
/// MPI_BUFFER_AUTOMATIC, which this interface does not have: no address that memory has
inline void* const buffer_automatic = reinterpret_cast<void*>(-1);  // NOLINT(performance-no-int-to-ptr)
/// MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
inline int* const unweighted = reinterpret_cast<int*>(2);
inline int* const weights_empty = reinterpret_cast<int*>(3);

/// MPI_T_PVAR_ALL_HANDLES
inline const void* const t_all_handles = reinterpret_cast<const void*>(-1);  // NOLINT(performance-no-int-to-ptr)

inline constexpr int max_processor_name = 256;
inline constexpr int max_error_string = 256;
inline constexpr int max_object_name = 64;
inline constexpr int max_info_key = 36;
inline constexpr int max_info_value = 256;
inline constexpr int max_library_version = 256;
inline constexpr int bsend_overhead = 128;

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
  err_in_status = 18,
  err_pending = 19,
  err_info_key = 31,
  err_info_no_key = 32,
  err_info_value = 33,
  err_info = 34,
  err_keyval = 36,
  err_no_mem = 39,
  err_session = 78,
  t_err_not_initialized = 55,
  t_err_invalid_index = 57,
  t_err_invalid_handle = 59,
  t_err_invalid_session = 62,
  t_err_invalid_name = 73,
  err_last_code = 92,
};

enum Comparison : int { identical, congruent, similar, unequal };
enum ThreadLevel : int { thread_single, thread_funneled, thread_serialized, thread_multiple };
enum TopologyKind : int { cartesian = 1, graph = 2, distributed_graph = 3 };
enum ArrayOrder : int { order_c, order_fortran };
enum Distribution : int { distribute_block, distribute_cyclic, distribute_none };
inline constexpr int default_distribution_argument = -1;
inline constexpr int comm_type_shared = 0;
// Of MPI-4.0, which this interface has not got.
inline constexpr int comm_type_hw_unguided = -2;
inline constexpr int comm_type_hw_guided = -3;
inline constexpr int comm_type_resource_guided = -4;
inline constexpr int last_comm_type = 11;  ///< OMPI_COMM_TYPE_CLUSTER

/// Whose handler hears of errors of calls that name no communicator, window, file or session: MPI_COMM_SELF's since
/// MPI-4.0, MPI_COMM_WORLD's in MPI-3.1, section 8.3.
inline constexpr bool errors_go_to_self = false;
/// Whether MPI_Comm_dup hands hints on, as in MPI-3.1, section 6.4.2.
inline constexpr bool duplicates_have_hints = true;
enum TypeClass : int { integer_class = 1, real_class = 2, complex_class = 3 };

/// How a datatype was made.
enum Combiner : int {
  combiner_named,
  combiner_dup,
  combiner_contiguous,
  combiner_vector,
  combiner_hvector_integer,
  combiner_hvector,
  combiner_indexed,
  combiner_hindexed_integer,
  combiner_hindexed,
  combiner_indexed_block,
  combiner_struct_integer,
  combiner_struct,
  combiner_subarray,
  combiner_darray,
  combiner_f90_real,
  combiner_f90_complex,
  combiner_f90_integer,
  combiner_resized,
  combiner_hindexed_block,
};

/// Attributes that MPI_COMM_WORLD has from the start.
enum PredefinedKeyval : int {
  tag_ub,
  host_rank,
  io_rank,
  wtime_is_global,
  app_number,
  last_used_code,
  universe_size
};
inline constexpr int first_user_keyval = 64;

/// Of a status: how its count of bytes is aligned, and what follows it.
using StatusBytes = std::size_t;
struct StatusReserve {};

/// MPI_COMM_DUP_FN and its like; 0: it is a function as others.
inline constexpr std::uintptr_t duplicating_function = 0;

/// What MPI_Get_version and MPI_Get_library_version say.
inline constexpr int interface_version = 3;
inline constexpr int interface_subversion = 1;
inline constexpr const char* interface_name = "the binary interface of Open MPI 4";

}  // namespace nasvm::mpi
