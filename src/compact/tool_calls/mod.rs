//! The tool-call pass: a call and its result are decided together.
