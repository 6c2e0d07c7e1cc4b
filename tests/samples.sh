#!/usr/bin/env bash
# Opens every session it is given and holds what is printed against a second reading by python3:
# no record may be lost without a word, and no control character may reach the terminal.
#
#   tests/samples.sh DIR|FILE ...
#
# Of a directory the files under claude-code, anthropic-messages and openai-chat are taken, or its
# own session files where it has none of the three. BIN names the binary. One line for every file;
# exit status 1 when any of them fails, each with its reason. Not part of CI.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
bin=${BIN:-}
for built in release debug; do
    [ -n "$bin" ] || { [ -x "$root/target/$built/compactscope" ] && bin=$root/target/$built/compactscope; }
done
[ -n "$bin" ] || { echo "samples.sh: no binary: run cargo build, or set BIN" >&2; exit 2; }
[ $# -gt 0 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }

sessions() {
    local kinds=() kind
    if [ ! -d "$1" ]; then printf '%s\0' "$1"; return; fi
    for kind in claude-code anthropic-messages openai-chat; do
        [ -d "$1/$kind" ] && kinds+=("$1/$kind")
    done
    if [ ${#kinds[@]} -gt 0 ]; then
        find "${kinds[@]}" -type f -print0 | sort -z
    else
        find "$1" -maxdepth 1 -type f \( -name '*.json' -o -name '*.jsonl' \) -print0 | sort -z
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Draws the session at both sizes, at its start, its end, its changes and in its text.
draw() {
    local size keys
    for size in 120x40 80x24; do
        for keys in '' 'ccc' 'G' 'z<enter>G' '/e<enter>nn' 'R' 'K'; do
            "$bin" snapshot "$1" --size "$size" --keys "$keys" --as text || return 1
        done
    done
}

failed=0
while IFS= read -r -d '' file; do
    "$bin" plan "$file" --json >"$work/plan.json" 2>"$work/plan.err"
    status=$?
    "$bin" plan "$file" >"$work/table.txt" 2>/dev/null
    draw "$file" >"$work/screens.txt" 2>"$work/draw.err"
    drawn=$?
    python3 - "$file" "$work" "$status" "$drawn" <<'PY' || failed=1
import json, re, sys, unicodedata
from collections import Counter

path, work, status, drawn = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
faults = []


def said(name):
    return open(f"{work}/{name}", encoding="utf-8", errors="replace").read().strip()


def values_of(line):
    """The objects on a line, and how many stretches of it were none."""
    decoder, found, broken, at = json.JSONDecoder(), [], 0, 0
    while at < len(line):
        at += len(line[at:]) - len(line[at:].lstrip())
        try:
            value, at = decoder.raw_decode(line, at)
            found += [value] if isinstance(value, dict) else []
            broken += not isinstance(value, dict)
            continue
        except (json.JSONDecodeError, RecursionError):
            broken += at < len(line)
        # A whole record may be glued to half of one.
        starts = (at + 1 + start.start() for start in re.finditer(r'\{"', line[at + 1 :]))
        at = next((start for start in starts if is_record(line[start:])), len(line))
    return found, broken


def is_record(text):
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        return False
    keys = ("sessionId", "parentUuid", "leafUuid", "messageId")
    return "type" in value and any(key in value for key in keys)


def second_reading(is_lines):
    """Records and broken stretches, as python3 sees them."""
    text = open(path, "rb").read().decode("utf-8", "replace").lstrip("\ufeff")
    if not is_lines:
        document = json.loads(text)
        if isinstance(document, list):
            return len(document), 0
        # An Anthropic request has its system prompt beside the messages.
        return len(document["messages"]) + bool(document.get("system")), 0
    lines = [values_of(line.strip("\0 \r")) for line in text.split("\n")]
    return sum(len(found) for found, _ in lines), sum(broken for _, broken in lines)


def paired(entries):
    """Results that answer the nearest earlier call of their id that none answered yet."""
    waiting, pairs = Counter(), 0
    for entry in entries:
        if entry["kind"] == "call":
            waiting[entry["call_id"]] += 1
        elif entry["kind"] == "result" and waiting[entry["call_id"]] > 0:
            waiting[entry["call_id"]] -= 1
            pairs += 1
    return pairs


def control_characters(name):
    """Each that could act on a terminal; a line feed may."""
    text = open(f"{work}/{name}", "rb").read().decode("utf-8", "backslashreplace")
    bad = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
    return [f"{name}: {len(bad)} characters such as U+{ord(bad[0]):04X}"] if bad else []


try:
    plan = json.loads(said("plan.json"))
except json.JSONDecodeError:
    print(f"{path}: FAILED: does not open (exit status {status}): {said('plan.err')}")
    sys.exit(1)

session, entries = plan["session"], plan["entries"]
records, skipped = sum(session["records"].values()), session["skipped"]
wanted, broken = second_reading(session["format"] == "claude-code")
if (records, skipped) != (wanted, broken):
    faults.append(f"read {records} records and skipped {skipped}; python3 finds {wanted} and {broken}")
if not plan["verified"] or status != 0:
    faults.append(f"the plan is not verified (exit status {status}): {plan['violations'][:3]}")
if drawn != 0:
    faults.append(f"snapshot failed: {said('draw.err')}")
faults += control_characters("table.txt") + control_characters("screens.txt")

kinds = Counter(entry["kind"] for entry in entries)
outcomes = " ".join(f"{name} {count}" for name, count in plan["totals"]["outcomes"].items() if count)
print(
    f"{path}: {session['format']}, {session['messages']} messages, {session['calls']} calls, "
    f"{kinds['result']} results, {paired(entries)} pairs, {session['repaired']} repaired, "
    f"{skipped} skipped, {records} records, {outcomes}, {'verified' if plan['verified'] else 'NOT VERIFIED'}"
    + "".join(f"\n  FAILED {path}: {fault}" for fault in faults)
)
sys.exit(bool(faults))
PY
done < <(for given in "$@"; do sessions "$given"; done)
exit "$failed"
