//! What is restored, against a plain comparison of every pair of blocks.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::super::bits;
use super::super::links::{Claim, ClaimKind};
use super::super::question::Question;
use super::super::restore::{Fates, restored};
use super::super::words::{is_common, terms};
use super::super::{Prepared, cues::Cues};
use super::sessions;

/// Sets of terms that link, one a block, found anew from the texts.
struct Plain<'s> {
    session: &'s Prepared,
    links: Vec<BTreeSet<String>>,
}

impl<'s> Plain<'s> {
    fn of(session: &'s Prepared, texts: &[String], question: &str) -> Plain<'s> {
        let of_text = |text: &str| -> BTreeSet<String> {
            let lowered = text.to_lowercase();
            terms(&lowered).filter(|term| !is_common(term)).map(str::to_owned).collect()
        };
        let asked = of_text(question);
        let all: Vec<_> = texts.iter().map(|text| of_text(text)).collect();
        let mut holders: HashMap<&String, usize> = HashMap::new();
        for term in all.iter().flatten() {
            *holders.entry(term).or_default() += 1;
        }
        let most = (all.len() / 2).max(2);
        let links = |term: &&String| {
            term.len() >= 4 && !asked.contains(*term) && (2..=most).contains(&holders[*term])
        };
        let links = all.iter().map(|terms| terms.iter().filter(links).cloned().collect()).collect();
        Plain { session, links }
    }

    fn shared(&self, one: usize, two: usize) -> usize {
        self.links[one].intersection(&self.links[two]).count()
    }

    fn others(&self, block: usize) -> impl Iterator<Item = usize> {
        (0..self.links.len()).filter(move |other| *other != block)
    }

    fn claims(&self) -> Vec<Claim> {
        (0..self.links.len()).filter_map(|by| self.claim(by)).collect()
    }

    fn claim(&self, by: usize) -> Option<Claim> {
        let block = &self.session.blocks[by];
        let (kind, least) = if block.cues.has(Cues::REVISES | Cues::DEPRECATES) {
            (ClaimKind::Supersedes, 1)
        } else if block.cues.has(Cues::QUALIFIES) {
            (block.span.chars >= 80).then_some((ClaimKind::Qualifies, 2))?
        } else {
            block.cues.has(Cues::NEGATES).then_some((ClaimKind::Contradicts, 2))?
        };
        let of = self.others(by).find(|other| self.shared(by, *other) >= least)?;
        Some(Claim { by, of, kind })
    }

    /// The edges of a block: what the other end is, the confidence, and whether it is a claim.
    fn edges(&self, block: usize) -> Vec<(usize, f64, bool)> {
        let text = |block: usize| self.session.blocks[block].text;
        let first = |block: usize| (0..=block).find(|other| text(*other) == text(block)).unwrap();
        let copies = self.others(block).filter(|other| {
            text(*other) == text(block) && (first(block) == block || first(block) == *other)
        });
        let mut edges: Vec<_> = copies.map(|other| (other, 1.0, false)).collect();
        let sharing = self.others(block).filter(|other| self.shared(block, *other) >= 2);
        edges.extend(sharing.map(|other| (other, 0.6, false)));
        for claim in self.claims() {
            let confidence = match claim.kind {
                ClaimKind::Supersedes => 0.75,
                ClaimKind::Qualifies => 0.7,
                ClaimKind::Contradicts => 0.6,
            };
            if claim.by == block || claim.of == block {
                let other = if claim.by == block { claim.of } else { claim.by };
                edges.push((other, confidence, true));
            }
        }
        edges
    }

    fn restored(&self, fates: &Fates) -> Vec<usize> {
        let tied = |block: &usize| self.edges(*block).iter().any(|edge| fates.kept[edge.0]);
        if !fates.dropped.iter().chain(&fates.refused).any(tied) {
            return Vec::new();
        }
        let score = |block: usize| {
            let edges = self.edges(block);
            let mut score = if edges.is_empty() { -1.0 } else { edges.len() as f64 };
            for (other, confidence, is_claim) in edges {
                score += confidence;
                score += if is_claim { 1.0 } else { 0.0 };
                score += if fates.kept[other] { 0.5 } else { 0.0 };
            }
            score
        };
        let mut ranked: Vec<_> =
            fates.dropped.iter().map(|block| (score(*block), *block)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut chosen: Vec<usize> = ranked.into_iter().map(|(_, block)| block).collect();
        for block in chosen.clone() {
            for (other, confidence, is_claim) in self.edges(block) {
                let firm = is_claim && confidence >= 0.7;
                if firm && fates.refused.contains(&other) && !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
        }
        chosen.truncate(8);
        chosen
    }
}

/// Some links have many holders and others few, and sets take more than one tile.
#[test]
fn links_are_found_among_thousands_of_blocks() {
    const BLOCKS: usize = 5000;
    let said = |block: usize| {
        let cue = ["held", "not held", "revised"][block % 3];
        let [few, some, many] =
            [(1717, 1009), (61, 97), (11, 3)].map(|(step, modulus)| block * step % modulus);
        format!("batch{few:04} was {cue} by station{some:02} under regime{many}, lot{block:05}")
    };
    let parts: Vec<_> = (0..BLOCKS)
        .map(|message| sessions::OwnedPart {
            message,
            role: "user",
            kind: super::super::PartKind::Text,
            tool: None,
            body: said(message),
        })
        .collect();
    let session = Prepared::new(parts.iter().map(|part| part.part()));
    let question = "Which batch0007 was held by station07?";
    let texts: Vec<String> =
        (0..BLOCKS).map(|n| format!("[m{n:04} user text]\n{}\n", said(n))).collect();
    let plain = Plain::of(&session, &texts, question);
    let asked = Question::read(&session, question);
    let claims = session.links.claims(&session.blocks, &asked.has_term);
    for block in (0..BLOCKS).step_by(123) {
        let sharing = session.links.sharing(&session.links.without(block, &asked.has_term));
        let found: Vec<usize> = bits::members(&sharing).filter(|other| *other != block).collect();
        let want: Vec<usize> =
            plain.others(block).filter(|other| plain.shared(block, *other) >= 2).collect();
        assert_eq!(found, want, "block {block}");
        let claim = claims.iter().find(|claim| claim.by == block).copied();
        assert_eq!(claim, plain.claim(block), "block {block}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn links_found_from_terms_are_those_of_every_pair(
        parts in sessions::parts(16),
        question in sessions::question(),
        fates in proptest::collection::vec(0..4_u8, 200),
    ) {
        let mut text = String::new();
        for (number, part) in parts.iter().enumerate() {
            super::super::parts::render(&mut text, &part.part(), number == 0);
        }
        let session = Prepared::new(parts.iter().map(|part| part.part()));
        let texts: Vec<String> =
            session.blocks.iter().map(|block| text[block.span.bytes.clone()].to_owned()).collect();
        let asked = Question::read(&session, &question);
        let plain = Plain::of(&session, &texts, &question);
        prop_assert_eq!(session.links.claims(&session.blocks, &asked.has_term), plain.claims());
        // Copies share their fate, as they do when blocks are dropped.
        let fate = |block: usize| fates[session.standing.first_copies[block] % fates.len()];
        let with = |wanted: u8| (0..texts.len()).filter(|block| fate(*block) == wanted).collect();
        let (dropped, refused): (Vec<usize>, Vec<usize>) = (with(1), with(2));
        let kept = (0..texts.len()).map(|block| !matches!(fate(block), 1 | 2)).collect();
        let fates = Fates { kept, dropped, refused };
        prop_assert_eq!(restored(&session, &asked, &fates), plain.restored(&fates));
    }
}
