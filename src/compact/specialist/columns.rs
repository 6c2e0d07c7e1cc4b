//! What the model is shown of a block: fifty numbers.

/// How many there are.
pub(super) const COLUMNS: usize = 50;

/// The numbers of one block, in single precision as the model was trained.
pub(super) type Row = [f32; COLUMNS];

macro_rules! columns {
    ($($column:ident $name:literal),* $(,)?) => {
        /// A column, by its place.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Column {
            $($column),*
        }

        /// The names that the model gives its columns.
        pub(super) const NAMES: [&str; COLUMNS] = [$($name),*];
    };
}

columns! {
    Position "pos",
    FromEnd "from_end_log",
    CharsAfter "tok_after_frac",
    MessagesFromEnd "msg_from_end_log",
    MessagePosition "msg_pos",
    Chars "log_chars",
    Newlines "n_lines_log",
    UserText "kind_user:text",
    AssistantText "kind_assistant:text",
    AssistantCall "kind_assistant:tool_use",
    UserResult "kind_user:tool_result",
    OtherKind "kind_unknown",
    ReadTool "tool_read",
    EditTool "tool_edit",
    ShellTool "tool_shell",
    SearchTool "tool_search",
    WebTool "tool_web",
    AgentTool "tool_agent",
    PlanTool "tool_plan",
    SkillTool "tool_skill",
    McpTool "tool_mcp",
    OtherTool "tool_other",
    StartsPart "has_header",
    Error "is_error",
    Git "is_git",
    CodeLines "code_frac",
    QuestionMatch "bm25_goal",
    QuestionRank "bm25_goal_rank",
    RecentMatch "bm25_recent",
    RecentRank "bm25_recent_rank",
    Keys "keys_log",
    QuestionKeys "goal_hits",
    RecentKeys "recent_hits",
    KeysComeLater "later_ref",
    ShareOfKeysLater "later_ref_frac",
    KeysSaidLater "later_asst_ref",
    KeysHeldLast "latest_holder",
    KeysOnlyHere "unique_keys",
    PathUsedLater "superseded_path",
    CopyLater "dup_later",
    CopyEarlier "dup_earlier",
    SameKindLater "same_kind_after_log",
    UserTurnsLater "turns_after_log",
    QuestionChars "goal_chars_log",
    KeysOfQuestion "goal_keys",
    QuestionAsks "goal_question",
    Blocks "n_blocks_log",
    BestMatch "goal_bm25_max_log",
    TermOverlap "lcc_overlap",
    Guarded "lcc_protected",
}

/// Sets a column, rounded to single precision.
pub(super) fn set(row: &mut Row, column: Column, value: f64) {
    row[column as usize] = value as f32;
}

/// Sets a column to 1 where something holds.
pub(super) fn mark(row: &mut Row, column: Column, holds: bool) {
    row[column as usize] = f32::from(u8::from(holds));
}
