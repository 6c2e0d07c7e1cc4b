//! Which output texts lie, as a run of whole lines, inside which others.
//!
//! Every text that could lie inside another is a pattern of one Aho-Corasick automaton whose
//! letters are line numbers (Aho and Corasick, 1975). One walk over each text then finds all
//! patterns in it, in time proportional to its lines, however often they repeat.

use super::interner::{NumberMap, as_number};
use super::text_lines::TextLines;
use super::texts::Texts;

const ROOT: u32 = 0;

/// What the walks found. Patterns are numbered from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Containment {
    /// For each pattern, the longest other pattern that it ends in: those form chains.
    shorter: Vec<Option<u32>>,
    /// For each pattern, its length in lines.
    lengths: Vec<u32>,
    /// For each text, the pattern that it is.
    pattern_of: Vec<Option<u32>>,
    /// For each text, where its hits begin in `hits`; one more at the end.
    starts: Vec<usize>,
    hits: Vec<Hit>,
}

/// The longest pattern that ends at a line of a text. Those that it ends in end there too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub pattern: u32,
    /// The last line of the pattern within the text, counting from 1.
    pub last_line: u32,
}

impl Containment {
    /// Finds every text of at least `min_chars` characters inside all others.
    pub fn find(texts: &Texts, lines: &TextLines, min_chars: usize) -> Containment {
        let mut found = Containment { pattern_of: vec![None; texts.len()], ..Default::default() };
        let mut automaton = Automaton::new(lines.len());
        for text in 0..as_number(texts.len()) {
            let its_lines = lines.of(text);
            // A line that no other text has keeps the whole text out of all others.
            if texts.chars(text) >= min_chars && its_lines.iter().all(|line| lines.is_shared(*line))
            {
                let pattern = as_number(found.lengths.len());
                found.pattern_of[text as usize] = Some(pattern);
                found.lengths.push(as_number(its_lines.len()));
                automaton.insert(pattern, its_lines);
            }
        }
        automaton.link();
        found.shorter = automaton.shorter(found.lengths.len());
        found.walk(lines, &automaton);
        found
    }

    pub fn patterns(&self) -> usize {
        self.lengths.len()
    }

    /// The pattern that a text is, if it could lie inside another one.
    pub fn pattern_of(&self, text: u32) -> Option<u32> {
        self.pattern_of[text as usize]
    }

    /// The longest other pattern that `pattern` ends in.
    pub fn shorter(&self, pattern: u32) -> Option<u32> {
        self.shorter[pattern as usize]
    }

    /// The length of a pattern in lines.
    pub fn length(&self, pattern: u32) -> u32 {
        self.lengths[pattern as usize]
    }

    /// The patterns in a text in the order of their ends, each at its first place only.
    pub fn hits(&self, text: u32) -> &[Hit] {
        &self.hits[self.starts[text as usize]..self.starts[text as usize + 1]]
    }

    fn walk(&mut self, lines: &TextLines, automaton: &Automaton) {
        let mut seen_in = vec![None; self.lengths.len()];
        self.starts.push(0);
        for text in 0..as_number(self.pattern_of.len()) {
            let mut node = ROOT;
            for (n, line) in lines.of(text).iter().enumerate() {
                node = automaton.step(node, *line);
                if let Some(pattern) = automaton.ending_at(node)
                    && seen_in[pattern as usize].replace(text) != Some(text)
                {
                    self.hits.push(Hit { pattern, last_line: as_number(n + 1) });
                }
            }
            self.starts.push(self.hits.len());
        }
    }
}

/// A tree of patterns; each node stands for the lines on the way to it.
struct Automaton {
    children: NumberMap<(u32, u32), u32>,
    nodes: Vec<Node>,
    /// Whether a line is in any pattern: most are in none and lead back to the root.
    known: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    line: u32,
    depth: u32,
    /// The node of the longest proper end of these lines that has one.
    back: u32,
    /// The pattern that these lines are.
    pattern: Option<u32>,
    /// The longest pattern that is a proper end of them.
    shorter: Option<u32>,
}

impl Automaton {
    fn new(distinct_lines: usize) -> Automaton {
        let root =
            Node { parent: ROOT, line: 0, depth: 0, back: ROOT, pattern: None, shorter: None };
        Automaton {
            children: NumberMap::default(),
            nodes: vec![root],
            known: vec![false; distinct_lines],
        }
    }

    fn insert(&mut self, pattern: u32, lines: &[u32]) {
        let mut at = ROOT;
        for (n, line) in lines.iter().enumerate() {
            self.known[*line as usize] = true;
            let next = as_number(self.nodes.len());
            let child = *self.children.entry((at, *line)).or_insert(next);
            if child == next {
                let depth = as_number(n + 1);
                let fresh = Node { parent: at, line: *line, depth, ..self.nodes[ROOT as usize] };
                self.nodes.push(fresh);
            }
            at = child;
        }
        self.nodes[at as usize].pattern = Some(pattern);
    }

    /// Fills in the ways back, shallow nodes first: each rests on shallower ones.
    fn link(&mut self) {
        let mut order: Vec<u32> = (1..as_number(self.nodes.len())).collect();
        order.sort_by_key(|node| self.nodes[*node as usize].depth);
        for at in order {
            let Node { parent, line, .. } = self.nodes[at as usize];
            if parent != ROOT {
                let back = self.step(self.nodes[parent as usize].back, line);
                let shorter = self.ending_at(back);
                let node = &mut self.nodes[at as usize];
                (node.back, node.shorter) = (back, shorter);
            }
        }
    }

    fn step(&self, mut node: u32, line: u32) -> u32 {
        if !self.known[line as usize] {
            return ROOT;
        }
        loop {
            if let Some(child) = self.children.get(&(node, line)) {
                return *child;
            }
            if node == ROOT {
                return ROOT;
            }
            node = self.nodes[node as usize].back;
        }
    }

    /// The longest pattern that the lines of a node end in, or are.
    fn ending_at(&self, node: u32) -> Option<u32> {
        let node = &self.nodes[node as usize];
        node.pattern.or(node.shorter)
    }

    fn shorter(&self, patterns: usize) -> Vec<Option<u32>> {
        let mut shorter = vec![None; patterns];
        for node in &self.nodes {
            if let Some(pattern) = node.pattern {
                shorter[pattern as usize] = node.shorter;
            }
        }
        shorter
    }
}
