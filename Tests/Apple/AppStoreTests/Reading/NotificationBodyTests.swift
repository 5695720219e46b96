import AppStore
import Testing

@Suite struct NotificationBodyTests {
    @Test(arguments: [#"{"signedPayload":"a.b.c"}"#, #" {"more":[1],"signedPayload":"\u0061.b.c"} "#])
    func findsThePayload(_ body: String) throws {
        #expect(try NotificationBody(Array(body.utf8)).signedPayload == Array("a.b.c".utf8))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"signedPayload":1}"#, #"{"signedPayload":null}"#,
        #"{"signedPayload":"a","signedPayload":"b"}"#,
        #"{"signedPayload":"a"}x"#, "\u{FEFF}{}", String(repeating: "[", count: 1_000_000),
    ])
    func refusesOtherBodies(_ body: String) {
        let failure = #expect(throws: VerificationFailure.self) { try NotificationBody(Array(body.utf8)) }
        #expect(failure?.class == .invalidJWTFormat)
    }

    @Test func tellsVersion1WhatToDo() {
        let body = #"{"notification_type":"DID_RENEW","unified_receipt":{"latest_receipt":"x"},"password":"secret"}"#
        let failure = #expect(throws: VerificationFailure.self) { try NotificationBody(Array(body.utf8)) }
        #expect(failure?.detail.contains("set version 2") == true)
        #expect(failure?.detail.contains("secret") == false)
    }
}
