import Foundation

extension String {
    /// A URL with its passwords made unreadable: what stands between a colon and the last @ before the parameters, also
    /// where libpq would not find it because / or ? are not percent-encoded, and the values of parameters that are called
    /// so, in whatever spelling. Any other text as it is.
    var maskingPasswords: String {
        guard self.contains("://") else { return self }
        return
            self
            .replacing(#/(?<start>:\/\/[^:@\/?]*:)[^@]*@(?:[^@?]*@|[^@\/]*@)*/#) { "\($0.output.start)********@" }
            .replacing(#/(?<start>[?&](?<name>[^=&]*)=)[^&]*/#) { parameter in
                let name = parameter.output.name.removingPercentEncoding ?? "password"
                return name.lowercased().hasSuffix("password")
                    ? "\(parameter.output.start)********" : String(parameter.output.0)
            }
    }
}
