//! Kinds of parts, as far as the model tells them apart.

use super::columns::Column;
use super::parts::{Part, PartKind};

/// What the parts of one role, kind and tool have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    pub column: Column,
    /// `None` without a tool.
    pub tool_column: Option<Column>,
    /// What a user or the assistant says.
    pub is_speech: bool,
    pub is_assistant_speech: bool,
    /// A turn of the user's.
    pub is_user_turn: bool,
    /// A call that reads or edits a file.
    pub touches_file: bool,
}

impl Kind {
    pub fn of(part: &Part) -> Kind {
        let (role, text) = (part.role(), part.kind == PartKind::Text);
        let column = match (role, part.kind) {
            ("user", PartKind::Text) => Column::UserText,
            ("assistant", PartKind::Text) => Column::AssistantText,
            ("assistant", PartKind::ToolUse) => Column::AssistantCall,
            ("user", PartKind::ToolResult) => Column::UserResult,
            _ => Column::OtherKind,
        };
        let tool_column = part.tool.filter(|tool| !tool.is_empty()).map(tool_column);
        Kind {
            column,
            tool_column,
            is_speech: text && matches!(role, "user" | "assistant"),
            is_assistant_speech: text && role == "assistant",
            is_user_turn: text && role == "user" && part.tool.is_none(),
            touches_file: part.kind == PartKind::ToolUse
                && matches!(tool_column, Some(Column::ReadTool | Column::EditTool)),
        }
    }
}

/// The names of tools that do alike, in the order in which they are looked through.
const GROUPS: [(Column, &[&str]); 8] = [
    (Column::ReadTool, &["Read", "read_file", "view_image", "NotebookRead", "cat"]),
    (
        Column::EditTool,
        &[
            "Edit",
            "MultiEdit",
            "Write",
            "write_file",
            "patch",
            "apply_patch",
            "NotebookEdit",
            "str_replace",
        ],
    ),
    (
        Column::ShellTool,
        &["Bash", "exec_command", "terminal", "execute_code", "write_stdin", "shell", "BashOutput"],
    ),
    (
        Column::SearchTool,
        &["Grep", "Glob", "search_files", "ToolSearch", "tool_search", "LS", "list_files"],
    ),
    (Column::WebTool, WEB),
    (Column::AgentTool, &["Agent", "Task", "delegate_task", "subagent"]),
    (Column::PlanTool, &["TodoWrite", "update_plan", "ExitPlanMode", "AskUserQuestion", "todo"]),
    (Column::SkillTool, &["skill_view", "Skill", "skill_manage"]),
];

const WEB: &[&str] = &[
    "WebFetch",
    "WebSearch",
    "web_search",
    "web_fetch",
    "browser",
    "chrome",
    "playwright",
    "vision",
];

/// A name of this many characters or fewer is compared whole only.
const SHORT_NAME: usize = 4;

fn tool_column(tool: &str) -> Column {
    let lowered = tool.to_lowercase();
    let mentions = |name: &&str| lowered.contains(&name.to_lowercase());
    if tool.starts_with("mcp__") {
        return if WEB.iter().any(mentions) { Column::WebTool } else { Column::McpTool };
    }
    let is_like = |name: &&str| *name == tool || (name.len() > SHORT_NAME && mentions(name));
    let group = GROUPS.iter().find(|(_, names)| names.iter().any(is_like));
    group.map_or(Column::OtherTool, |(column, _)| *column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_grouped_by_what_their_names_contain() {
        for (tool, column) in [
            ("Read", Column::ReadTool),
            ("read", Column::OtherTool),
            ("my_Read_File2", Column::ReadTool),
            ("TaskEdit", Column::OtherTool),
            ("MultiEditor", Column::EditTool),
            ("run_shell_command", Column::ShellTool),
            ("mcp__github__patch", Column::McpTool),
            ("mcp__chrome__Click", Column::WebTool),
            ("LS", Column::SearchTool),
            ("Task", Column::AgentTool),
            ("todo", Column::PlanTool),
            ("Skills", Column::SkillTool),
        ] {
            assert_eq!(tool_column(tool), column, "{tool}");
        }
    }
}
