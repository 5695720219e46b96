import AppStoreSimulator
import Crypto
import Foundation
import Testing

@Suite struct KeysDirectoryTests {
    @Test func holdsWhatClientsNeed() throws {
        try withTemporaryDirectory { path in
            // given a new directory
            let directory = try KeysDirectory.open(path)

            // then the root is DER, and the key PKCS#8 on P-256 that only its owner can read
            let root = try Data(contentsOf: URL(fileURLWithPath: directory.file("root.cer")))
            #expect(Array(root) == directory.keys.rootCertificate)
            #expect(root.first == 0x30)
            let pem = try String(contentsOfFile: directory.file("AuthKey.p8"), encoding: .utf8)
            #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
            _ = try P256.Signing.PrivateKey(pemRepresentation: pem)
            for secret in ["AuthKey.p8", "authority.json"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(secret))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            #expect(directory.keys.keyID.count == 10)
            #expect(UUID(uuidString: directory.keys.issuerID) != nil)
        }
    }

    @Test func keepsItsKeys() throws {
        try withTemporaryDirectory { path in
            let first = try KeysDirectory.open(path)
            let key = try Data(contentsOf: URL(fileURLWithPath: first.file("AuthKey.p8")))
            let second = try KeysDirectory.open(path)
            #expect(second.keys.rootCertificate == first.keys.rootCertificate)
            #expect(second.keys.keyID == first.keys.keyID)
            #expect(try Data(contentsOf: URL(fileURLWithPath: second.file("AuthKey.p8"))) == key)
        }
    }

    @Test func twoDirectoriesHaveDifferentKeys() throws {
        try withTemporaryDirectory { path in
            let one = try KeysDirectory.open(path + "/one")
            let other = try KeysDirectory.open(path + "/other")
            #expect(one.keys.rootCertificate != other.keys.rootCertificate)
        }
    }

    @Test func saysWhatIsWrongWithADirectory() throws {
        try withTemporaryDirectory { path in
            try Data("no directory".utf8).write(to: URL(fileURLWithPath: path + "/file"))
            let error = #expect(throws: SimulatorError.self) { try KeysDirectory.open(path + "/file") }
            #expect(error?.code == .keysUnusable)
        }
    }
}
