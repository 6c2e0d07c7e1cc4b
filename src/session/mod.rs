//! Sessions: the model, and how bytes become one.
//!
//! A file of records, one a line, is read by [`Growing`], whether it still grows or not; a file
//! that is one JSON document is read whole. [`read`] takes either.

mod assembly;
mod error;
mod follow;
mod formats;
mod lines;
mod model;
mod reader;
mod repair;

pub use error::ReadError;
pub use follow::{Growing, Layout};
pub use formats::envelope;
pub use model::*;
pub use reader::{is_line_based, read};
