//! Getting a text back.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{ENVIRONMENT, FileStash, beginning_with, is_id, names, no_directory, read_verified};

/// A text as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// 64 lower-case hexadecimal digits.
    pub sha256: String,
    pub text: String,
}

/// Why a text is not given out, and what to do about it.
#[derive(Debug, Error)]
pub enum RecallError {
    #[error(
        "there is no stash id in {0:?}; an id is the 12 to 64 digits (0-9, a-f) that follow `recall` in a pointer"
    )]
    Malformed(String),
    #[error("several ids are named, recall them one by one: {}", .0.join(", "))]
    Several(Vec<String>),
    #[error(
        "nothing is stashed under {id} in {}; if it was stored elsewhere, name that directory in \
         {ENVIRONMENT}",
        directory.display()
    )]
    Unknown { id: String, directory: PathBuf },
    #[error("{id} stands for several texts; give more digits of one: {}", matching.join(", "))]
    Ambiguous { id: String, matching: Vec<String> },
    #[error(
        "the stashed text {sha256} is damaged and not given out; compact the session that held it \
         again, and it is stored anew"
    )]
    Damaged { sha256: String },
    #[error("the stash cannot be read")]
    Unreadable(#[from] io::Error),
}

impl FileStash {
    /// The text whose SHA-256 begins with the id in `asked`: 12 to 64 digits, or a pointer that
    /// names them.
    ///
    /// # Errors
    /// [`RecallError`]; only a text that hashes to its name is given out.
    pub fn recall(&self, asked: &str) -> Result<Recalled, RecallError> {
        let id = &*id_in(asked)?;
        let directory = self.directory.as_deref().ok_or_else(no_directory)?;
        let names = names(directory)?;
        let mut matching: Vec<String> = beginning_with(&names, id).cloned().collect();
        let sha256 = match matching.pop() {
            None => {
                return Err(RecallError::Unknown {
                    id: id.to_owned(),
                    directory: directory.to_owned(),
                });
            }
            Some(only) if matching.is_empty() => only,
            Some(last) => {
                matching.push(last);
                return Err(RecallError::Ambiguous { id: id.to_owned(), matching });
            }
        };
        // Only texts are stored: bytes that are none were put there by somebody else.
        let bytes = read_verified(&directory.join(&sha256), &sha256)?;
        match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(text) => Ok(Recalled { sha256, text }),
            None => Err(RecallError::Damaged { sha256 }),
        }
    }
}

/// The id that a text is, or that one pointer in it names after `recall`. Capitals count as the
/// small letters that they stand for.
fn id_in(text: &str) -> Result<String, RecallError> {
    let digits = |named: &str| named.split(|c: char| !c.is_ascii_hexdigit()).next().map(lower);
    let mut ids: Vec<String> = text.split("recall ").skip(1).filter_map(digits).collect();
    ids.push(lower(text.trim()));
    ids.retain(|id| is_id(id));
    ids.sort();
    ids.dedup();
    match ids.len() {
        0 => Err(RecallError::Malformed(text.to_owned())),
        1 => Ok(ids.remove(0)),
        _ => Err(RecallError::Several(ids)),
    }
}

fn lower(id: &str) -> String {
    id.to_ascii_lowercase()
}
