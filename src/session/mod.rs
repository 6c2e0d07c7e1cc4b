//! Sessions: the model, and how bytes become one.

mod model;

pub use model::*;
