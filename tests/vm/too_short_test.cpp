#include "vm/too_short.hpp"

#include <catch2/catch.hpp>

#include "vm/collective/tags.hpp"

using namespace nasvm;

TEST_CASE("a receive that was too short is told with the length of its message, where that is known", "[endpoint]") {
  Operation receive;
  receive.kind = Operation::Kind::receive;
  receive.bytes = 20;
  receive.status = {3, 7, 100};
  CHECK_THROWS_WITH(complain_of_length(receive),
                    "a message of 100 bytes from rank 3 (tag 7) does not fit its receive buffer of 20 bytes");
  receive.status.bytes = 20;
  CHECK_THROWS_WITH(complain_of_length(receive),
                    "a message from rank 3 (tag 7) does not fit its receive buffer of 20 bytes");
  CHECK_THROWS_AS(complain_of_length(receive), TooShort);
  CHECK(TooShort(receive).collective_text() ==
        "the counts of this task and of rank 3 differ: a longer piece came where 20 bytes were expected");
  receive.status.bytes = 100;
  CHECK(TooShort(receive).collective_text() ==
        "the counts of this task and of rank 3 differ: a piece of 100 came where 20 bytes were expected");
  receive.context = 7;  // of a collective
  receive.status.tag = collective::allreduce_tag;
  CHECK_THROWS_WITH(complain_of_length(receive),
                    "collectives do not match: in an allreduce the counts of this task and of rank 3 differ: a piece "
                    "of 100 came where 20 bytes were expected");
}
