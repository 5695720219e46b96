import Perennial
import Testing

@Suite struct CustomerTableTests {
    @Test func `grants and attributes are shown where there are any`() throws {
        let answer = try JSONFragment(
            Array(
                """
                {"entitlements":[{"name":"pro","entitled":true,"validUntil":null,"by":{"kind":"grant","id":"g-1"}}],
                "streams":[],"conflicts":[],"attributes":{"plan":"gold","seats":5},
                "grants":[{"id":"g-1","entitlement":"pro","from":"2026-12-04T00:00:00.000Z","until":null,"revokedAt":null,
                "source":"web","reason":"order 4711","environment":"Production"}]}
                """.utf8))
        #expect(
            answer.customerTable.lines == [
                "ENTITLEMENT       UNTIL  BY", "pro          yes  -      grant g-1", "",
                "KIND  ID  STATE  PRODUCT  UNTIL  BECAUSE  ENVIRONMENT", "",
                "GRANT  ENTITLEMENT  FROM                      UNTIL  REVOKED  SOURCE  REASON      ENVIRONMENT",
                "g-1    pro          2026-12-04T00:00:00.000Z  -      -        web     order 4711  Production", "",
                "ATTRIBUTE  VALUE", "plan       gold", "seats      5",
            ])
    }

    @Test func `what is registered and what people have said lately is shown where there is any`() throws {
        let event = #"{"event":"1-2","kind":"linked","at":"2026","actor":null,"reason":"r","before":"a","after":"b"}"#
        let events = Array(repeating: event, count: 11).joined(separator: ",")
        let answer = try JSONFragment(
            Array(
                """
                {"entitlements":[],"streams":[],"conflicts":[],"attributes":{},"grants":[],"history":[\(events)],
                "identifiers":{"appAccountTokens":["t-1","t-2"],"appTransactionIds":[]}}
                """.utf8))
        let lines = answer.customerTable.lines.suffix(14)
        #expect(
            lines.prefix(5) == [
                "", "registered tokens: t-1, t-2", "", "AT    EVENT  KIND    BEFORE  AFTER  BY  REASON",
                "2026  1-2    linked  a       b      -   r",
            ])
        #expect(lines.count { $0.hasPrefix("2026") } == 10)
    }

    @Test func `what is paid for twice is shown with both payments`() throws {
        let answer = try JSONFragment(
            Array(
                """
                {"entitlements":[],"streams":[],"conflicts":[],"attributes":{},"grants":[],"duplicatePayments":[
                {"entitlement":"pro","since":"2026","payments":[{"kind":"subscription","id":"2000000000000001",
                "productId":"pro.monthly"},{"kind":"grant","id":"web-4711","productId":null}]}]}
                """.utf8))
        #expect(
            answer.customerTable.lines.suffix(2) == [
                "PAYS TWICE FOR  SINCE  ONE                            OTHER",
                "pro             2026   subscription 2000000000000001  grant web-4711",
            ])
    }

    @Test(arguments: [
        (
            #"{"wouldGain":[{"customerId":"b","entitlement":"pro","validUntil":null,"environment":"E"}],"#
                + #""wouldLose":[{"customerId":"a","entitlement":"pro","validUntil":"2026","environment":"E"}],"#
                + #""changes":["moved"],"refused":null}"#,
            [
                "CUSTOMER  WOULD  ENTITLEMENT  UNTIL  ENVIRONMENT", "a         lose   pro          2026   E",
                "b         gain   pro          -      E",
            ]
        ),
        (
            #"{"wouldGain":[],"wouldLose":[],"changes":[],"refused":"linkedElsewhere"}"#,
            ["would be refused: linkedElsewhere"]
        ),
        (#"{"wouldGain":[],"wouldLose":[],"changes":[],"refused":null}"#, ["nothing would change"]),
        (
            #"{"wouldGain":[],"wouldLose":[],"changes":["linked"],"refused":null}"#,
            ["would be recorded: linked; no entitlement would begin or end"]
        ),
        (#"{"movedTo":"u-1"}"#, ["moved to u-1"]),
    ])
    func `a preview is shown in lines`(_ text: String, _ lines: [String]) throws {
        #expect(try JSONFragment(Array(text.utf8)).customerTable.lines == lines)
    }

    @Test(arguments: [
        ("plan=gold", AttributeArgument.Value.text("gold")), ("seats=5", .number(5)), ("rate=-1.5", .number(-1.5)),
        ("a=1.10", .text("1.10")), ("a=007", .text("007")),
        ("a=9007199254740993", .text("9007199254740993")), ("a=0", .number(0)), ("a=-1.5e1", .text("-1.5e1")),
        ("beta=true", .boolean(true)), ("beta=false", .boolean(false)), ("old=", .removed),
        (#"zip="01234""#, .text("01234")), ("a=nan", .text("nan")), ("a=0x10", .text("0x10")), ("a=b=c", .text("b=c")),
        ("a=1e999", .text("1e999")),
    ])
    func `an attribute is what its text says`(_ argument: String, _ value: AttributeArgument.Value) {
        #expect(AttributeArgument(argument: argument)?.value == value)
    }

    @Test(arguments: ["plan", "=gold", ""]) func `without a name it is none`(_ argument: String) {
        #expect(AttributeArgument(argument: argument) == nil)
    }
}
