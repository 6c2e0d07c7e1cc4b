//! Links: which blocks share distinctive terms.
//!
//! The reference compares every pair of blocks. Here each term knows its holders, as a set of
//! bits where they are many and as a list where they are few, and the blocks that share two terms
//! with one block are found from its terms alone.

use std::ops::Range;
use std::sync::OnceLock;

use super::bits::{self, TILE, Tile};
use super::blocks::SHORTEST;
use super::cues::Cues;
use super::lexicon::Lists;
use super::reading::{Block, Library};

/// Terms of fewer letters link nothing.
const SHORTEST_LINK: usize = 4;

/// The terms that can link blocks: more than one block has them, but no more than half of all.
/// They are numbered from the most frequent on.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    /// The term of each link, by the number that the library gives it.
    terms: Vec<u32>,
    /// How many blocks have each.
    holders: Vec<u32>,
    /// The two first blocks that have each.
    first_holders: Vec<[u32; 2]>,
    /// The links of each block, ascending.
    of_block: Lists<u32>,
    /// For the most frequent links a set of blocks each, one after the other.
    dense: Vec<u64>,
    /// For the others the blocks, ascending.
    sparse: Lists<u32>,
    /// The words of one set.
    words: usize,
    /// What each block claims of another one, before a question takes links away.
    claims: Vec<Option<Claim>>,
    /// How many blocks share two links with each, before a question takes links away; counted
    /// when it is asked for.
    shared: Vec<OnceLock<u32>>,
}

#[inline]
fn add_tile(once: &mut Tile, twice: &mut Tile, set: &Tile) {
    for ((once, twice), set) in once.iter_mut().zip(twice).zip(set) {
        *twice |= *once & set;
        *once |= set;
    }
}

/// What one block says about an earlier or later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    pub by: usize,
    pub of: usize,
    pub kind: ClaimKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Supersedes,
    Qualifies,
    Contradicts,
}

impl ClaimKind {
    /// What a block with these cues claims, and how many links it takes.
    fn of(block: &Block) -> Option<(ClaimKind, usize)> {
        if block.cues.has(Cues::REVISES | Cues::DEPRECATES) {
            Some((ClaimKind::Supersedes, 1))
        } else if block.cues.has(Cues::QUALIFIES) {
            (block.span.chars >= SHORTEST).then_some((ClaimKind::Qualifies, 2))
        } else if block.cues.has(Cues::NEGATES) {
            Some((ClaimKind::Contradicts, 2))
        } else {
            None
        }
    }
}

impl Links {
    pub fn find(library: &Library, blocks: &[Block]) -> Links {
        let mut links = Links { words: bits::words_for(blocks.len()), ..Links::default() };
        links.choose(library, blocks.len());
        links.index(library);
        links.shared = vec![OnceLock::new(); blocks.len()];
        let no_question = vec![false; library.words.len()];
        links.claims = (0..blocks.len())
            .map(|block| links.claim(blocks, block, &links.without(block, &no_question)))
            .collect();
        links
    }

    /// Chooses the terms that link, the most frequent first.
    fn choose(&mut self, library: &Library, blocks: usize) {
        let mut holders = vec![0; library.words.len()];
        library.term_lists.items().iter().for_each(|term| holders[*term as usize] += 1);
        let most = (blocks / 2).max(2);
        let links = |term: &u32| {
            let holders = holders[*term as usize] as usize;
            holders > 1 && holders <= most && library.words.get(*term).len() >= SHORTEST_LINK
        };
        self.terms = (0..library.words.len() as u32).filter(links).collect();
        self.terms.sort_by_key(|term| std::cmp::Reverse(holders[*term as usize]));
        self.holders = self.terms.iter().map(|term| holders[*term as usize]).collect();
    }

    fn index(&mut self, library: &Library) {
        const NONE: u32 = u32::MAX;
        let mut link_of = vec![NONE; library.words.len()];
        self.terms.iter().zip(0..).for_each(|(term, link)| link_of[*term as usize] = link);
        let mut list = Vec::new();
        for terms in library.term_lists.iter() {
            list.extend(
                terms.iter().map(|term| link_of[*term as usize]).filter(|link| *link != NONE),
            );
            list.sort_unstable();
            self.of_block.push(list.drain(..));
        }
        // A set is quicker than a list, and here takes no more than twice the room.
        let dense = self.holders.partition_point(|holders| *holders as usize > self.words);
        self.dense = vec![0; dense * self.words];
        self.first_holders = vec![[NONE; 2]; self.terms.len()];
        let mut lists = vec![Vec::new(); self.terms.len() - dense];
        for (block, links) in self.of_block.iter().enumerate() {
            for link in links.iter().map(|link| *link as usize) {
                match link.checked_sub(dense) {
                    Some(sparse) => lists[sparse].push(block as u32),
                    None => bits::insert(&mut self.dense[link * self.words..], block),
                }
                let first = &mut self.first_holders[link];
                if let Some(free) = first.iter_mut().find(|holder| **holder == NONE) {
                    *free = block as u32;
                }
            }
        }
        lists.into_iter().for_each(|list| self.sparse.push(list));
    }

    /// The links of a block that a question leaves: a term of the question is the topic, no link.
    pub fn without(&self, block: usize, has_term: &[bool]) -> Vec<u32> {
        let links = self.of_block.get(block).iter().copied();
        links.filter(|link| !has_term[self.terms[*link as usize] as usize]).collect()
    }

    /// No more blocks than this share two links with a block, by what is known so far.
    pub fn most_sharing(&self, block: usize) -> usize {
        let others = |link: &u32| self.holders[*link as usize] as usize - 1;
        let bound = || self.of_block.get(block).iter().map(others).sum::<usize>() / 2;
        self.shared[block].get().map_or_else(bound, |shared| *shared as usize)
    }

    /// How many blocks share two links with a block. It is counted once.
    pub fn count_sharing(&self, block: usize) -> usize {
        let count = || {
            let mut sharing = self.sharing(self.of_block.get(block));
            bits::remove(&mut sharing, block);
            bits::count(&sharing) as u32
        };
        *self.shared[block].get_or_init(count) as usize
    }

    /// The blocks that share at least two of these links, as a set.
    pub fn sharing(&self, links: &[u32]) -> Vec<u64> {
        self.sharing_within(links, 0..self.words)
    }

    fn sharing_within(&self, links: &[u32], range: Range<usize>) -> Vec<u64> {
        let mut once = vec![0; range.len()];
        let mut twice = vec![0; range.len()];
        let dense_links = self.dense.len() / self.words.max(1);
        let (dense, sparse) =
            links.split_at(links.partition_point(|link| (*link as usize) < dense_links));
        self.add_dense(dense, range.start, &mut once, &mut twice);
        let blocks = range.start as u32 * 64..range.end as u32 * 64;
        for link in sparse {
            let list = self.sparse.get(*link as usize - dense_links);
            let from = list.partition_point(|block| *block < blocks.start);
            for block in list[from..].iter().take_while(|block| **block < blocks.end) {
                let (word, bit) = ((block - blocks.start) as usize / 64, 1 << (block % 64));
                twice[word] |= once[word] & bit;
                once[word] |= bit;
            }
        }
        twice
    }

    /// Adds sets tile by tile. Once all blocks of a tile share two links the others change nothing.
    fn add_dense(&self, links: &[u32], from: usize, once: &mut [u64], twice: &mut [u64]) {
        let (once, _) = once.as_chunks_mut::<TILE>();
        let (twice, _) = twice.as_chunks_mut::<TILE>();
        for (tile, (once, twice)) in once.iter_mut().zip(twice).enumerate() {
            let at = from + tile * TILE;
            let (mut seen, mut shared) = ([0; TILE], [0; TILE]);
            for link in links {
                let from = *link as usize * self.words + at;
                let Some(set) = self.dense[from..].first_chunk::<TILE>() else { break };
                add_tile(&mut seen, &mut shared, set);
                if shared.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX {
                    break;
                }
            }
            (*once, *twice) = (seen, shared);
        }
    }

    /// What each block claims of another one, once the terms of a question link nothing.
    pub fn claims(&self, blocks: &[Block], has_term: &[bool]) -> Vec<Claim> {
        let claim = |block: usize| {
            let claim = self.claims[block]?;
            let links = self.without(block, has_term);
            if links.len() == self.of_block.get(block).len() {
                return Some(claim);
            }
            self.claim(blocks, block, &links)
        };
        (0..blocks.len()).filter_map(claim).collect()
    }

    /// A claim is of the first block that shares enough links.
    fn claim(&self, blocks: &[Block], by: usize, links: &[u32]) -> Option<Claim> {
        let (kind, least) = ClaimKind::of(&blocks[by])?;
        let of = if least == 1 {
            self.first_sharing(by, links)
        } else {
            self.first_sharing_two(by, links)
        };
        of.map(|of| Claim { by, of, kind })
    }

    fn first_sharing(&self, block: usize, links: &[u32]) -> Option<usize> {
        let first = |link: &u32| {
            let holders = self.first_holders[*link as usize].map(|holder| holder as usize);
            if holders[0] == block { holders[1] } else { holders[0] }
        };
        links.iter().map(first).min()
    }

    fn first_sharing_two(&self, block: usize, links: &[u32]) -> Option<usize> {
        if links.len() < 2 {
            return None;
        }
        let mut range = 0..TILE.min(self.words);
        while !range.is_empty() {
            let mut sharing = self.sharing_within(links, range.clone());
            if range.contains(&(block / 64)) {
                bits::remove(&mut sharing, block - range.start * 64);
            }
            if let Some(first) = bits::members(&sharing).next() {
                return Some(range.start * 64 + first);
            }
            let length = range.len() * 4;
            range = range.end..(range.end + length).min(self.words);
        }
        None
    }

    /// The blocks that the kept ones pull in: those that share two links with the kept ones taken
    /// together, then those that revise and share one with a block kept or pulled in before.
    pub fn pulled_in(
        &self,
        has_term: &[bool],
        kept: &[bool],
        revises: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let is_link: Vec<bool> = self.terms.iter().map(|term| !has_term[*term as usize]).collect();
        let mut reached = vec![false; self.terms.len()];
        let reach = |reached: &mut Vec<bool>, block: usize| {
            self.of_block.get(block).iter().for_each(|link| reached[*link as usize] = true);
        };
        let shared = |reached: &[bool], block: usize| {
            let links = self.of_block.get(block).iter().map(|link| *link as usize);
            links.filter(|link| is_link[*link] && reached[*link]).take(2).count()
        };
        (0..kept.len()).filter(|block| kept[*block]).for_each(|block| reach(&mut reached, block));
        let mut pulled: Vec<bool> =
            (0..kept.len()).map(|block| !kept[block] && shared(&reached, block) == 2).collect();
        (0..kept.len()).filter(|block| pulled[*block]).for_each(|block| reach(&mut reached, block));
        for (block, pulled) in pulled.iter_mut().enumerate() {
            *pulled |= !kept[block] && revises(block) && shared(&reached, block) > 0;
        }
        pulled
    }
}
