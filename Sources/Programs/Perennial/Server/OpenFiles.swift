import Glibc

/// The number of files and sockets the process may have open at once.
enum OpenFiles {
    /// Raises the soft limit, often 1,024, to what the system allows this user: the server accepts more connections.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
