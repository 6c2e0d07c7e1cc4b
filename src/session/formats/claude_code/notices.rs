//! Records that are no message and yet worth a row.

use serde_json::Value;

use super::Record;
use crate::session::assembly::Assembly;
use crate::session::formats::image::grouped;

/// Adds a row for a record that is no message: in words where its meaning is known, else as it is.
pub(super) fn add(record: &Record<'_>, raw: &str, line: usize, out: &mut Assembly) {
    let name = record.name();
    // A record whose other parts cannot be held (too deep, say) is shown as it is.
    let value = serde_json::from_str(raw).unwrap_or(Value::Null);
    match worded(&name, &value) {
        Some((title, content)) => out.divider(line, title, &content),
        None => out.divider(line, &name, raw),
    }
}

fn worded(name: &str, record: &Value) -> Option<(&'static str, String)> {
    let text = |key: &str| record[key].as_str().map(str::to_owned);
    Some(match name {
        "system/compact_boundary" | "compact_boundary" => {
            ("compaction", compaction(&record["compactMetadata"])?)
        }
        "system/microcompact_boundary" => {
            ("micro-compaction", micro_compaction(&record["microcompactMetadata"])?)
        }
        "system/api_error" => ("api error", api_error(record)?),
        "system/local_command" => ("local command", text("content")?),
        "system/away_summary" => ("away summary", text("content")?),
        "summary" => ("summary", text("summary")?),
        "custom-title" => ("title", text("customTitle")?),
        "ai-title" => ("title", text("aiTitle")?),
        "agent-name" => ("agent name", text("agentName")?),
        "attachment/queued_command" => ("queued prompt", prompt(&record["attachment"]["prompt"])?),
        _ => return None,
    })
}

fn compaction(metadata: &Value) -> Option<String> {
    let trigger = metadata["trigger"].as_str()?;
    Some(match tokens(&metadata["preTokens"]) {
        Some(before) => format!("{trigger}, {before} tokens before"),
        None => trigger.to_owned(),
    })
}

fn micro_compaction(metadata: &Value) -> Option<String> {
    let saved = tokens(&metadata["tokensSaved"])?;
    let cleared = metadata["compactedToolIds"].as_array().map_or(0, Vec::len);
    Some(format!("{saved} tokens saved, {cleared} results cleared"))
}

fn tokens(count: &Value) -> Option<String> {
    count.as_u64().and_then(|count| usize::try_from(count).ok()).map(grouped)
}

fn api_error(record: &Value) -> Option<String> {
    let error = record.get("error")?;
    let attempt = match (record["retryAttempt"].as_u64(), record["maxRetries"].as_u64()) {
        (Some(attempt), Some(most)) => format!(" (attempt {attempt} of {most})"),
        _ => String::new(),
    };
    Some(format!("{error}{attempt}"))
}

/// What was typed while the agent worked: a string, or a list of texts. A list with anything else
/// in it has no words that would not lose something.
fn prompt(prompt: &Value) -> Option<String> {
    let Value::Array(blocks) = prompt else { return prompt.as_str().map(str::to_owned) };
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block["text"].as_str()).collect();
    texts.map(|texts| texts.join("\n"))
}
