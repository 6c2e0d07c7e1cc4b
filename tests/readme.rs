//! The README's tables are those of the code. `UPDATE_README=1 cargo test --test readme` writes
//! them anew.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;

use compactscope::app::keymap::{BINDINGS, Group};
use compactscope::compact::settings::SETTINGS;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

fn keys() -> String {
    let mut table = String::from("| keys | do |\n|---|---|\n");
    for group in Group::ALL {
        for binding in BINDINGS.iter().filter(|binding| binding.group == group) {
            let keys: Vec<_> =
                binding.keys.iter().map(|key| format!("`{}`", key.label())).collect();
            writeln!(table, "| {} | {} |", keys.join(" "), binding.help).unwrap();
        }
    }
    table
}

fn settings() -> String {
    let mut table = String::from(
        "| setting | takes | of a request | over a session | step | what it does |\n|---|---|---|---|---|---|\n",
    );
    for setting in SETTINGS {
        writeln!(
            table,
            "| `{}` | {} | {} | {} | {} | {} |",
            setting.name,
            setting.range,
            setting.contract_default,
            setting.session_default,
            setting.step,
            setting.help
        )
        .unwrap();
    }
    table
}

fn check(name: &str, table: &str) {
    let readme = fs::read_to_string(README).unwrap();
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = readme.split_once(&begin).unwrap();
    let (found, after) = rest.split_once(&end).unwrap();
    if found != table && std::env::var_os("UPDATE_README").is_some() {
        fs::write(README, format!("{before}{begin}{table}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(found, table, "the README's table of {name} is not that of the code");
}

#[test]
fn the_tables_of_keys_and_settings_are_those_of_the_code() {
    check("keys", &keys());
    check("settings", &settings());
}
