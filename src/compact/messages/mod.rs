//! The message pass: pin, dedupe, trim and drop to a character budget.
