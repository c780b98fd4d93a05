#pragma once
/// \file
/// A daemon's connection to its console, from the first byte to the end of the handshake.

#include <chrono>
#include <string>

#include "vm/auth.hpp"
#include "vm/net/fd.hpp"
#include "vm/net/redial.hpp"

namespace nasvm::daemon {

/// For the console's daemons: the last attempt is over, and says why, before the 15 s have passed that the console
/// has for all of them to come up.
inline constexpr net::Redial::Options console_redial{
    .longest_connect = std::chrono::seconds(4), .patience = std::chrono::seconds(8), .least_attempts = 7};

/// Connects the daemon of `host` to the console at `address` ("127.0.0.1:4000") and proves the secret, blocking:
/// there is nothing else to do yet. Connects again when the console could not be heard among others, or has pushed it
/// out. Throws RunError when enough has been tried, or at once when the console does not know the secret.
net::Fd connect_to_console(const std::string& address, int host, const Secret& secret,
                           const net::Redial::Options& redial = {});

}  // namespace nasvm::daemon
