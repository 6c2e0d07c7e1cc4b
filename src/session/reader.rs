//! Bytes to a session, whatever their layout.

use super::formats::{Survey, Verdict, read_document};
use super::{Format, Growing, ReadError, Session, Source, repair};

/// Reads a whole session file, in the format named, or in the one that its content shows.
///
/// # Errors
///
/// [`ReadError`] when there is nothing in it, when no format fits, or when it is a document that is
/// not JSON or not of its format. A file of lines is always read as far as it can be, and what was
/// left out is in [`Session::faults`].
pub fn read(bytes: &[u8], source: Source, format: Option<Format>) -> Result<Session, ReadError> {
    if is_blank(bytes) {
        return Err(ReadError::Empty);
    }
    if !is_line_based(bytes, format) {
        return read_document(bytes, source, format);
    }
    let mut growing = Growing::new(source, format);
    growing.push(bytes);
    growing.finish();
    let session = growing.into_session().ok_or(ReadError::UnknownFormat)?;
    if session.records.is_empty() {
        return Err(ReadError::Shape {
            format: session.format,
            line: session.faults.first().map(|fault| fault.line),
            place: "the file".to_owned(),
            problem: "must hold a record".to_owned(),
        });
    }
    Ok(session)
}

/// Whether a file is read line by line, and so can be followed with [`Growing`] while it grows;
/// otherwise it is one document, read anew as a whole whenever it changes.
pub fn is_line_based(bytes: &[u8], format: Option<Format>) -> bool {
    let mut survey = Survey::default();
    let mut rest = bytes;
    while !rest.is_empty() && !survey.is_over() {
        if survey.verdict(format) == (Verdict::Document { settled: true }) {
            break;
        }
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        survey.line(&rest[..length]);
        rest = &rest[length..];
    }
    matches!(survey.verdict(format), Verdict::Lines(_))
}

fn is_blank(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(repair::BOM).unwrap_or(bytes);
    bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
}
