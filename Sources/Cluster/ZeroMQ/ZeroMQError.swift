import CZeroMQ

/// What libzmq could not do.
package struct ZeroMQError: Error, Sendable {
    /// As errno has it: POSIX's numbers and those of libzmq.
    package let number: Int32
    /// The function that failed, and libzmq's own sentence.
    package let message: String
    package let location: String

    init(number: Int32, message: String, file: String = #fileID, line: Int = #line) {
        self.number = number
        self.message = message
        self.location = "\(file):\(line)"
    }

    /// Of the call that has just failed on this thread.
    static func last(_ function: String, file: String = #fileID, line: Int = #line) -> ZeroMQError {
        let number = zmq_errno()
        let sentence = unsafe String(cString: zmq_strerror(number))
        return ZeroMQError(number: number, message: "\(function): \(sentence)", file: file, line: line)
    }
}
