//! The way to a judge: the System One service, or a local server that speaks as it does.
//!
//! This is the only place that sends a session's text away. The key goes to the one endpoint over
//! HTTPS, or in the clear to this very machine; it is in no log, no error and no `Debug`.

mod endpoint;
mod environment;
mod key;
mod system_one;

pub use endpoint::{Endpoint, Reach};
pub use environment::Environment;
pub use key::Key;
pub use system_one::{Patience, SystemOne};
