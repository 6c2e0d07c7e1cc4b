//! The command line: what it takes, and its help.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::compact::settings::{SETTINGS, Setting};
use crate::session::Format;

const EXAMPLES: &str = "\
Examples:
  compactscope sessions-sample/checkout-bug.jsonl     open a sample
  compactscope --watch SESSION.jsonl                  follow a session while it is written
  agent-export | compactscope -                       read standard input
  compactscope plan SESSION.jsonl --budget-chars 25%  the plan as a table
  compactscope plan SESSION.jsonl --json | jq .totals
  compactscope snapshot SESSION.jsonl --size 120x40 --keys 'jjc+' --as svg > screen.svg
  compactscope memory-compact request.json            answer a memory-compact request
  compactscope compact-transcript request.json        answer a compact_transcript request
  compactscope recall 9f86d081884c                    what a stash pointer stands for

Exit status: 0 done, 1 failed or a plan that its own check refused, 2 refused input or usage.
compactscope never writes to a session. It uses no network but for a judge that you name.";

/// The whole command line.
pub fn command() -> Command {
    Command::new("compactscope")
        .version(clap::crate_version!())
        .about("See what compaction does to every message of an AI agent's session, and why")
        .long_about(
            "Opens the session of an AI agent, runs a deterministic, verbatim compaction over it, and \
             shows what becomes of every message: pinned, kept, deduped, pointer, trimmed or dropped. \
             Keys turn the settings, and the session is decided again at once. When the output is \
             no terminal, the plan is printed as a table.",
        )
        .after_help(EXAMPLES)
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .arg(file(false))
        .arg(watch())
        .args(session_arguments())
        .subcommand(plan())
        .subcommand(measure())
        .subcommand(snapshot())
        .subcommand(memory_compact())
        .subcommand(compact_transcript())
        .subcommand(recall())
}

fn plan() -> Command {
    Command::new("plan")
        .about("Print what becomes of every entry, as a table or as JSON")
        .arg(file(true))
        .arg(flag("json", "Print JSON of the schema compactscope.plan/1"))
        .args(session_arguments())
}

fn measure() -> Command {
    Command::new("measure")
        .about("Print what every mode would do to a session, in counts that are safe to paste")
        .after_help(
            "Examples:\n  compactscope measure SESSION.jsonl\n  compactscope measure *.jsonl --markdown\n\n\
             Of several files the names go to standard error alone, and a total follows. A file that \
             cannot be read is reported and left out; then the exit status is not 0.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .help("Session or request files; - reads standard input"),
        )
        .arg(flag("markdown", "Print a Markdown table"))
        .arg(flag("json", "Print JSON of the schema compactscope.measure/1").conflicts_with("markdown"))
        .args(reading_arguments())
        .args(SETTINGS.iter().filter(|it| MEASURED.contains(&it.name)).map(setting_argument))
}

/// The settings that `measure` reads; it sets the others itself.
const MEASURED: [&str; 6] = [
    "preserve_recent",
    "question",
    "trim_head_chars",
    "workspace_root",
    "disk_check",
    "allow_command_pointers",
];

fn snapshot() -> Command {
    Command::new("snapshot")
        .about("Print the screen as it would be drawn, after some keys")
        .arg(file(true))
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("COLUMNSxROWS")
                .default_value("120x40")
                .help("Size of the screen"),
        )
        .arg(
            Arg::new("keys")
                .long("keys")
                .value_name("KEYS")
                .default_value("")
                .allow_hyphen_values(true)
                .help("Keys to press, such as 'jj3+<enter><c-d>'; also <esc> <tab> <s-tab> <space> <up> <down> <left> <right> <pgup> <pgdn> <home> <end> <backspace> <del> <f1>, and <lt> for a plain <"),
        )
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("FORM")
                .value_parser(["text", "ansi", "svg"])
                .default_value("text")
                .help("Plain text, text with escape sequences, or a picture"),
        )
        .args(session_arguments())
}

fn memory_compact() -> Command {
    Command::new("memory-compact")
        .about("Answer a memory-compact request (POST /v1/memory-compact) with the card's JSON")
        .arg(file(true))
}

fn compact_transcript() -> Command {
    Command::new("compact-transcript")
        .about("Answer a compact_transcript request with its messages, decisions and report")
        .arg(file(true))
        .arg(
            Arg::new("note-name")
                .long("note-name")
                .value_name("NAME")
                .default_value("compactscope")
                .help("Program that trim notes and stash pointers name; lossless notes name none"),
        )
        .arg(tokens())
}

const RECALL_EXAMPLES: &str = "\
Examples:
  [removed: 812 tokens · compactscope recall 9f86d081884c]   a pointer in a session
  compactscope recall 9f86d081884c                      print what it stands for
  compactscope recall 9f86d081884c --lines 40-80        only some lines of it
  compactscope recall '[removed: 812 tokens · compactscope recall 9f86d081884c]'
  compactscope recall 9f86d081884c > output.txt         its exact bytes

A pipe or a file gets the exact bytes. On a terminal, escape sequences and control characters are
made harmless, since the text comes from a session.

The stash is the directory that COMPACTSCOPE_STASH_DIR names, else compactscope/stash under
XDG_DATA_HOME (~/.local/share).
Exit status: 0 done, 1 the stash cannot be read, 2 no such text, a damaged text or a wrong range.";

fn recall() -> Command {
    Command::new("recall")
        .about("Print a tool output that a stash pointer stands for, checked against its SHA-256")
        .after_help(RECALL_EXAMPLES)
        .arg(
            Arg::new("id")
                .value_name("ID")
                .required(true)
                .num_args(1..)
                .allow_negative_numbers(true)
                .help("The 12 to 64 digits that follow `recall` in the pointer, or the pointer itself"),
        )
        .arg(
            Arg::new("lines")
                .long("lines")
                .value_name("A-B")
                .allow_hyphen_values(true)
                .help("Only the lines from A to B, counting from 1, both included"),
        )
}

fn file(required: bool) -> Arg {
    let help = "Session or request file; - reads standard input";
    Arg::new("file").value_name("FILE").required(required).help(help)
}

fn watch() -> Arg {
    flag("watch", "Follow the file as it grows")
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn tokens() -> Arg {
    Arg::new("tokens")
        .long("tokens")
        .value_name("METHOD")
        .value_parser(["o200k_base", "heuristic"])
        .default_value("o200k_base")
        .help("Count tokens exactly, or estimate them")
}

/// What every command over a session takes: how to read it, how to print, and the settings.
fn session_arguments() -> Vec<Arg> {
    let mut arguments = reading_arguments();
    arguments.push(
        Arg::new("color")
            .long("color")
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .default_value("auto")
            .help("Colours: auto leaves them out when NO_COLOR is set"),
    );
    arguments.extend(SETTINGS.iter().map(setting_argument));
    arguments
}

/// How to read a session.
fn reading_arguments() -> Vec<Arg> {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(Format::ALL.map(Format::name))
        .help("Read the file as this format instead of finding it by content");
    vec![format, tokens()]
}

fn setting_argument(setting: &Setting) -> Arg {
    let default = match setting.session_default {
        "session" => "taken from the session",
        other => other,
    };
    Arg::new(setting.name)
        .long(setting.flag())
        .value_name("VALUE")
        .value_parser(value_parser!(String))
        .allow_hyphen_values(true)
        .help_heading("Settings")
        .help(format!("{} ({}) [default: {default}]", setting.help, setting.range))
}

/// A value that has a default or is required.
pub fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
