//! The one table of key bindings: lookup, footer, help and the README's table read it.

use super::action::Action;
use super::key::Key;

/// Keys that do one thing.
pub struct Binding {
    pub keys: &'static [Key],
    pub action: Action,
    pub group: Group,
    /// What it does, as the help and the README say it.
    pub help: &'static str,
    /// The word in the footer; empty where the footer leaves it out.
    pub footer: &'static str,
}

/// The parts of the help screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Move,
    Find,
    Knobs,
    Session,
}

impl Group {
    pub const ALL: [Group; 4] = [Group::Move, Group::Find, Group::Knobs, Group::Session];

    pub fn title(self) -> &'static str {
        match self {
            Group::Move => "move",
            Group::Find => "find and filter",
            Group::Knobs => "knobs",
            Group::Session => "session and program",
        }
    }
}

use Action as A;
use Group::{Find, Knobs, Move, Session};
use Key::{Char, Ctrl, F};

macro_rules! bindings {
    ($($keys:expr, $action:expr, $group:expr, $footer:literal, $help:literal;)*) => {
        /// Every binding, in the order of the help.
        pub const BINDINGS: &[Binding] = &[$(Binding {
            keys: &$keys,
            action: $action,
            group: $group,
            help: $help,
            footer: $footer,
        }),*];
    };
}

// Keys, action, group, word in the footer, help.
bindings! {
    [Char('j'), Key::Down], A::Down, Move, "", "down; a number before a motion repeats it";
    [Char('k'), Key::Up], A::Up, Move, "", "up";
    [Ctrl('d')], A::HalfPageDown, Move, "", "half a page down";
    [Ctrl('u')], A::HalfPageUp, Move, "", "half a page up";
    [Key::PageDown, Ctrl('f')], A::PageDown, Move, "", "a page down";
    [Key::PageUp, Ctrl('b')], A::PageUp, Move, "", "a page up";
    [Char('g'), Key::Home], A::First, Move, "", "first entry; 12g goes to entry 12";
    [Char('G'), Key::End], A::Last, Move, "", "last entry; 12G goes to entry 12";
    [Char('l'), Key::Right], A::Right, Move, "", "in the detail: scroll right";
    [Char('h'), Key::Left], A::Left, Move, "", "in the detail: scroll left";
    [Char('c')], A::NextChanged, Move, "changed", "next entry that the plan changes";
    [Char('C')], A::PreviousChanged, Move, "", "previous entry that the plan changes";
    [Char('o')], A::ToTarget, Move, "", "to the entry it duplicates or points to, else to the other half of its call and result";
    [Ctrl('o')], A::Back, Move, "", "back from there";
    [Key::Tab], A::NextPane, Move, "", "next pane";
    [Key::BackTab], A::PreviousPane, Move, "", "previous pane";
    [Char('z')], A::Zoom, Move, "", "this pane alone on the screen";
    [Key::Enter], A::Into, Move, "", "into the detail; in a list, take this one";
    [Key::Esc], A::Out, Move, "", "out: close, clear the search, back to the list";
    [Char('/')], A::Search, Find, "search", "search all text, case counts once you type a capital";
    [Char('n')], A::NextMatch, Find, "", "next entry that matches";
    [Char('N')], A::PreviousMatch, Find, "", "previous entry that matches";
    [Char('F')], A::FilterByOutcome, Find, "outcome", "only one outcome: then 1 kept, 2 pinned, 3 deduped, 4 pointer, 5 trimmed, 6 dropped";
    [Char('t')], A::FilterBySpeaker, Find, "", "only one role or tool, from a list";
    [Char('\'')], A::NoFilter, Find, "", "no filter";
    [Char('m')], A::NextRulesMode, Knobs, "", "next rules_mode";
    [Char('p')], A::NextProvider, Knobs, "", "next provider";
    [Char('b')], A::NextBudget, Knobs, "budget", "budget off, 75, 50, 25 %";
    [Char('<')], A::PreviousKnob, Knobs, "", "choose the knob before";
    [Char('>')], A::NextKnob, Knobs, "knob", "choose the knob after";
    [Char('-')], A::NudgeDown, Knobs, "", "nudge the chosen knob down; a number before it repeats it";
    [Char('+'), Char('=')], A::NudgeUp, Knobs, "nudge", "nudge the chosen knob up";
    [Char('{')], A::NudgeTenDown, Knobs, "", "ten steps down";
    [Char('}')], A::NudgeTenUp, Knobs, "", "ten steps up";
    [Char(':')], A::TypeValue, Knobs, "type", "type a value for the chosen knob; Up brings the present one to edit";
    [Char('K')], A::Knobs, Knobs, "knobs", "every knob with its value, default and range";
    [Char('Q')], A::NewestQuestion, Knobs, "", "take the question from the newest user text";
    [Char('u')], A::Undo, Knobs, "undo", "undo a change of settings";
    [Ctrl('r')], A::Redo, Knobs, "", "redo it";
    [Char('x')], A::ResetKnob, Knobs, "", "reset the chosen knob";
    [Char('X')], A::ResetAll, Knobs, "", "reset every knob";
    [Char(' ')], A::Pin, Session, "pin", "protect this entry from both passes, or release it";
    [Char('f')], A::Follow, Session, "follow", "follow the file as it grows, or stop";
    [Char('r')], A::RunAgain, Session, "", "decide again";
    [Char('w')], A::Wrap, Session, "", "wrap long lines, or not";
    [Char('M')], A::Mouse, Session, "", "leave the mouse to the terminal, to select text, or take it back";
    [Char('y')], A::Copy, Session, "", "copy the entry's original text (OSC 52)";
    [Char('R')], A::Faults, Session, "", "what was repaired or skipped while reading";
    [Char('?'), F(1)], A::Help, Session, "help", "this help; / searches it";
    [Ctrl('z')], A::Suspend, Session, "", "suspend";
    [Char('q'), Ctrl('c')], A::Quit, Session, "quit", "quit";
}

/// What a key is bound to.
pub fn lookup(key: Key) -> Option<Action> {
    BINDINGS.iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}

/// The binding of an action.
pub fn binding(action: Action) -> Option<&'static Binding> {
    BINDINGS.iter().find(|binding| binding.action == action)
}

impl Binding {
    /// Its keys as they are written, `j Down`.
    pub fn label(&self) -> String {
        self.keys.iter().map(|key| key.label()).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice_and_every_binding_has_help() {
        let keys: Vec<Key> = BINDINGS.iter().flat_map(|binding| binding.keys).copied().collect();
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[at + 1..].contains(key), "{} is bound twice", key.label());
            assert!(!key.label().is_empty());
        }
        for binding in BINDINGS {
            assert!(!binding.help.is_empty(), "{} has no help", binding.label());
        }
    }
}
