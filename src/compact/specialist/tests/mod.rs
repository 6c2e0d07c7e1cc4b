//! Tests of the ranker as a whole.

mod golden;
mod growth;
mod links;
mod sessions;
