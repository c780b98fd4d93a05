#include "vm/daemon/stream_port.hpp"

#include <sys/socket.h>

#include "vm/status.hpp"

namespace nasvm::daemon {

StreamPort::StreamPort(net::Fd socket, Tid peer, const PortContext& context, std::function<void(End)> closed)
    : SingleRoomPort(context.ready),
      peer_(peer),
      context_(context),
      forwarder_(context.router, context.handler, context.self),
      stream_(std::move(socket), *this),
      closed_(std::move(closed)) {
  context_.poller.add(stream_.fd(), watched_, *this);
}

StreamPort::~StreamPort() {
  if (open_ && watching_) context_.poller.remove(stream_.fd(), *this);
  context_.router.forget(*this);
  context_.ready.forget(*this);
  stream_.discard([](net::Packet& packet) { delete static_cast<Frame*>(&packet); });
}

void StreamPort::send(std::unique_ptr<Frame> frame) {
  if (!takes_output_) return;
  add_queued(*frame);
  stream_.send(*frame.release());
  update_interest();
}

void StreamPort::end_output() {
  takes_output_ = false;
  context_.router.end_output(peer_);
  stream_.discard([this](net::Packet& packet) { packet_sent(packet); });
  update_interest();
}

void StreamPort::expect_no_more() {
  if (!open_) return;
  ::shutdown(stream_.fd(), SHUT_RD);
  forwarder_.take_the_rest();
  if (stream_.on_hold()) room();
}

void StreamPort::packet_sent(net::Packet& packet) {
  const std::unique_ptr<Frame> frame(static_cast<Frame*>(&packet));
  remove_queued(*frame);
}

/// Output is watched while something waits to leave, input unless a packet is held.
void StreamPort::update_interest() {
  if (!open_ || !watching_) return;
  const std::uint32_t wanted = (stream_.on_hold() ? 0U : EPOLLIN) | (stream_.wants_to_send() ? EPOLLOUT : 0U);
  if (wanted == watched_) return;
  watched_ = wanted;
  context_.poller.change(stream_.fd(), wanted, *this);
}

void StreamPort::close(End end) {
  if (!open_) return;
  open_ = false;
  if (watching_) context_.poller.remove(stream_.fd(), *this);
  end_output();
  closed_(end);
}

void StreamPort::handle(net::PacketStream::Result result) {
  if (result == net::PacketStream::Result::closed) close(End::closed);
  if (result == net::PacketStream::Result::garbage) close(End::garbage);
}

/// Packets that are too long, or in another's name, are refused by an exception; what follows them cannot be
/// understood.
void StreamPort::receive() {
  try {
    handle(stream_.receive());
  } catch (const RunError&) {
    close(End::garbage);
  }
}

void StreamPort::resume() {
  try {
    handle(stream_.resume());
  } catch (const RunError&) {
    close(End::garbage);
  }
}

void StreamPort::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) (void)stream_.flush();
  const bool hung_up = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (hung_up && stream_.on_hold()) {
    // The other side is gone, but what it sent before is still to be read when there is room. epoll would report
    // the hang-up again and again.
    watching_ = false;
    context_.poller.remove(stream_.fd(), *this);
    end_output();
    return;
  }
  if ((events & EPOLLIN) != 0 || hung_up) receive();
  update_interest();
}

void StreamPort::room() {
  if (!open_) return;
  resume();
  while (open_ && !watching_ && !stream_.on_hold()) receive();
  update_interest();
}

/// A task that says it is the console could end the daemon.
net::Landing StreamPort::begin_packet(const Envelope& envelope) {
  if (Tid{envelope.source} != peer_) throw RunError("a packet in the name of " + to_string(Tid{envelope.source}));
  return forwarder_.begin(envelope, *this);
}

void StreamPort::end_packet(const Envelope& envelope, const net::Landing& landing) {
  forwarder_.end(envelope, landing);
}

}  // namespace nasvm::daemon
