//! Ranking: which parts of a session go under a question.

use thiserror::Error;

use super::blocks::SHORTEST;
use super::budget;
use super::columns::{Column, Row};
use super::cues::Cues;
use super::model::{Model, ModelError};
use super::prepared::Prepared;
use super::question::Question;
use super::reading::Block;
use super::restore::{Fates, restored};
use crate::python::is_space;

/// High-risk words count in blocks of more characters than this.
const RISK_LENGTH: usize = 200;

/// Why nothing is ranked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RankError {
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The question is white space.
    #[error("there is no question to rank by")]
    NoQuestion,
    /// Every block is too short, or refused.
    #[error("there is no block to rank")]
    NothingToRank,
}

/// What the ranker says of one part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether every block of it is dropped.
    pub gone: bool,
    /// The greatest score of its ranked blocks, above 0 and below 1: monotone in the rank, no
    /// probability. `None` where none was ranked.
    pub score: Option<f64>,
}

/// The verdict over each part of a session under a question.
///
/// # Errors
/// [`RankError`] when there is nothing to rank or to rank by, or when the model is not what it
/// should be. Nothing may be dropped then.
pub fn rank(session: &Prepared, question: &str) -> Result<Vec<Verdict>, RankError> {
    if question.chars().all(is_space) {
        return Err(RankError::NoQuestion);
    }
    let model = Model::packaged()?;
    let question = Question::read(session, question);
    let judged = judged(session);
    if judged.is_empty() {
        return Err(RankError::NothingToRank);
    }
    let scores = scores(session, model, &question.rows(session), &judged);
    let score = |block: usize| scores[session.standing.first_copies[block]];
    let dropped = budget::dropped(
        session,
        &judged,
        |block| !is_guarded(&session.blocks[block], &question),
        score,
    );
    let gone = fates_after(session, &question, dropped);
    let mut report = vec![None; session.blocks.len()];
    judged.iter().for_each(|block| report[*block] = Some(squashed(score(*block))));
    Ok(verdicts(session, &gone, &report))
}

/// The blocks that are ranked: not too short, and not such that command their reader.
fn judged(session: &Prepared) -> Vec<usize> {
    let is_judged = |block: &Block| block.span.chars >= SHORTEST && !block.commands_its_reader;
    (0..session.blocks.len()).filter(|block| is_judged(&session.blocks[*block])).collect()
}

/// Whether a block stays whatever its rank: it quotes somebody, is in another language than the
/// question, or is of high risk.
fn is_guarded(block: &Block, question: &Question) -> bool {
    let foreign = block.language.is_some() && block.language != question.language;
    let risky = block.cues.has(Cues::HIGH_RISK) && block.span.chars > RISK_LENGTH;
    block.cues.has(Cues::QUOTES) || foreign || risky
}

/// The raw score of each judged block; that of a copy is the first one's.
fn scores(session: &Prepared, model: &Model, rows: &[Row], judged: &[usize]) -> Vec<f64> {
    let raised = raised(session, model, rows);
    let firsts = judged.iter().filter(|block| session.standing.first_copies[**block] == **block);
    let raw = model.raw(firsts.clone().map(|block| &rows[*block]));
    let mut scores = vec![0.0; rows.len()];
    for (block, raw) in firsts.zip(raw) {
        let bonus = if raised.contains(block) { model.bonus } else { 0.0 };
        let penalty = model.size_penalty * f64::from(rows[*block][Column::Chars as usize]);
        scores[*block] = raw - penalty + bonus;
    }
    scores
}

/// The blocks that match the question best, later ones first among equals, and the newest errors.
fn raised(session: &Prepared, model: &Model, rows: &[Row]) -> Vec<usize> {
    let matched = |block: &usize| rows[*block][Column::QuestionMatch as usize];
    let mut best: Vec<usize> = (0..rows.len()).filter(|block| matched(block) > 0.0).collect();
    best.sort_by(|a, b| matched(b).total_cmp(&matched(a)).then(b.cmp(a)));
    best.truncate(model.raised_by_question);
    let newest_errors = session.standing.errors.iter().rev().take(model.raised_errors);
    best.extend(newest_errors);
    best
}

/// Which blocks are gone once linked ones were restored.
fn fates_after(session: &Prepared, question: &Question, dropped: Vec<usize>) -> Vec<bool> {
    let blocks = &session.blocks;
    let refused: Vec<usize> =
        (0..blocks.len()).filter(|block| blocks[*block].commands_its_reader).collect();
    let mut gone = vec![false; blocks.len()];
    dropped.iter().chain(&refused).for_each(|block| gone[*block] = true);
    let fates = Fates { kept: gone.iter().map(|gone| !gone).collect(), dropped, refused };
    restored(session, question, &fates).into_iter().for_each(|block| gone[block] = false);
    gone
}

/// A score from 0 to 1, four decimals.
fn squashed(score: f64) -> f64 {
    let squashed = 1.0 / (1.0 + (-score).exp());
    (squashed * 1e4).round_ties_even() / 1e4
}

fn verdicts(session: &Prepared, gone: &[bool], scores: &[Option<f64>]) -> Vec<Verdict> {
    let bytes = |block: usize| &session.blocks[block].span.bytes;
    let verdict = |start: usize, end: usize| {
        let first = session.blocks.partition_point(|block| block.span.bytes.end <= start);
        let touching = || (first..gone.len()).take_while(|block| bytes(*block).start < end);
        Verdict {
            gone: touching().next().is_some() && touching().all(|block| gone[block]),
            score: touching().filter_map(|block| scores[block]).max_by(f64::total_cmp),
        }
    };
    session.segments.iter().map(|segment| verdict(segment.start, segment.end)).collect()
}
