/* Types that are seldom made, how much of them has come, and what they say of themselves; error handlers, attributes,
 * hints, memory, the surroundings, and handles that go to Fortran and come back; names that MPI-3 has removed, where
 * they are. */
#include <string.h>

#include "mpi4.h"

#include "check.h"

#ifdef OPEN_MPI
/* Open MPI's header makes errors of them. */
#undef MPI_Address
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#undef MPI_Type_extent
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_lb
#undef MPI_Type_struct
#undef MPI_Type_ub
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint* extent);
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint places[], MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint* bound);
int MPI_Type_struct(int count, int lengths[], MPI_Aint places[], MPI_Datatype types[], MPI_Datatype* made);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint* bound);
/* Open MPI 4's has no sessions. */
MPI_Fint MPI_Session_c2f(MPI_Session session);
MPI_Session MPI_Session_f2c(MPI_Fint number);
#endif

static int rank;

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

/* --- types --- */

enum { most = 16 };

/* Which of the integers 0, 1, ... a type takes, and where the next one would begin; the type goes. */
static void check_takes(MPI_Datatype type, const int* wanted, int count, MPI_Aint wanted_extent) {
  int array[most], taken[most], bytes = -1, position = 0;
  MPI_Aint lower = -1, extent = -1;
  MPI_Count long_bytes = -1, long_lower = -1, long_extent = -1;
  for (int i = 0; i < most; ++i) array[i] = i;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &bytes);
  MPI_Type_size_x(type, &long_bytes);
  CHECK(bytes == count * (int)sizeof(int) && long_bytes == bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_extent_x(type, &long_lower, &long_extent);
  CHECK(lower == 0 && extent == wanted_extent && long_lower == lower && long_extent == extent);
  MPI_Pack(array, 1, type, taken, sizeof taken, &position, MPI_COMM_WORLD);
  CHECK(position == bytes);
  for (int i = 0; i < count; ++i) CHECK(taken[i] == wanted[i]);

  /* As a message, and out of it into nothing but its places. */
  int there[most];
  MPI_Request request;
  for (int i = 0; i < most; ++i) there[i] = -1;
  MPI_Irecv(there, 1, type, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(array, 1, type, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0, next = 0; i < most; ++i) {
    const int is_taken = next < count && wanted[next] == i;
    CHECK(there[i] == (is_taken ? i : -1));
    next += is_taken;
  }
  position = 0;
  MPI_Unpack(taken, bytes, &position, there, 1, type, MPI_COMM_WORLD);
  CHECK(position == bytes && there[wanted[0]] == wanted[0]);
  MPI_Type_free(&type);
}

static void check_types(void) {
  enum { word = sizeof(int) };
  MPI_Datatype type;
  int lengths[3] = {2, 0, 1}, places[3] = {1, 9, 5};
  MPI_Aint bytes[3] = {1 * word, 9 * word, 5 * word};
  MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
  const int pairs[4] = {0, 1, 4, 5}, irregular[3] = {1, 2, 5}, blocks[6] = {1, 2, 5, 6, 9, 10};

  MPI_Type_create_hvector(2, 2, 4 * word, MPI_INT, &type);
  check_takes(type, pairs, 4, 6 * word);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  MPI_Aint lower = -1, extent = -1;
  MPI_Count long_lower = -1, long_extent = -1;
  MPI_Type_get_true_extent(type, &lower, &extent);
  MPI_Type_get_true_extent_x(type, &long_lower, &long_extent);
  CHECK(lower == word && extent == 5 * word && long_lower == lower && long_extent == extent);
  MPI_Type_free(&type);
  MPI_Datatype bare;
  places[1] = 0;
  bytes[1] = 0;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &bare);
  MPI_Type_create_resized(bare, 0, 8 * word, &type);
  MPI_Type_free(&bare);
  check_takes(type, irregular, 3, 8 * word);
  MPI_Type_create_struct(3, lengths, bytes, parts, &bare);
  MPI_Type_create_resized(bare, 0, 8 * word, &type);
  MPI_Type_free(&bare);
  check_takes(type, irregular, 3, 8 * word);
  places[1] = 5;
  places[2] = 9;
  bytes[1] = 5 * word;
  bytes[2] = 9 * word;
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &bare);
  MPI_Type_create_resized(bare, 0, 12 * word, &type);
  MPI_Type_free(&bare);
  check_takes(type, blocks, 6, 12 * word);
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &bare);
  int integers = -1, addresses = -1, types = -1, combiner = -1, made_of[2] = {-1, -1};
  MPI_Aint made_at[3] = {-1, -1, -1};
  MPI_Datatype of;
  MPI_Type_get_envelope(bare, &integers, &addresses, &types, &combiner);
  CHECK(integers == 2 && addresses == 3 && types == 1 && combiner == MPI_COMBINER_HINDEXED_BLOCK);
  MPI_Type_get_contents(bare, 2, 3, 1, made_of, made_at, &of);
  CHECK(made_of[0] == 3 && made_of[1] == 2 && memcmp(made_at, bytes, sizeof bytes) == 0 && of == MPI_INT);
  MPI_Type_create_resized(bare, 0, 12 * word, &type);
  MPI_Type_free(&bare);
  check_takes(type, blocks, 6, 12 * word);

  const int sizes[2] = {3, 4}, parts_of[2] = {2, 2}, starts[2] = {1, 2}, corner[4] = {6, 7, 10, 11};
  MPI_Type_create_subarray(2, sizes, parts_of, starts, MPI_ORDER_C, MPI_INT, &type);
  check_takes(type, corner, 4, 12 * word);
}

static void check_match(int class, int bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int found = -1;
  MPI_Type_match_size(class, bytes, &type);
  CHECK(type != MPI_DATATYPE_NULL);
  MPI_Type_size(type, &found);
  CHECK(found == bytes);
}

static void check_matches(void) {
  MPI_Datatype type;
  for (int bytes = 1; bytes <= 8; bytes *= 2) check_match(MPI_TYPECLASS_INTEGER, bytes);
  check_match(MPI_TYPECLASS_REAL, 4);
  check_match(MPI_TYPECLASS_REAL, 8);
  check_match(MPI_TYPECLASS_COMPLEX, 8);
  check_match(MPI_TYPECLASS_COMPLEX, 16);
  CHECK(class_of(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &type)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Type_match_size(-1, 4, &type)) == MPI_ERR_ARG);
}

/* Part of a type has come: its elements are counted, whole ones are not. */
static void check_elements(void) {
  int words[6] = {1, 2, 3, 4, 5, 6}, in[9] = {0}, elements = -1, whole = -1;
  MPI_Count long_elements = -1;
  MPI_Datatype triple;
  MPI_Request request;
  MPI_Status status;
  MPI_Type_contiguous(3, MPI_INT, &triple);
  MPI_Type_commit(&triple);
  for (int sent = 0; sent <= 6; ++sent) {
    MPI_Isend(words, sent, MPI_INT, rank, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 3, triple, rank, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_elements(&status, triple, &elements);
    MPI_Get_elements_x(&status, triple, &long_elements);
    MPI_Get_count(&status, triple, &whole);
    CHECK(elements == sent && long_elements == sent);
    CHECK(whole == (sent % 3 == 0 ? sent / 3 : MPI_UNDEFINED));
  }
  for (int set = 0; set <= 7; ++set) {
    if (set % 2) MPI_Status_set_elements(&status, triple, set);
    else MPI_Status_set_elements_x(&status, triple, set);
    MPI_Get_elements_x(&status, triple, &long_elements);
    MPI_Get_count(&status, triple, &whole);
    CHECK(long_elements == set && whole == (set % 3 == 0 ? set / 3 : MPI_UNDEFINED));
  }
  /* More than an int counts. */
  const MPI_Count many = (MPI_Count)1 << 33;
  MPI_Status_set_elements_x(&status, MPI_INT, many);
  MPI_Get_elements_x(&status, MPI_INT, &long_elements);
  MPI_Get_elements(&status, MPI_INT, &elements);
  MPI_Get_count(&status, MPI_INT, &whole);
  CHECK(long_elements == many && elements == MPI_UNDEFINED && whole == MPI_UNDEFINED);
  MPI_Type_free(&triple);
}

/* --- error handlers, attributes, communicators, memory --- */

static MPI_Comm heard_from = MPI_COMM_NULL;
static int heard = MPI_SUCCESS, times = 0;

static void hear(MPI_Comm* comm, int* code, ...) {
  heard_from = *comm;
  heard = *code;
  ++times;
}

static void check_error_handlers(MPI_Comm comm) {
  MPI_Errhandler handler, found;
  MPI_Comm copy;
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_get_errhandler(comm, &found);
  CHECK(found == handler);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  CHECK(found == MPI_ERRHANDLER_NULL && handler == MPI_ERRHANDLER_NULL);
  times = 0;
  CHECK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER) == MPI_SUCCESS);
  CHECK(times == 1 && heard == MPI_ERR_OTHER && heard_from == comm);
  /* A duplicate has it, too, after it was given up here. */
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Send(NULL, 0, MPI_INT, -77, 0, copy)) == MPI_ERR_RANK);
  CHECK(times == 2 && class_of(heard) == MPI_ERR_RANK && heard_from == copy);
  CHECK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER) == MPI_SUCCESS && times == 2);
  MPI_Comm_disconnect(&copy);
  CHECK(copy == MPI_COMM_NULL);
}

static int deleted = 0;

static int copy_value(MPI_Comm comm, int keyval, void* state, void* value, void* copy, int* flag) {
  (void)comm, (void)keyval, (void)state;
  *(void**)copy = (char*)value + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_value(MPI_Comm comm, int keyval, void* value, void* state) {
  (void)comm, (void)keyval, (void)value;
  deleted += *(int*)state;
  return MPI_SUCCESS;
}

static void check_attributes(MPI_Comm comm) {
  static int step = 10;
  static char values[2];
  int keyval = MPI_KEYVAL_INVALID, flag = -1;
  void* value = NULL;
  MPI_Comm copy;
  deleted = 0;
  MPI_Comm_create_keyval(copy_value, delete_value, &keyval, &step);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  CHECK(!flag);
  MPI_Comm_set_attr(comm, keyval, values);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  CHECK(flag && value == values + 1);
  MPI_Comm_delete_attr(comm, keyval);
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  CHECK(!flag && deleted == 10);
  MPI_Comm_free_keyval(&keyval);
  CHECK(keyval == MPI_KEYVAL_INVALID);
  MPI_Comm_disconnect(&copy);
  CHECK(copy == MPI_COMM_NULL && deleted == 20);

  /* The names of MPI-1, which are deprecated. */
  MPI_Keyval_create(copy_value, delete_value, &keyval, &step);
  MPI_Attr_put(comm, keyval, values);
  MPI_Attr_get(comm, keyval, &value, &flag);
  CHECK(flag && value == values);
  MPI_Attr_delete(comm, keyval);
  MPI_Attr_get(comm, keyval, &value, &flag);
  CHECK(!flag && deleted == 30);
  MPI_Keyval_free(&keyval);
  CHECK(keyval == MPI_KEYVAL_INVALID);
  MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(flag && *(int*)value >= 32767);
}

static int copied_types = 0;

static int copy_of_type(MPI_Datatype type, int keyval, void* state, void* value, void* copy, int* flag) {
  (void)type, (void)keyval, (void)state;
  *(void**)copy = value;
  *flag = 1;
  ++copied_types;
  return MPI_SUCCESS;
}
static int delete_of_type(MPI_Datatype type, int keyval, void* value, void* state) {
  (void)type, (void)keyval, (void)value, (void)state;
  --copied_types;
  return MPI_SUCCESS;
}

static void check_attributes_of_types(void) {
  static int number = 5;
  int keyval = MPI_KEYVAL_INVALID, flag = -1;
  void* value = NULL;
  MPI_Datatype type, copy;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_create_keyval(copy_of_type, delete_of_type, &keyval, NULL);
  MPI_Type_set_attr(type, keyval, &number);
  MPI_Type_dup(type, &copy);
  MPI_Type_get_attr(copy, keyval, &value, &flag);
  CHECK(flag && value == &number && copied_types == 1);
  MPI_Type_delete_attr(type, keyval);
  MPI_Type_get_attr(type, keyval, &value, &flag);
  CHECK(!flag && copied_types == 0);
  MPI_Type_free_keyval(&keyval);
  CHECK(keyval == MPI_KEYVAL_INVALID);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
  CHECK(copied_types == -1);
}

/* What a type was made of is given up as often as it is told, and keeps its attributes until the last time. */
static void check_attributes_of_parts(void) {
  static int number = 5;
  int keyval = MPI_KEYVAL_INVALID, flag = -1, integers[1];
  void* value = NULL;
  MPI_Aint addresses[1];
  MPI_Datatype part, whole, again;
  copied_types = 0;
  MPI_Type_contiguous(2, MPI_INT, &part);
  MPI_Type_create_keyval(copy_of_type, delete_of_type, &keyval, NULL);
  MPI_Type_set_attr(part, keyval, &number);
  MPI_Type_contiguous(3, part, &whole);
  MPI_Type_get_contents(whole, 1, 0, 1, integers, addresses, &again);
  MPI_Type_free(&again);
  MPI_Type_get_attr(part, keyval, &value, &flag);
  CHECK(flag && value == &number && copied_types == 0);
  MPI_Type_get_contents(whole, 1, 0, 1, integers, addresses, &again);
  MPI_Type_free(&part);
  MPI_Type_get_attr(again, keyval, &value, &flag);
  CHECK(flag && value == &number && copied_types == 0);
  MPI_Type_free(&again);
  CHECK(copied_types == -1);
  MPI_Type_free(&whole);
  CHECK(copied_types == -1);
  MPI_Type_free_keyval(&keyval);
}

static void check_memory_and_threads(void) {
  int* words = NULL;
  int level = -1, is_main = 0;
  MPI_Alloc_mem(100 * sizeof(int), MPI_INFO_NULL, &words);
  CHECK(words != NULL);
  for (int i = 0; i < 100; ++i) words[i] = i;
  CHECK(words[99] == 99);
  CHECK(MPI_Free_mem(words) == MPI_SUCCESS);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE && is_main);
}

/* Hints are kept as they are given, and go along as is asked for; by themselves until MPI-3.1 alone. */
static void check_hint(MPI_Comm comm, const char* wanted) {
  MPI_Info info;
  int flag = -1, length = -1;
  char value[20] = "";
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get_valuelen(info, "colour", &length, &flag);
  CHECK(!flag == !wanted && (!wanted || length == (int)strlen(wanted)));
  MPI_Info_get(info, "colour", sizeof value - 1, value, &flag);
  CHECK(!flag == !wanted && (!wanted || strcmp(value, wanted) == 0));
  MPI_Info_free(&info);
}

static void check_hints(MPI_Comm comm) {
  MPI_Info info, other;
  MPI_Comm copy;
  MPI_Request request;
  check_hint(comm, NULL);
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "green");
  MPI_Comm_set_info(comm, info);
  check_hint(comm, "green");
  MPI_Info_set(info, "colour", "red");
  MPI_Info_create(&other);
  MPI_Info_set(other, "shape", "round");
  MPI_Comm_set_info(comm, other);
  MPI_Info_free(&other);
  check_hint(comm, "green");
  MPI_Comm_dup(comm, &copy);
  check_hint(copy, MPI_VERSION < 4 ? "green" : NULL);
  MPI_Comm_free(&copy);
  MPI_Comm_idup(comm, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_hint(copy, MPI_VERSION < 4 ? "green" : NULL);
  MPI_Comm_free(&copy);
  MPI_Comm_dup_with_info(comm, info, &copy);
  check_hint(copy, "red");
  MPI_Comm_free(&copy);
  MPI_Comm_idup_with_info(comm, info, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_hint(copy, "red");
  check_hint(comm, "green");
  MPI_Comm_free(&copy);
  MPI_Info_free(&info);
}

static void check_other_group(int size) {
  MPI_Comm half, between, parent = MPI_COMM_WORLD;
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  if (size == 1) return;
  MPI_Group others, world;
  int first = 0, in_world = -1, count = -1;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  MPI_Comm_remote_group(between, &others);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(others, &count);
  MPI_Group_translate_ranks(others, 1, &first, world, &in_world);
  CHECK(count == (size + rank % 2) / 2 && in_world == 1 - rank % 2);
  MPI_Group_free(&others);
  MPI_Group_free(&world);
  MPI_Comm_disconnect(&between);
  MPI_Comm_free(&half);
  CHECK(between == MPI_COMM_NULL);
}

static void check_surroundings(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  char name[MPI_MAX_PROCESSOR_NAME];
  int version = -1, subversion = -1, length = -1;
  const double begin = MPI_Wtime();
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3 && subversion >= 0);
  MPI_Get_library_version(text, &length);
  CHECK(length > 0 && length == (int)strlen(text));
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && length == (int)strlen(name));
  CHECK(MPI_Pcontrol(1) == MPI_SUCCESS && MPI_Pcontrol(0) == MPI_SUCCESS);
  CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1 && MPI_Wtime() >= begin);
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void check_operations(void) {
  const int in[2] = {3, 5};
  int inout[2] = {4, 2}, commutes = 1;
  MPI_Op op;
  MPI_Op_create(add, 0, &op);
  MPI_Op_commutative(op, &commutes);
  CHECK(!commutes);
  MPI_Reduce_local(in, inout, 2, MPI_INT, op);
  CHECK(inout[0] == 7 && inout[1] == 7);
  MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_MIN);
  CHECK(inout[0] == 3 && inout[1] == 5);
  MPI_Op_commutative(MPI_MIN, &commutes);
  CHECK(commutes);
  MPI_Op_free(&op);
}

/* --- handles in Fortran, of which the standard's binary interface knows nothing --- */

#ifdef OPEN_MPI
/* There and back they are the same, and no two have the same number. */
#define CHECK_NUMBERS(c2f, f2c, one, other) \
  do {                                      \
    const MPI_Fint number = c2f(one);       \
    CHECK(f2c(number) == one);              \
    CHECK(c2f(one) == number);              \
    CHECK(c2f(other) != number);            \
    CHECK(f2c(c2f(other)) == other);        \
  } while (0)

static void check_handles(MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Op op;
  MPI_Group group;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Op_create(add, 1, &op);
  MPI_Comm_group(comm, &group);
  MPI_Info_create(&info);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Session session;
  MPI_Recv_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  CHECK_NUMBERS(MPI_Comm_c2f, MPI_Comm_f2c, comm, MPI_COMM_WORLD);
  CHECK_NUMBERS(MPI_Comm_c2f, MPI_Comm_f2c, MPI_COMM_SELF, MPI_COMM_NULL);
  CHECK_NUMBERS(MPI_Type_c2f, MPI_Type_f2c, type, MPI_INT);
  CHECK_NUMBERS(MPI_Type_c2f, MPI_Type_f2c, MPI_DOUBLE, MPI_DATATYPE_NULL);
  CHECK_NUMBERS(MPI_Op_c2f, MPI_Op_f2c, op, MPI_SUM);
  CHECK_NUMBERS(MPI_Op_c2f, MPI_Op_f2c, MPI_MAX, MPI_OP_NULL);
  CHECK_NUMBERS(MPI_Group_c2f, MPI_Group_f2c, group, MPI_GROUP_EMPTY);
  CHECK_NUMBERS(MPI_Group_c2f, MPI_Group_f2c, MPI_GROUP_EMPTY, MPI_GROUP_NULL);
  CHECK_NUMBERS(MPI_Info_c2f, MPI_Info_f2c, info, MPI_INFO_NULL);
  CHECK_NUMBERS(MPI_Errhandler_c2f, MPI_Errhandler_f2c, handler, MPI_ERRORS_RETURN);
  CHECK_NUMBERS(MPI_Errhandler_c2f, MPI_Errhandler_f2c, MPI_ERRORS_ARE_FATAL, MPI_ERRHANDLER_NULL);
  CHECK_NUMBERS(MPI_Request_c2f, MPI_Request_f2c, request, MPI_REQUEST_NULL);
  CHECK_NUMBERS(MPI_Session_c2f, MPI_Session_f2c, session, MPI_SESSION_NULL);
  MPI_Session_finalize(&session);

  /* Behind a number that came back is the same object. */
  int commutes = 0, sum = -1, tasks = -1;
  const int one = 1;
  const MPI_Op again = MPI_Op_f2c(MPI_Op_c2f(op));
  MPI_Op_commutative(again, &commutes);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, again, comm);
  MPI_Group_size(MPI_Group_f2c(MPI_Group_c2f(group)), &tasks);
  CHECK(commutes && sum == tasks);
  MPI_Type_free(&type);
  MPI_Op_free(&op);
  MPI_Group_free(&group);
  MPI_Info_free(&info);
  MPI_Errhandler_free(&handler);
  MPI_Request_free(&request);
}

/* Fortran's statuses that are to be ignored, as its procedures know them. */
extern int mpi_fortran_status_ignore_[], mpi_fortran_statuses_ignore_[];

/* The fields that every status has come through Fortran's form of it. */
static void check_statuses(void) {
  CHECK(MPI_F_STATUS_IGNORE == mpi_fortran_status_ignore_);
  CHECK(MPI_F_STATUSES_IGNORE == mpi_fortran_statuses_ignore_);
  MPI_Fint fields[64];
  MPI_Status status, again;
  MPI_Request request;
  int count = -1;
  const int words[3] = {1, 2, 3};
  int in[3];
  MPI_Isend(words, 3, MPI_INT, rank, 4, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 3, MPI_INT, rank, 4, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  memset(&again, 0, sizeof again);
  CHECK(MPI_Status_c2f(&status, fields) == MPI_SUCCESS);
  CHECK(MPI_Status_f2c(fields, &again) == MPI_SUCCESS);
  MPI_Get_count(&again, MPI_INT, &count);
  CHECK(again.MPI_SOURCE == rank && again.MPI_TAG == 4 && count == 3);
}
#endif

/* --- what MPI-3 has removed --- */

#ifdef OPEN_MPI
static void check_removed_names(MPI_Comm comm) {
  struct {
    int number;
    double value;
  } pair;
  enum { word = sizeof(int) };
  MPI_Aint at[2], lower = -1, upper = -1, extent = -1;
  int lengths[2] = {1, 1};
  const int pairs[4] = {0, 1, 4, 5}, apart[2] = {0, 3};
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, type;
  MPI_Errhandler handler, found;
  MPI_Address(&pair.number, &at[0]);
  MPI_Address(&pair.value, &at[1]);
  at[1] -= at[0];
  at[0] = 0;
  CHECK(at[1] == (char*)&pair.value - (char*)&pair);
  MPI_Type_struct(2, lengths, at, parts, &type);
  MPI_Type_lb(type, &lower);
  MPI_Type_ub(type, &upper);
  MPI_Type_extent(type, &extent);
  CHECK(lower == 0 && upper == (MPI_Aint)sizeof pair && extent == upper);
  MPI_Type_free(&type);
  at[1] = 3 * word;
  MPI_Type_hindexed(2, lengths, at, MPI_INT, &type);
  check_takes(type, apart, 2, 4 * word);
  MPI_Type_hvector(2, 2, 4 * word, MPI_INT, &type);
  check_takes(type, pairs, 4, 6 * word);

  MPI_Errhandler_create(hear, &handler);
  MPI_Errhandler_set(comm, handler);
  MPI_Errhandler_get(comm, &found);
  CHECK(found == handler);
  times = 0;
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  CHECK(times == 1);
  MPI_Errhandler_set(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  check_types();
  check_elements();
  check_error_handlers(own);
  check_attributes(own);
  check_attributes_of_types();
  check_attributes_of_parts();
  check_memory_and_threads();
  check_surroundings();
  check_hints(own);
  check_other_group(size);
  check_operations();
#ifdef OPEN_MPI
  check_handles(own);
  check_statuses();
  check_removed_names(own);
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* of calls without a communicator, since MPI-4.0 */
  check_matches();
  MPI_Comm_disconnect(&own);
  CHECK(own == MPI_COMM_NULL);
  return finish();
}
