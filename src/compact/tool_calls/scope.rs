//! What an index knows beside ids and texts. An answer to one request looks at little of it.

use crate::compact::settings::{Provider, RulesMode};

/// The parts of an [`Index`](super::Index) that some providers and modes look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    /// Lines, and which output lies in which other one.
    pub lines: bool,
    /// What each call says of itself.
    pub facts: bool,
    /// Which call makes which stale; only with facts.
    pub stale: bool,
    /// How each call could be repeated, and what may have been written after it.
    pub repeats: bool,
}

impl Scope {
    const NOTHING: Scope = Scope { lines: false, facts: false, stale: false, repeats: false };
    const ALL: Scope = Scope { lines: true, facts: true, stale: true, repeats: true };

    /// What deciding so looks at.
    pub fn of(provider: Provider, mode: RulesMode) -> Scope {
        match (provider, mode) {
            (Provider::Rules, RulesMode::Lossless) => Scope { lines: true, ..Scope::NOTHING },
            (Provider::Rules, RulesMode::Lossy) => {
                Scope { facts: true, stale: true, ..Scope::NOTHING }
            }
            (Provider::Rules, RulesMode::Recoverable) => Scope { stale: false, ..Scope::ALL },
            (Provider::Rules, RulesMode::Stashed) => Scope::ALL,
            (Provider::Jev | Provider::Laya | Provider::Auto | Provider::SpecialistV3, _) => {
                Scope::NOTHING
            }
        }
    }
}

impl Default for Scope {
    /// Everything: who keeps an index may be asked anything.
    fn default() -> Scope {
        Scope::ALL
    }
}
