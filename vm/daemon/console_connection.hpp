#pragma once
/// \file
/// A daemon's connection to its console, from the first byte to the end of the handshake.

#include <string>

#include "vm/auth.hpp"
#include "vm/net/fd.hpp"
#include "vm/net/redial.hpp"

namespace nasvm::daemon {

/// Connects the daemon of `host` to the console at `address` ("127.0.0.1:4000") and proves the secret, blocking:
/// there is nothing else to do yet. Connects again when the console could not be heard among others, or has pushed it
/// out. Throws RunError when enough has been tried, or at once when the console does not know the secret.
net::Fd connect_to_console(const std::string& address, int host, const Secret& secret,
                           const net::Redial::Options& redial = {});

}  // namespace nasvm::daemon
