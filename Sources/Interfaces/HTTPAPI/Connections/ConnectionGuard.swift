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
    /// nil once the connection has ended.
    private var place: ConnectionPlace?
    private var isSurplus = false
    /// Of the requests that are not answered yet; the last may still be arriving.
    private var bodies: [IncomingBody] = []
    /// The request that is arriving is not read any more: its answer says why, and is the last.
    private var isLetGo = false
    private var machine = ConnectionPhase()
    private var deadline: NIODeadline?
    private var tick: Scheduled<Void>?
    private var isQuiescing = false
    /// The client has closed its side: it sends no more, and has gone as a rule.
    private var isInputClosed = false
    /// The answer under way does not end by itself.
    private var isStreaming = false
    /// Parts of it that its client has not taken yet.
    private var waitingParts = 0

    package init(admission: Admission) { self.admission = admission }

    package func handlerAdded(context: ChannelHandlerContext) {
        let isolated = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let place = ConnectionPlace { [loop = context.eventLoop] in
            loop.execute { isolated.value.0.leave(isolated.value.1) }
        }
        self.place = place
        self.isSurplus = !self.admission.connections.open(place)
        self.noteWait()
        self.restartDeadline(context)
        self.scheduleTick(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.tick?.cancel()
        for body in self.bodies { self.release(body) }
        if let place = self.place { self.admission.connections.close(place) }
        self.place = nil
    }

    // MARK: In

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.machine.isClosing, !self.isLetGo else { return }  // what still comes in is thrown away
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            guard !self.isSurplus else {
                return self.refuse(
                    .tooManyConnections, to: head.headerFields, context: context)
            }
            let isContinued = self.machine.isQuiet && self.isContinuable(head)
            self.bodies.append(IncomingBody(head, at: context.eventLoop.now))
            self.advance(context) { $0.requestBegan() }
            if isContinued {
                context.writeAndFlush(self.wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body(let bytes):
            guard self.receive(bytes.readableBytes, context) else { return }
        case .end:
            if let place = self.bodies.last?.place { self.admission.largeBodies.complete(place) }
            self.advance(context) { $0.requestEnded() }
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
        guard event as? ChannelEvent == .inputClosed else { return }
        self.isInputClosed = true
        self.closeIfAbandoned(context)
    }

    /// A stream, and a refusal that is held back, could keep what they hold for long before a write shows that the client has
    /// gone: they end when it closes its side, also for the rare client that would read on. Every other answer comes soon, and
    /// is sent: some clients close their side once they have asked.
    private func closeIfAbandoned(_ context: ChannelHandlerContext) {
        guard self.isInputClosed, self.place != nil, self.isAnsweringStream || self.isHoldingRefusal else { return }
        context.close(promise: nil)
    }

    private var isAnsweringStream: Bool { self.isStreaming && self.machine.phase == .answering }

    private var isHoldingRefusal: Bool {
        guard case .refusal = self.place?.wait else { return false }
        return true
    }

    /// Whether the client waits for our word before it sends its body, and should get it.
    private func isContinuable(_ head: HTTPRequest) -> Bool {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return false }
        return ContentLength.bytes(head.headerFields[.contentLength]) <= self.admission.limits.bodyBytesPerRequest
    }

    /// - Returns: whether the bytes may go on to the request.
    private func receive(_ count: Int, _ context: ChannelHandlerContext) -> Bool {
        // Of a request that is answered already, the rest is thrown away.
        guard !self.bodies.isEmpty else { return true }
        let index = self.bodies.count - 1
        let surplus = self.bodies[index].receive(count, small: self.admission.limits.smallBodyBytes)
        guard surplus > 0 else { return true }
        let place = self.bodies[index].place ?? self.beginLargeBody(context)
        self.bodies[index].place = place
        if self.admission.largeBodies.take(surplus, for: place) { return true }
        self.letGo(.tooManyLargeBodies, context)
        return false
    }

    private func beginLargeBody(_ context: ChannelHandlerContext) -> LargeBodyBudget.ID {
        let isolated = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        return self.admission.largeBodies.begin { [loop = context.eventLoop] in
            loop.execute {
                let (handler, context) = isolated.value
                guard handler.place != nil, handler.machine.phase == .reading else { return }
                handler.letGo(.tooManyLargeBodies, context)
            }
        }
    }

    private func release(_ body: IncomingBody) {
        if let place = body.place { self.admission.largeBodies.end(place) }
    }

    /// Reads no more of the request that is arriving. Whoever reads its body gets the problem, and answers with it.
    private func letGo(_ problem: Problem, _ context: ChannelHandlerContext) {
        guard !self.isLetGo else { return }
        guard !self.bodies.isEmpty else { return context.close(promise: nil) }
        self.isLetGo = true
        self.deadline = context.eventLoop.now + self.admission.limits.answerTimeout
        context.fireErrorCaught(problem)
    }

    /// Others need the place, and there was nothing to do here.
    private func leave(_ context: ChannelHandlerContext) {
        guard let place = self.place else { return }
        switch place.wait {
        case .none: self.admission.connections.add(place)
        case .body: self.letGo(.tooManyConnections, context)
        case .firstHead, .refusal, .nextRequest: context.close(promise: nil)
        }
    }

    // MARK: Out

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            if self.isQuiescing || self.isLetGo || self.wouldReadOn { head.headerFields[.connection] = "close" }
            let isLast = head.headerFields[.connection] == "close"
            self.isStreaming = head.headerFields[.contentType] == ServerSentEvents.contentType
            self.advance(context) { $0.answerBegan(isLast: isLast) }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
            if self.isInputClosed {
                // Not in the middle of a write.
                context.eventLoop.assumeIsolated().execute { self.closeIfAbandoned(context) }
            }
        case .body:
            context.write(data, promise: self.isStreaming ? self.countingPart(promise, context) : promise)
        case .end:
            self.writeEnd(data, promise: promise, context: context)
        }
    }

    /// The body of what is answered now is still coming, and may be long or endless: nobody needs it any more.
    private var wouldReadOn: Bool {
        guard self.machine.isAnsweringWhatItReads else { return false }
        return self.bodies.last?.announced.map { $0 > self.admission.limits.smallBodyBytes } ?? true
    }

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is RefusalPause else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if self.machine.phase == .working { self.place?.wait = .refusal(since: .now) }
        self.closeIfAbandoned(context)
        promise?.succeed()
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
            if !handler.bodies.isEmpty { handler.release(handler.bodies.removeFirst()) }
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
        guard self.machine.phase != before else { return }
        self.noteWait()
        self.restartDeadline(context)
    }

    private func restartDeadline(_ context: ChannelHandlerContext) {
        let limits = self.admission.limits
        let isHasty = self.isSurplus && self.machine.phase == .starting
        let timeout = isHasty ? limits.surplusTimeout : self.machine.timeout(limits)
        self.deadline = timeout.map { context.eventLoop.now + $0 }
    }

    private func noteWait() {
        self.place?.wait =
            switch self.machine.phase {
            case .starting: .firstHead(since: .now)
            case .idle: .nextRequest(since: .now)
            case .reading: .body(since: .now)
            case .working, .answering, .lingering: .none
            }
    }

    /// One look a second costs less than a timer for each phase of each request.
    private func scheduleTick(_ context: ChannelHandlerContext) {
        let interval = min(.seconds(1), self.admission.limits.shortestTimeout)
        self.tick = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            let now = context.eventLoop.now
            let isLate = self.deadline.map { $0 <= now } ?? false
            if self.machine.phase == .reading, !self.isLetGo, isLate || self.isBodySlow(at: now) {
                self.letGo(.tooSlow, context)
            } else if isLate {
                return context.close(promise: nil)
            }
            self.scheduleTick(context)
        }
    }

    private func isBodySlow(at now: NIODeadline) -> Bool {
        guard !self.bodies.isEmpty else { return false }
        return self.bodies[self.bodies.count - 1].isTooSlow(self.admission.limits, at: now)
    }
}

/// Told to the guard of a connection whose request is refused, but not yet answered: until then others may have its place.
struct RefusalPause: Sendable {}

extension Problem {
    fileprivate static let tooManyConnections = Problem(.tooBusy, "too many connections")
    fileprivate static let tooManyLargeBodies = Problem(
        .tooBusy, "too many large request bodies at once, and this one came slowest")
    fileprivate static let tooSlow = Problem(.requestTimeout, "the rest of the request did not come in time")
}

extension Configuration.Limits {
    fileprivate var shortestTimeout: TimeAmount {
        min(
            self.headTimeout, self.surplusTimeout, self.bodyTimeout, self.bodyGrace, self.answerTimeout,
            self.idleTimeout)
    }
}
