/* What MPI-4.1 adds here and there: looks at several requests that complete none, codes of errors that go again,
 * types of pairs, what is known of the hardware. */
#include "mpi4.h"

#include "check.h"

static void check_looks(int rank, int size) {
  int in[3] = {-1, -1, -1}, out = rank, flag = -1, index = -1, found = -1, indices[3];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[3];
  MPI_Request_get_status_any(3, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Request_get_status_some(3, requests, &found, indices, statuses);
  CHECK(found == MPI_UNDEFINED);
  for (int i = 1; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_get_status_any(3, requests, &index, &flag, &status);
  CHECK(!flag);
  MPI_Request_get_status_all(3, requests, &flag, statuses);
  CHECK(!flag);
  MPI_Request_get_status_some(3, requests, &found, indices, statuses);
  CHECK(found == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_any(3, requests, &index, &flag, &status);
  CHECK(index == 2 && status.MPI_TAG == 2 && status.MPI_SOURCE == from && in[2] == from);
  CHECK(requests[2] != MPI_REQUEST_NULL);
  MPI_Request_get_status_some(3, requests, &found, indices, statuses);
  CHECK(found == 1 && indices[0] == 2 && statuses[0].MPI_TAG == 2);
  MPI_Request_get_status_all(3, requests, &flag, statuses);
  CHECK(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_all(3, requests, &flag, statuses);
  CHECK(statuses[1].MPI_TAG == 1 && statuses[2].MPI_TAG == 2 && in[1] == from);
  MPI_Waitall(3, requests, statuses);
  CHECK(statuses[1].MPI_TAG == 1 && statuses[2].MPI_TAG == 2);
  CHECK(requests[1] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
}

static void check_errors(void) {
  int class, code, other, found;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* of calls without a communicator, since MPI-4.0 */
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Error_class(code, &found);
  CHECK(found == class);
  CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(class) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(MPI_ERR_ARG) != MPI_SUCCESS);
  MPI_Add_error_string(code, "rain");
  CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(class) == MPI_SUCCESS);
  CHECK(MPI_Error_class(class, &found) != MPI_SUCCESS);
  MPI_Add_error_class(&other);
  CHECK(other == class);
  MPI_Remove_error_class(other);
}

static void check_pairs(void) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  CHECK(pair == MPI_DOUBLE_INT);
  MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair);
  CHECK(pair == MPI_2INT);
  MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair);
  CHECK(pair == MPI_DATATYPE_NULL);
}

static void check_infos(void) {
  int keys = -1;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Get_hw_resource_info(&info);
  MPI_Info_get_nkeys(info, &keys);
  CHECK(keys >= 0);
  MPI_Info_free(&info);
#if MPI_VERSION >= 5
  MPI_Abi_get_info(&info);
  char value[10];
  int length = sizeof value, flag = 0;
  MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag);
  CHECK(flag && value[0] == '0' + sizeof(MPI_Aint));
  MPI_Info_free(&info);

  int combiner = 0, integers[2] = {0, 0};
  MPI_Count of_integers = 0, of_addresses = 0, of_counts = 0, of_types = 0;
  MPI_Datatype row, types[1];
  MPI_Type_contiguous(5, MPI_INT, &row);
  MPI_Type_get_envelope_c(row, &of_integers, &of_addresses, &of_counts, &of_types, &combiner);
  CHECK(of_integers == 1 && of_types == 1 && combiner == MPI_COMBINER_CONTIGUOUS);
  MPI_Type_get_contents_c(row, of_integers, of_addresses, of_counts, of_types, integers, NULL, NULL, types);
  CHECK(integers[0] == 5 && types[0] == MPI_INT);
  MPI_Type_free(&row);
#endif
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_looks(rank, size);
  check_errors();
  check_pairs();
  check_infos();
  return finish();
}
