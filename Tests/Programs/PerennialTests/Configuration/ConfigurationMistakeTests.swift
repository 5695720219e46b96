import Foundation
import Perennial
import Testing

@Suite struct ConfigurationMistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var yaml: String
        var environment: [String: String] = [:]
        let line: String

        init(_ description: String, _ yaml: String, environment: [String: String] = [:], says line: String) {
            self.testDescription = description
            self.yaml = yaml
            self.environment = environment
            self.line = line
        }
    }

    private static let shared = "store: { url: \"postgresql://db/perennial\" }\n"

    static let form = [
        Mistake(
            "an unknown key", "http:\n  prot: 8080",
            says: "perennial.yaml:2: http.prot: unknown key; the nearest known one is http.port"),
        Mistake(
            "an unknown section", "htp:\n  port: 1",
            says: "perennial.yaml:1: htp: unknown key; the nearest known one is http"),
        Mistake(
            "an unknown key in a list", smallest + "\n    appAppleID: 5",
            says: "perennial.yaml:5: apps[0].appAppleID: unknown key; the nearest known one is apps[0].appAppleId"),
        Mistake(
            "a key in the wrong case", "Http: {}",
            says: "perennial.yaml:1: Http: unknown key; the nearest known one is http"),
        Mistake(
            "an unknown key in an optional section", "http:\n  public:\n    prot: 1",
            says: "perennial.yaml:3: http.public.prot: unknown key; the nearest known one is http.public.port"),
        Mistake(
            "a word for a number", "http: { port: eighty }",
            says: "perennial.yaml:1: http.port: expected a whole number, found \"eighty\""),
        Mistake(
            "a fraction for a number", "http: { port: 80.5 }",
            says: "perennial.yaml:1: http.port: expected a whole number, found \"80.5\""),
        Mistake(
            "a list for a number", "http: { port: [1] }",
            says: "perennial.yaml:1: http.port: expected a whole number, found a list"),
        Mistake(
            "a section for text", "store: { url: { a: b } }",
            says: "perennial.yaml:1: store.url: expected text, found a section"),
        Mistake(
            "text for a section", "http: 8080",
            says: "perennial.yaml:1: http: expected a section with keys, found a single value"),
        Mistake(
            "text for a list", "apps: com.example.app",
            says: "perennial.yaml:1: apps: expected a list, found a single value"),
        Mistake(
            "a list for names and values", "entitlements:\n  renewalLeeway: [2h]",
            says: "perennial.yaml:2: entitlements.renewalLeeway: expected names and values, found a list"),
        Mistake(
            "a word for true or false", "verification: { ocsp: perhaps }",
            says: "perennial.yaml:1: verification.ocsp: expected true or false, found \"perhaps\""),
        Mistake(
            "a bad duration", "entitlements: { renewalLeeway: { Sandbox: 5 minutes } }",
            says:
                "perennial.yaml:1: entitlements.renewalLeeway.Sandbox: expected a length of time such as 2h, "
                + "5m, 3s or 500ms, found \"5 minutes\""
        ),
        Mistake(
            "a key twice", "http:\n  port: 1\n  port: 2", says: "perennial.yaml:2: port: written twice in one section"),
        Mistake("no YAML", "http: [", says: "perennial.yaml:2: not valid YAML: did not find expected node content"),
        Mistake("a list for all", "- http", says: "perennial.yaml:1: expected a section with keys, found a list"),
        Mistake(
            "a mirror that may be old for too long", "stream: { staleness: 2m }",
            says: "perennial.yaml:1: stream.staleness: has to be 1s to 1m"),
        Mistake(
            "a role that there is not", "node: { roles: [mirror, ingest] }",
            says: "perennial.yaml:1: node.roles[1]: unknown role ingest; it is mirror"),
        Mistake(
            "an unknown key of an app's serverAPI", smallest + "\n    serverAPI: { keyID: K }",
            says:
                "perennial.yaml:5: apps[0].serverAPI.keyID: unknown key; the nearest known one is "
                + "apps[0].serverAPI.keyId"),
        Mistake(
            "a word for a number with a fraction", smallest + "\n    serverAPI: { share: half }",
            says: "perennial.yaml:5: apps[0].serverAPI.share: expected a number such as 0.5, found \"half\""),
        Mistake(
            "a URL for names and URLs", smallest + "\n    serverAPI: { baseURL: \"http://127.0.0.1\" }",
            says:
                "perennial.yaml:5: apps[0].serverAPI.baseURL: expected names and values, found a single value"),
        Mistake(
            "an unknown variable", smallest, environment: ["PERENNIAL_HTTP_PROT": "1"],
            says: "PERENNIAL_HTTP_PROT: unknown variable; the nearest known one is PERENNIAL_HTTP_PORT"),
        Mistake(
            "a variable of a misspelt section", smallest, environment: ["PERENNIAL_HTPP_PORT": "9"],
            says: "PERENNIAL_HTPP_PORT: unknown variable; the nearest known one is PERENNIAL_HTTP_PORT"),
        Mistake(
            "a variable of the wrong type", smallest, environment: ["PERENNIAL_HTTP_PORT": "tcp://10.0.0.1:80"],
            says: "PERENNIAL_HTTP_PORT: http.port: expected a whole number, found \"tcp://10.0.0.1:80\""),
    ]

    static let meaning = [
        Mistake(
            "a port out of range", "http: { port: 65536 }\n" + smallest,
            says: "perennial.yaml:1: http.port: 65536 is no port from 0 to 65535"),
        Mistake(
            "a port out of range, from the environment", smallest, environment: ["PERENNIAL_HTTP_PORT": "-1"],
            says: "PERENNIAL_HTTP_PORT: http.port: -1 is no port from 0 to 65535"),
        Mistake(
            "an open address without tokens", "http: { host: 0.0.0.0 }\n" + smallest,
            says:
                "perennial.yaml:1: http.host: without http.tokens the API listens on a loopback address only, "
                + "not on 0.0.0.0"
        ),
        Mistake(
            "a name that begins like a loopback address", "http: { host: 127.0.0.1.example.com }\n" + smallest,
            says:
                "perennial.yaml:1: http.host: without http.tokens the API listens on a loopback address only, "
                + "not on 127.0.0.1.example.com"
        ),
        Mistake(
            "two listeners on one port", "http: { public: { port: 8080 } }\n" + smallest,
            says: "perennial.yaml:1: http.public.port: 8080 is the port of the first listener"),
        Mistake(
            "an address of pages that is no URL", "http: { publicURL: perennial.example.com }\n" + smallest,
            says: "perennial.yaml:1: http.publicURL: expected an http or https URL, such as "
                + "https://perennial.example.com"),
        Mistake(
            "TLS without a key", "http: { tls: { certificate: tls.crt } }\n" + smallest,
            says: "perennial.yaml:1: http.tls.key: is missing"),
        Mistake(
            "a missing key file", "http: { tls: { certificate: tls.crt, key: none.key } }\n" + smallest,
            says: "perennial.yaml:1: http.tls.key: none.key: there is no such file"),
        Mistake(
            "a key file that others can read", "http: { tls: { certificate: tls.crt, key: open.key } }\n" + smallest,
            says: """
                perennial.yaml:1: http.tls.key: open.key: everybody on this machine can read this key; run chmod 640 or 600
                """
        ),
        Mistake(
            "a token without name", "http: { tokens: [ { scopes: [read] } ] }\n" + smallest,
            says: "perennial.yaml:1: http.tokens[0].name: is missing"),
        Mistake(
            "a token's hash of another form",
            "http: { tokens: [ { name: web, sha256: abc, scopes: [read] } ] }\n" + smallest,
            says:
                "perennial.yaml:1: http.tokens[0].sha256: expected 64 hexadecimal digits, as `perennial tokens "
                + "new` prints them"
        ),
        Mistake(
            "an unknown scope", "http: { tokens: [ { name: web, scopes: [rite] } ] }\n" + smallest,
            says: "perennial.yaml:1: http.tokens[0].scopes: unknown scope rite; it is read, write or admin"),
        Mistake(
            "a token without scopes", "http: { tokens: [ { name: web } ] }\n" + smallest,
            says: "perennial.yaml:1: http.tokens[0].scopes: names no scope"),
        Mistake(
            "a cluster on SQLite", "cluster: { bind: \"127.0.0.1:7000\" }\n" + smallest,
            says: "perennial.yaml:1: cluster: nodes that share shards share a store: they run with `serve` on "
                + "postgresql://"),
        Mistake(
            "a cluster that listens nowhere", Self.shared + "cluster: { bind: localhost }\n" + smallest,
            says: "perennial.yaml:2: cluster.bind: expected an address and a port, such as 10.0.0.5:7000"),
        Mistake(
            "an address that nobody can connect to", Self.shared + "cluster: { bind: \"0.0.0.0:7000\" }\n" + smallest,
            says: "perennial.yaml:2: cluster.advertise: is missing: others cannot connect to 0.0.0.0:7000"),
        Mistake(
            "an advertised address that is every address",
            Self.shared + "cluster: { bind: \"0.0.0.0:7000\", advertise: \"0.0.0.0:7000\" }\n" + smallest,
            says: """
                perennial.yaml:2: cluster.advertise: others cannot connect to 0.0.0.0:7000; name one address of this node
                """
        ),
        Mistake(
            "an advertised IPv6 address that is every address",
            Self.shared + "cluster: { bind: \"[::]:7000\", advertise: \"[::]:7000\" }\n" + smallest,
            says: "perennial.yaml:2: cluster.advertise: others cannot connect to [::]:7000; "
                + "name one address of this node"),
        Mistake(
            "an advertised port that is none",
            Self.shared + "cluster: { bind: \"10.0.0.5:0\", advertise: \"10.0.0.5:0\" }\n" + smallest,
            says: "perennial.yaml:2: cluster.advertise: others cannot connect to port 0; name the one that they reach"),
        Mistake(
            "a cluster without a key", Self.shared + "cluster: { bind: \"127.0.0.1:7000\" }\n" + smallest,
            says: "perennial.yaml:2: cluster.curveKeyFile: is missing"),
        Mistake(
            "a stream without a key", "stream: { bind: \"127.0.0.1:7100\" }\n" + smallest,
            says: "perennial.yaml:1: stream.curveKeyFile: is missing"),
        Mistake(
            "a stream without a port after its own", "stream: { bind: \"127.0.0.1:65535\" }\n" + smallest,
            says: "perennial.yaml:1: stream.bind: the port after it is needed as well"),
        Mistake(
            "an unknown store", "store: { url: \"mysql://db\" }\n" + smallest,
            says: "perennial.yaml:1: store.url: unknown scheme mysql; a log is kept in sqlite:// or postgresql://"),
        Mistake(
            "a store that is no URL", "store: { url: perennial.db }\n" + smallest,
            says: "perennial.yaml:1: store.url: expected a URL such as sqlite:///var/lib/perennial/perennial.db"),
        Mistake(
            "a store without file", "store: { url: \"sqlite://\" }\n" + smallest,
            says: "perennial.yaml:1: store.url: names no file"),
        Mistake(
            "no app", "http: { port: 1 }",
            says: "apps: names no app; each has a bundleId, environments and rootCertificates"),
        Mistake(
            "an app without bundle id", "apps: [ { environments: [Sandbox] } ]",
            says: "perennial.yaml:1: apps[0].bundleId: is missing"),
        Mistake(
            "an app twice", smallest + "\n  - bundleId: com.example.app",
            says: "perennial.yaml:5: apps[1].bundleId: com.example.app is configured twice"),
        Mistake(
            "Production without the app's number", smallest.replacing("Sandbox", with: "Production"),
            says: "perennial.yaml:2: apps[0].appAppleId: Production needs the app's number in the App Store"),
        Mistake(
            "an unknown environment", smallest.replacing("Sandbox", with: "Sandbxo"),
            says:
                "perennial.yaml:3: apps[0].environments: unknown environment Sandbxo; the nearest known one is "
                + "Sandbox"),
        Mistake(
            "Xcode outside a demo", smallest.replacing("Sandbox", with: "Xcode"),
            says:
                "perennial.yaml:3: apps[0].environments: Xcode payloads are signed by nobody; only `perennial "
                + "demo` takes them"
        ),
        Mistake(
            "no environment", smallest.replacing("[Sandbox]", with: "[]"),
            says: "perennial.yaml:3: apps[0].environments: names no environment"),
        Mistake(
            "no root", smallest.replacing("[root.cer]", with: "[]"),
            says: "perennial.yaml:4: apps[0].rootCertificates: names no root certificate"),
        Mistake(
            "a missing root", smallest.replacing("root.cer", with: "none.cer"),
            says: "perennial.yaml:4: apps[0].rootCertificates[0]: none.cer: there is no such file"),
        Mistake(
            "a root that is no certificate", smallest.replacing("root.cer", with: "text.cer"),
            says:
                "perennial.yaml:4: apps[0].rootCertificates[0]: text.cer: a root certificate is neither DER nor "
                + "PEM of an X.509 certificate"
        ),
        Mistake(
            "a root that is no authority", smallest.replacing("root.cer", with: "leaf.cer"),
            says:
                "perennial.yaml:4: apps[0].rootCertificates[0]: leaf.cer: a root certificate is not one of a "
                + "certificate authority"
        ),
        Mistake(
            "a root that is an intermediate certificate", smallest.replacing("root.cer", with: "intermediate.cer"),
            says:
                "perennial.yaml:4: apps[0].rootCertificates[0]: intermediate.cer: an intermediate certificate is no root, "
                + "and nothing can be verified under it: name the one that its chain ends in, AppleRootCA-G3.cer for "
                + "Apple's payloads"
        ),
        Mistake(
            "leeway for an unknown environment", "entitlements: { renewalLeeway: { Prod: 2h } }\n" + smallest,
            says:
                "perennial.yaml:1: entitlements.renewalLeeway.Prod: unknown environment Prod; the nearest known "
                + "one is Xcode"
        ),
        Mistake(
            "an entitlement without products", "entitlements: { catalog: [ { entitlement: pro } ] }\n" + smallest,
            says: "perennial.yaml:1: entitlements.catalog[0].products: names no product"),
        Mistake(
            "an odd number of shards", "sharding: { count: 100 }\n" + smallest,
            says: "perennial.yaml:1: sharding.count: 100 is no power of two from 16 to 4096"),
        Mistake(
            "too few shards", "sharding: { count: 8 }\n" + smallest,
            says: "perennial.yaml:1: sharding.count: 8 is no power of two from 16 to 4096"),
        Mistake(
            "an unknown level", "log: { level: loud }\n" + smallest,
            says:
                "perennial.yaml:1: log.level: unknown level loud; it is one of trace, debug, info, notice, "
                + "warning, error, critical"
        ),
        Mistake(
            "a node without name", "node: { id: \"\" }\n" + smallest,
            says: "perennial.yaml:1: node.id: has to be 1 to 128 visible ASCII characters"),
    ]

    /// - Parameter settings: that come after, or instead of, what makes a section complete.
    private static func asking(
        _ description: String, keyID: String = "keyId: K1, ", issuerID: String = "issuerId: I1, ",
        key: String = "privateKeyFile: AuthKey.p8", _ settings: String = "", says line: String
    ) -> Mistake {
        Mistake(
            description, smallest + "\n    serverAPI: { \(keyID)\(issuerID)\(key)\(settings) }",
            says: "perennial.yaml:5: apps[0].serverAPI.\(line)")
    }

    static let serverAPI = [
        Self.asking("a key without id", keyID: "", says: "keyId: is missing"),
        Self.asking(
            "a key id with a space", keyID: "keyId: K 1, ",
            says: "keyId: has to be 1 to 128 visible ASCII characters"),
        Self.asking("a key without issuer", issuerID: "", says: "issuerId: is missing"),
        Self.asking("no key", key: "", says: "privateKeyFile: is missing"),
        Self.asking(
            "a missing key", key: "privateKeyFile: none.p8", says: "privateKeyFile: none.p8: there is no such file"),
        Self.asking(
            "a key for everybody", key: "privateKeyFile: open.p8",
            says: "privateKeyFile: open.p8: everybody on this machine can read this key; run chmod 640 or 600"),
        Self.asking(
            "a key that is none", key: "privateKeyFile: tls.key",
            says:
                "privateKeyFile: tls.key: the private key K1 is not PEM of PKCS#8 (BEGIN PRIVATE KEY), as in "
                + "the .p8 file of App Store Connect"),
        Self.asking(
            "a key on another curve", key: "privateKeyFile: p384.p8",
            says: "privateKeyFile: p384.p8: the private key K1 is not an EC key on the curve P-256"),
        Self.asking(
            "a URL for an unknown environment", ", baseURL: { Sandbx: \"http://127.0.0.1:1\" }",
            says: "baseURL.Sandbx: unknown environment Sandbx; the nearest known one is Sandbox"),
        Self.asking(
            "a URL for an environment that the app is not in", ", baseURL: { Production: \"http://127.0.0.1:1\" }",
            says: "baseURL.Production: the app's environments do not name Production"),
        Self.asking(
            "a URL that is none", ", baseURL: { Sandbox: \"127.0.0.1:8090\" }",
            says: "baseURL.Sandbox: expected an http or https URL such as http://127.0.0.1:8090"),
        Self.asking(
            "a URL of another kind", ", baseURL: { Sandbox: \"ftp://127.0.0.1\" }",
            says: "baseURL.Sandbox: expected an http or https URL such as http://127.0.0.1:8090"),
        Self.asking(
            "a URL with a password", ", baseURL: { Sandbox: \"http://me:secret@127.0.0.1\" }",
            says: "baseURL.Sandbox: expected an http or https URL such as http://127.0.0.1:8090"),
        Self.asking("no share", ", share: 0", says: "share: 0.0 is not from 0.01 to 1"),
        Self.asking("more than all", ", share: 1.5", says: "share: 1.5 is not from 0.01 to 1"),
        Self.asking("less than nothing", ", share: -0.5", says: "share: -0.5 is not from 0.01 to 1"),
    ]

    @Test(arguments: Self.form + Self.meaning + Self.serverAPI)
    func isRefusedInOneLine(_ mistake: Mistake) throws {
        let folder = try ConfigurationFolder()
        #expect(try folder.refusal(mistake.yaml, environment: mistake.environment) == mistake.line)
    }

    @Test func aMissingFileIsNamed() throws {
        let folder = try ConfigurationFolder()
        #expect(throws: ConfigurationError(place: "/none/perennial.yaml", key: nil, message: "there is no such file")) {
            try ServerConfiguration.load(file: "/none/perennial.yaml", environment: [:])
        }
        _ = folder
    }
}
