//! memory-compact, the published contract of the message pass: a JSON request in, a JSON answer
//! out. Requests outside its schema are refused whole.

mod answer;
mod error;
mod number;
mod request;
mod run;

pub use answer::*;
pub use error::{Fault, RequestError};
pub use request::{MemoryMessage, MemoryRequest};

/// Answers a memory-compact request.
///
/// # Errors
///
/// [`RequestError`] for bytes that are no JSON and for a request outside the contract's schema;
/// it names the first place found to be at fault and the limit broken there.
pub fn memory_compact(request: &[u8]) -> Result<Answer, RequestError> {
    MemoryRequest::parse(request).map(|request| Answer::to(&request))
}
