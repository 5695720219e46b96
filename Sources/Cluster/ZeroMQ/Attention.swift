/// Whether a socket may have events that its descriptor does not tell of: whatever uses a socket can take note of them by
/// the way (libzmq's `ZMQ_FD` is edge-triggered).
final class Attention {
    var isDue = true
}
