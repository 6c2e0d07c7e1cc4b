mod conformance;
mod contract;
mod generate;
mod naive;
mod properties;

/// The token count of the recorded answers.
fn heuristic_tokens(text: &str) -> usize {
    crate::tokens::count(text, crate::tokens::Method::Heuristic)
}
