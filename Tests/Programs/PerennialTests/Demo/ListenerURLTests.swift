import HTTPAPI
import Perennial
import Testing

@Suite struct ListenerURLTests {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:81"), ("localhost", "http://localhost:81"), ("::1", "http://[::1]:81"),
        ("0.0.0.0", "http://127.0.0.1:81"), ("::", "http://[::1]:81"), ("10.0.0.7", "http://10.0.0.7:81"),
    ])
    func isReachedFromThisMachine(_ host: String, _ url: String) {
        #expect(HTTPAPI.Configuration.Listener(host: host, port: 81).urlOnThisMachine == url)
    }
}
