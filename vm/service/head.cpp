#include "vm/service/head.hpp"

#include "vm/status.hpp"

namespace nasvm::service {

void Head::complain_of_kind() { throw RunError("what has come is no request"); }
void Head::complain_of_length() { throw RunError("a request has come in part"); }

}  // namespace nasvm::service
