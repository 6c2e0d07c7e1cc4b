//! Where a judge is, and whether text may be sent there.

use std::net::IpAddr;

use ureq::http::Uri;
use ureq::http::uri::Scheme;

/// The address of a judge that text may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Uri);

/// How far away a judge may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Anywhere over HTTPS, or on this machine.
    Anywhere,
    /// On this machine.
    Loopback,
}

impl Reach {
    /// What an address must be, for an error.
    pub fn must_be(self) -> &'static str {
        match self {
            Reach::Anywhere => "an https address, or an http address of this machine (127.0.0.1)",
            Reach::Loopback => "an address of this machine (http://127.0.0.1:PORT/…)",
        }
    }
}

impl Endpoint {
    /// Reads an address: `https`, or `http` to 127.0.0.0/8, `[::1]` or `localhost`. One that holds
    /// a user name or a password is none. `localhost` is 127.0.0.1, whatever a resolver says, so
    /// that what is sent in the clear cannot leave this machine.
    pub fn new(text: &str, reach: Reach) -> Option<Endpoint> {
        let uri: Uri = text.trim().parse().ok()?;
        let authority = uri.authority()?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        let is_local = is_loopback(authority.host());
        let secure = uri.scheme() == Some(&Scheme::HTTPS);
        let allowed = match reach {
            Reach::Anywhere => secure || is_local,
            Reach::Loopback => is_local,
        };
        if !allowed || !(secure || uri.scheme() == Some(&Scheme::HTTP)) {
            return None;
        }
        if authority.host().eq_ignore_ascii_case("localhost") && !secure {
            return by_number(uri).map(Endpoint);
        }
        Some(Endpoint(uri))
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn by_number(uri: Uri) -> Option<Uri> {
    let port = uri.port_u16().map_or(String::new(), |port| format!(":{port}"));
    let mut parts = uri.into_parts();
    parts.authority = format!("127.0.0.1{port}").parse().ok();
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_leaves_this_machine_over_https_alone() {
        for (address, anywhere, loopback) in [
            ("https://api.typesafe.ai/v1/systemone", true, false),
            ("https://10.0.0.1/v1", true, false),
            ("HTTPS://api.typesafe.ai/v1", true, false),
            ("https://127.0.0.1:8443/v1", true, true),
            ("http://127.0.0.1:8080/v1", true, true),
            ("http://127.9.8.7/v1", true, true),
            ("http://[::1]:8080/v1", true, true),
            ("http://localhost:8080/v1", true, true),
            ("http://LocalHost", true, true),
            (" http://127.0.0.1/\n", true, true),
            ("http://api.typesafe.ai/v1", false, false),
            ("http://10.0.0.1/v1", false, false),
            ("http://0.0.0.0/v1", false, false),
            ("http://128.0.0.1/v1", false, false),
            ("http://127.0.0.1.evil.example/v1", false, false),
            ("http://localhost.evil.example/v1", false, false),
            ("http://127.0.0.1@evil.example/v1", false, false),
            ("https://user:word@api.typesafe.ai/v1", false, false),
            ("http://2130706433/v1", false, false),
            ("http://127.1/v1", false, false),
            ("http://[::ffff:10.0.0.1]/v1", false, false),
            ("ftp://127.0.0.1/v1", false, false),
            ("file:///etc/passwd", false, false),
            ("//127.0.0.1/v1", false, false),
            ("127.0.0.1:8080", false, false),
            ("/v1", false, false),
            ("https://", false, false),
            ("", false, false),
        ] {
            assert_eq!(Endpoint::new(address, Reach::Anywhere).is_some(), anywhere, "{address}");
            assert_eq!(Endpoint::new(address, Reach::Loopback).is_some(), loopback, "{address}");
        }
    }

    #[test]
    fn localhost_is_no_name_to_be_resolved() {
        let uri = |address| Endpoint::new(address, Reach::Loopback).unwrap().uri().to_string();
        assert_eq!(uri("http://localhost:81/v1?a=b"), "http://127.0.0.1:81/v1?a=b");
        assert_eq!(uri("http://LOCALHOST"), "http://127.0.0.1/");
    }
}
