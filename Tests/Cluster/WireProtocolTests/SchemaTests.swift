import Foundation
import PerennialTestSupport
import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

/// Holds the generated code against the files in `proto/` that it was made from, which are what others read.
@Suite(.onOwnThreads) struct SchemaTests {
    private static let proto = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../proto")
        .standardizedFileURL

    /// Has protoc write what the generated code has by its names.
    private func encoded(_ message: some Message, in file: String) throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        let (text, bytes) = (folder.path("text"), folder.path("bytes"))
        try message.textFormatString().write(toFile: text, atomically: false, encoding: .utf8)
        let protoc = Process()
        protoc.executableURL = URL(filePath: "/usr/bin/env")
        protoc.arguments = [
            "protoc", "--proto_path=\(Self.proto.path)", "--encode=\(type(of: message).protoMessageName)",
            "perennial/v1/\(file).proto",
        ]
        protoc.standardInput = FileHandle(forReadingAtPath: text)
        _ = FileManager.default.createFile(atPath: bytes, contents: nil)
        protoc.standardOutput = FileHandle(forWritingAtPath: bytes)
        try protoc.run()
        protoc.waitUntilExit()
        #expect(protoc.terminationStatus == 0)
        return try Array(Data(contentsOf: URL(filePath: bytes)))
    }

    private func isAsTheSchemaSays<Sample: Message & Equatable>(_ message: Sample, in file: String) throws {
        #expect(try Sample(serializedBytes: self.encoded(message, in: file)) == message)
    }

    @Test("names, numbers and types of fields are those of the schema", arguments: 0..<8 as Range<UInt64>)
    func agree(seed: UInt64) throws {
        var frames = FrameRandomness(seed: seed)
        try self.isAsTheSchemaSays(frames.proto(isWellFormed: true), in: "cluster")
        var random = Randomness(seed: seed)
        let key = random.key()
        let event = try random.event(under: key).protoBytes(key: key)
        try self.isAsTheSchemaSays(try ProtoEvent(serializedBytes: event), in: "event")
    }
}
