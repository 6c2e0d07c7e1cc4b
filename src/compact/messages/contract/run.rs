//! From a request to its answer: the pass is run over the messages and told in the contract's
//! words.

use super::super::features::{RECENCY_WEIGHT, ROLE_WEIGHT, TOPIC_WEIGHT};
use super::super::{Cut, CutKind, Decided, Features, Limits, Standing, Unit, decide, role_weight};
use super::answer::*;
use super::number::{plain, rounded};
use super::request::{MemoryMessage, MemoryRequest};
use crate::session::Role;

const DEDUPE_METHOD: &str = "Jaccard word overlap, same role only, earlier message wins";
const CUT_AT: &str =
    "last sentence boundary before the limit, hard cut if none in the last 60 percent";
const DROP_ORDER: &str = "lowest score first, older first on a tie";
const NOTE: &str = "Recency is the position in the history from 0 to 1. Topic overlap is the \
    share of a message word set that appears in topic_terms_used, the 25 most frequent terms \
    longer than three characters across the whole history.";
const LIMITS: &str = "No language model. Nothing is summarised, paraphrased or rewritten: every \
    character of every returned content appears verbatim in the input, and nothing is appended. \
    Duplicate detection is word overlap, which measures shared vocabulary and not meaning — the \
    same fact in different words is not recognised as a duplicate. Trimming cuts at a sentence \
    boundary and can remove the point of a long message. Protected messages are never dropped, \
    so a budget below protected_chars cannot be met and budget_met is then false.";

/// Decimals of scores and similarities.
const SCORE_DECIMALS: usize = 6;
/// Decimals of the ratio of characters kept.
const RATIO_DECIMALS: usize = 4;

impl Answer {
    /// Runs the pass over a request's messages.
    pub fn to(request: &MemoryRequest) -> Answer {
        let run = Run::new(request);
        Answer {
            messages: run.messages(),
            stages: (run.pin(), run.dedupe(), run.trim(), run.drop()),
            loss: run.loss(),
            budget: run.budget(),
            scoring: run.scoring(),
            limits: LIMITS,
        }
    }
}

/// A request, and what was decided over it.
struct Run<'a> {
    request: &'a MemoryRequest,
    protections: Vec<Vec<Protection>>,
    features: Features,
    decided: Decided,
    /// Neither a duplicate nor dropped.
    survives: Vec<bool>,
    cuts: Vec<Option<Cut>>,
}

impl<'a> Run<'a> {
    fn new(request: &'a MemoryRequest) -> Run<'a> {
        let messages = &request.messages;
        let protections: Vec<_> =
            (0..messages.len()).map(|index| protections(request, index)).collect();
        let features = Features::new(messages.iter().map(unit));
        let standing: Vec<Standing> = protections
            .iter()
            .enumerate()
            .map(|(index, because)| standing(features.chars(index), !because.is_empty()))
            .collect();
        let decided =
            decide(&features, &standing, &limits(request), |index| &messages[index].content);
        let mut survives = vec![true; messages.len()];
        let removed = decided.duplicates.iter().map(|duplicate| duplicate.unit);
        for index in removed.chain(decided.drops.iter().map(|dropped| dropped.unit)) {
            survives[index] = false;
        }
        let mut cuts = vec![None; messages.len()];
        for cut in &decided.cuts {
            cuts[cut.unit] = Some(*cut);
        }
        Run { request, protections, features, decided, survives, cuts }
    }

    fn messages(&self) -> Vec<KeptMessage> {
        self.surviving().map(|index| self.kept(index)).collect()
    }

    fn kept(&self, index: usize) -> KeptMessage {
        let message = &self.request.messages[index];
        let cut = self.cuts[index];
        let protected = self.is_protected(index);
        let original_chars = self.features.chars(index);
        KeptMessage {
            index,
            role: message.role,
            content: message.content[..cut.map_or(message.content.len(), |cut| cut.bytes)].into(),
            kept: if cut.is_some() { Kept::Trimmed } else { Kept::Verbatim },
            protected,
            score: (!protected).then(|| rounded(self.features.score(index), SCORE_DECIMALS)),
            protected_because: self.protections[index].clone(),
            id: message.id.clone(),
            original_chars,
            chars: cut.map_or(original_chars, |cut| cut.chars),
        }
    }

    fn pin(&self) -> Stage<PinReport, PinRule> {
        let protected_indices: Vec<usize> = self.protected().collect();
        let messages = &self.request.messages;
        Stage {
            stage: "pin",
            order: 1,
            report: PinReport { protected_messages: protected_indices.len(), protected_indices },
            rule: PinRule {
                keep_roles: self.request.keep_roles.clone(),
                keep_last_n: self.request.keep_last_n,
                explicit_pins: messages.iter().filter(|message| message.pin).count(),
            },
        }
    }

    fn dedupe(&self) -> Stage<DedupeReport, DedupeRule> {
        let removed = self.decided.duplicates.iter().map(|duplicate| Removed {
            index: duplicate.unit,
            duplicate_of: duplicate.of,
            similarity: rounded(duplicate.similarity, SCORE_DECIMALS),
            chars: self.features.chars(duplicate.unit),
        });
        Stage {
            stage: "dedupe",
            order: 2,
            report: DedupeReport {
                removed_messages: self.decided.duplicates.len(),
                removed: removed.collect(),
            },
            rule: DedupeRule {
                duplicate_threshold: plain(self.request.duplicate_threshold),
                method: DEDUPE_METHOD,
            },
        }
    }

    fn trim(&self) -> Stage<TrimReport, TrimRule> {
        let trimmed = self.decided.cuts.iter().map(|cut| Trimmed {
            index: cut.unit,
            original_chars: cut.original_chars,
            chars: cut.chars,
            cut: match cut.kind {
                CutKind::Sentence => "sentence",
                CutKind::Hard => "hard",
            },
        });
        Stage {
            stage: "trim",
            order: 3,
            report: TrimReport {
                trimmed_messages: self.decided.cuts.len(),
                trimmed: trimmed.collect(),
            },
            rule: TrimRule { max_message_chars: self.request.max_message_chars, cut_at: CUT_AT },
        }
    }

    fn drop(&self) -> Stage<DropReport, DropRule> {
        let dropped = self.decided.drops.iter().map(|dropped| DroppedMessage {
            index: dropped.unit,
            score: rounded(dropped.score, SCORE_DECIMALS),
            chars: dropped.chars,
        });
        Stage {
            stage: "drop",
            order: 4,
            report: DropReport {
                dropped_messages: self.decided.drops.len(),
                dropped: dropped.collect(),
            },
            rule: DropRule { weights: weights(), order: DROP_ORDER, protected_never_dropped: true },
        }
    }

    fn loss(&self) -> Loss {
        let input_messages = self.request.messages.len();
        let input_chars = self.chars_of(0..input_messages);
        let output_chars = self.decided.output_chars;
        let output_messages = self.surviving().count();
        let cuts = || self.surviving().filter_map(|index| self.cuts[index]);
        Loss {
            input_messages,
            output_messages,
            input_chars,
            output_chars,
            dropped_messages: input_messages - output_messages,
            dropped_chars: input_chars - self.chars_of(self.surviving()),
            trimmed_messages: cuts().count(),
            truncated_chars: cuts().map(|cut| cut.original_chars - cut.chars).sum(),
            verbatim_messages: output_messages - cuts().count(),
            // Every message of a request has at least one character.
            retained_char_ratio: rounded(output_chars as f64 / input_chars as f64, RATIO_DECIMALS),
        }
    }

    fn budget(&self) -> Budget {
        let budget_chars = self.request.budget_chars;
        let output_chars = self.decided.output_chars;
        let protected_chars = self.chars_of(self.protected());
        Budget {
            budget_chars,
            output_chars,
            budget_met: output_chars <= budget_chars,
            shortfall_chars: output_chars.saturating_sub(budget_chars),
            protected_chars,
            protected_exceeds_budget: protected_chars > budget_chars,
        }
    }

    fn scoring(&self) -> Scoring {
        Scoring {
            weights: weights(),
            role_weights: RoleWeights {
                system: plain(role_weight(Role::System)),
                user: plain(role_weight(Role::User)),
                assistant: plain(role_weight(Role::Assistant)),
                tool: plain(role_weight(Role::Tool)),
            },
            topic_terms_used: self.features.topic_terms().to_vec(),
            note: NOTE,
        }
    }

    fn surviving(&self) -> impl Iterator<Item = usize> {
        (0..self.survives.len()).filter(|&index| self.survives[index])
    }

    fn protected(&self) -> impl Iterator<Item = usize> {
        (0..self.protections.len()).filter(|&index| self.is_protected(index))
    }

    fn is_protected(&self, index: usize) -> bool {
        !self.protections[index].is_empty()
    }

    /// Original characters of those messages.
    fn chars_of(&self, indices: impl Iterator<Item = usize>) -> usize {
        indices.map(|index| self.features.chars(index)).sum()
    }
}

/// Why a message is protected, in the contract's order.
fn protections(request: &MemoryRequest, index: usize) -> Vec<Protection> {
    let message = &request.messages[index];
    let recent = request.messages.len() - index <= request.keep_last_n;
    let reasons = [
        (message.pin, Protection::Pin),
        (request.keep_roles.contains(&message.role), Protection::Role),
        (recent, Protection::Recent),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()
}

fn unit(message: &MemoryMessage) -> Unit<'_> {
    Unit { role: message.role, content: &message.content, compared: true }
}

fn standing(chars: usize, protected: bool) -> Standing {
    Standing { protected, chars, trim: true, ..Standing::default() }
}

fn limits(request: &MemoryRequest) -> Limits {
    Limits {
        budget_chars: Some(request.budget_chars),
        duplicate_threshold: request.duplicate_threshold,
        max_message_chars: request.max_message_chars,
    }
}

fn weights() -> Weights {
    Weights {
        recency: plain(RECENCY_WEIGHT),
        role: plain(ROLE_WEIGHT),
        topic_overlap: plain(TOPIC_WEIGHT),
    }
}
