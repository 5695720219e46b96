package struct VerificationConfiguration: ConfigurationSection {
    /// `verification.ocsp`: asks Apple whether a certificate has been revoked, for each new chain; `false` unless set.
    package var ocsp = false

    package init() {}
}
