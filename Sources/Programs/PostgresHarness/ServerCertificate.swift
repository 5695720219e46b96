/// A key and a certificate for `localhost` and `127.0.0.1` that signs itself.
struct ServerCertificate {
    let directory: String

    var certificate: String { "\(self.directory)/server.crt" }
    var key: String { "\(self.directory)/server.key" }

    func make(for programs: PostgresPrograms) throws {
        try ChildProcess.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
            self.key, "-out", self.certificate,
        ])
        try programs.give(self.key)
        try programs.give(self.certificate)
    }
}
