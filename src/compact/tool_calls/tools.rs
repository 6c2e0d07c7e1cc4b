//! What a tool does, as far as its name tells. The names are the reference's.

/// Look at a whole file, or write one: what a later call can make stale.
const FILE_VIEWS: [&str; 2] = ["Read", "Write"];
pub(super) const EDITS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
pub(super) const READS: [&str; 7] =
    ["Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead"];
/// Hold the state of a task.
pub(super) const TASKS: [&str; 5] =
    ["ExitPlanMode", "TaskCreate", "TaskUpdate", "TodoWrite", "update_plan"];
pub(super) const QUESTIONS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];
const INTERACTIVE: [&str; 1] = ["write_stdin"];

/// Words that a reading tool's name holds, at its beginning or behind a `_`.
const READ_WORDS: [&str; 8] =
    ["read", "get", "list", "search", "fetch", "find", "snapshot", "query"];

/// The classes that a tool belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tool {
    pub is_bash: bool,
    pub views_files: bool,
    pub edits: bool,
    /// Edits, or carries a patch.
    pub changes_files: bool,
    pub reads: bool,
    /// Its number in [`TASKS`].
    pub task: Option<u8>,
    pub asks: bool,
    /// Shows the passing state of a process or an agent.
    pub waits: bool,
}

impl Tool {
    pub fn of(name: &str) -> Tool {
        // `mcp__server__name`
        let last = name.split("__").last().unwrap_or(name);
        let edits = EDITS.contains(&name);
        Tool {
            is_bash: name == "Bash",
            views_files: FILE_VIEWS.contains(&name),
            edits,
            changes_files: edits || name == "apply_patch",
            reads: READS.contains(&name) || READ_WORDS.iter().any(|word| begins_part(last, word)),
            task: TASKS.iter().position(|task| *task == name).map(|task| task as u8),
            asks: QUESTIONS.contains(&name),
            waits: INTERACTIVE.contains(&name) || has_part(last, "wait"),
        }
    }
}

/// Whether one of the parts that `_` divides a name into begins with `word`, in any case.
fn begins_part(name: &str, word: &str) -> bool {
    name.split('_').any(|part| begins(part, word))
}

/// Whether `_` divides a name into parts one of which is `word`, in any case. A line feed at the
/// very end does not count, as for `$` in a pattern.
fn has_part(name: &str, word: &str) -> bool {
    let same = |part: &str| begins(part, word) && part.chars().count() == word.len();
    name.split('_').any(same)
        || name.strip_suffix('\n').is_some_and(|name| name.split('_').any(same))
}

fn begins(part: &str, word: &str) -> bool {
    let mut part = part.chars().map(without_case);
    word.chars().all(|c| part.next() == Some(c))
}

/// What a pattern that ignores case takes for the same: three letters beyond ASCII belong to `i`
/// and `s`.
fn without_case(c: char) -> char {
    match c {
        'İ' | 'ı' => 'i',
        'ſ' => 's',
        _ => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_reads_when_a_part_of_its_name_begins_so() {
        for name in [
            "Grep",
            "mcp__browser__snapshot",
            "x__GetIt",
            "do_Find",
            "read",
            "ſearch",
            "LİST",
            "a___query",
        ] {
            assert!(Tool::of(name).reads, "{name}");
        }
        for name in ["Bash", "read__write", "mcp__read__do", "thread", "NotebookEdit", ""] {
            assert!(!Tool::of(name).reads, "{name}");
        }
    }

    #[test]
    fn a_tool_waits_when_a_part_of_its_name_says_so() {
        for name in ["write_stdin", "wait", "wait_agent", "agent_WAıT", "mcp__x__wait\n"] {
            assert!(Tool::of(name).waits, "{name}");
        }
        for name in ["await", "waiter", "wait__go", "wait\n\n", "wait\n_x"] {
            assert!(!Tool::of(name).waits, "{name}");
        }
    }

    #[test]
    fn a_tool_may_belong_to_several_classes() {
        let tool = Tool::of("ExitPlanMode");
        assert_eq!((tool.task, tool.asks, tool.edits), (Some(0), true, false));
        let tool = Tool::of("Write");
        assert!(tool.views_files && tool.edits && tool.changes_files && !tool.reads);
        assert!(Tool::of("apply_patch").changes_files && !Tool::of("apply_patch").edits);
    }
}
