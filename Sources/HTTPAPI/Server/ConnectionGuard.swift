import HTTPTypes
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// Stands between the HTTP decoder and the requests of one connection: keeps deadlines, so that slow clients cannot
/// hold what others need, turns surplus connections away, answers what is not HTTP, and ends a connection after its
/// last answer.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let admission: Admission
    private var isSurplus = false
    private var machine = ConnectionPhase()
    private var deadline: NIODeadline?
    private var tick: Scheduled<Void>?
    private var isQuiescing = false
    /// The answer under way does not end by itself.
    private var isStreaming = false
    /// Parts of it that its client has not taken yet.
    private var waitingParts = 0

    package init(admission: Admission) { self.admission = admission }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.isSurplus = !self.admission.openConnection()
        self.restartDeadline(context)
        self.scheduleTick(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.tick?.cancel()
        self.admission.closeConnection()
    }

    // MARK: In

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.machine.isClosing else { return }  // what still comes in is thrown away
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            guard !self.isSurplus else {
                return self.refuse(
                    Problem(.tooBusy, "too many connections"), to: head.headerFields, context: context)
            }
            let isContinued = self.machine.isQuiet && self.isContinuable(head)
            self.advance(context) { $0.requestBegan() }
            if isContinued {
                context.writeAndFlush(self.wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end: self.advance(context) { $0.requestEnded() }
        }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, self.machine.isQuiet, !self.machine.isClosing else {
            return context.fireErrorCaught(error)
        }
        var problem = Problem(.malformedRequest, "the request head cannot be read")
        if error == .headerOverflow {
            problem = Problem(
                status: .requestHeaderFieldsTooLarge, code: problem.code, title: problem.title,
                detail: "path, query and header fields are larger than \(self.admission.limits.headerBytes) bytes")
        }
        self.refuse(problem, context: context)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { self.isQuiescing = true }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whether the client waits for our word before it sends its body, and should get it.
    private func isContinuable(_ head: HTTPRequest) -> Bool {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return false }
        let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        return length <= self.admission.limits.bodyBytesPerRequest
    }

    // MARK: Out

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            if self.isQuiescing { head.headerFields[.connection] = "close" }
            let isLast = head.headerFields[.connection] == "close"
            self.isStreaming = head.headerFields[.contentType] == ServerSentEvents.contentType
            self.advance(context) { $0.answerBegan(isLast: isLast) }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: self.isStreaming ? self.countingPart(promise, context) : promise)
        case .end:
            self.writeEnd(data, promise: promise, context: context)
        }
    }

    /// A stream may go on as long as its client takes what there is: while there is nothing, no deadline runs.
    private func countingPart(
        _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        if self.waitingParts == 0 { self.restartDeadline(context) }
        self.waitingParts += 1
        let promise = promise ?? context.eventLoop.makePromise()
        let isolated = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess {
            let (handler, context) = isolated.value
            handler.waitingParts -= 1
            handler.restartDeadline(context)
            if handler.waitingParts == 0 { handler.deadline = nil }
        }
        return promise
    }

    /// The answer has been taken when its last byte is with the kernel.
    private func writeEnd(_ data: NIOAny, promise: EventLoopPromise<Void>?, context: ChannelHandlerContext) {
        if self.isStreaming { self.restartDeadline(context) }
        let promise = promise ?? context.eventLoop.makePromise()
        let isolated = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess {
            let (handler, context) = isolated.value
            handler.advance(context) { $0.answerEnded() }
            if handler.machine.phase == .lingering { context.close(mode: .output, promise: nil) }
        }
        context.write(data, promise: promise)
    }

    /// Answers in place of the application, and ends the connection.
    private func refuse(_ problem: Problem, to headers: HTTPFields = [:], context: ChannelHandlerContext) {
        var problem = problem
        problem.closesConnection = true
        problem.headers[.requestID] = RequestID(RequestFields(headers)).text
        let (head, body) = problem.rendered()
        self.advance(context) { $0.answerBegan(isLast: true) }
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(body)), promise: nil)
        self.writeEnd(self.wrapOutboundOut(.end(nil)), promise: nil, context: context)
        context.flush()
    }

    // MARK: Time

    private func advance(_ context: ChannelHandlerContext, _ step: (inout ConnectionPhase) -> Void) {
        let before = self.machine.phase
        step(&self.machine)
        if self.machine.phase != before { self.restartDeadline(context) }
    }

    private func restartDeadline(_ context: ChannelHandlerContext) {
        self.deadline = self.machine.timeout(self.admission.limits).map { context.eventLoop.now + $0 }
    }

    /// One look a second costs less than a timer for each phase of each request.
    private func scheduleTick(_ context: ChannelHandlerContext) {
        let interval = min(.seconds(1), self.admission.limits.shortestTimeout)
        self.tick = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            if let deadline = self.deadline, deadline <= context.eventLoop.now {
                context.close(promise: nil)
            } else {
                self.scheduleTick(context)
            }
        }
    }
}

extension Configuration.Limits {
    fileprivate var shortestTimeout: TimeAmount {
        min(self.headTimeout, self.bodyTimeout, self.answerTimeout, self.idleTimeout)
    }
}
