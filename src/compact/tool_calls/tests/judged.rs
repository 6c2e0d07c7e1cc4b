//! Providers that ask a judge.
