#!/usr/bin/env python3
"""Writes migration-long.jsonl: a long Claude Code session, always the same bytes.

The story: a rental company's bookings move from MySQL to PostgreSQL, table by table. For each table
the agent reads the old schema and the shared mapping rules again, writes a mapper, copies the rows,
mends what fails and compares both sides. So the file has what a long session has: the same files read
over and over, calls in parallel, long outputs, errors, and two compactions.

    python3 make-long.py [FILE]
"""

import json
import random
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = "/work/rental"
BATCH = 50_000
WORDS = random.Random(1907)

# table: its columns after the id, its rows, and what goes wrong on the first copy.
TABLES = {
    "countries": ("code name currency", 249, None),
    "branches": ("country_id name street opening_hours phone", 412, None),
    "customers": ("name email phone birth_date licence_number notes", 881_204, "encoding"),
    "vehicle_classes": ("code name seats luggage fuel", 38, None),
    "vehicles": ("class_id branch_id plate odometer registered_on sold_on", 61_377, "zero_date"),
    "rates": ("class_id branch_id season daily weekly currency", 190_512, None),
    "extras": ("code name price taxable", 27, None),
    "bookings": ("customer_id vehicle_id branch_id starts_at ends_at state total", 4_118_903, "zone"),
    "booking_extras": ("booking_id extra_id quantity price", 2_630_447, "orphans"),
    "drivers": ("booking_id name licence_number issued_on", 1_204_884, "zero_date"),
    "payments": ("booking_id amount currency method paid_at reference", 4_377_016, "money"),
    "refunds": ("payment_id amount reason paid_at", 88_541, "orphans"),
    "deposits": ("booking_id amount held_at released_at", 3_902_115, "zone"),
    "damages": ("booking_id vehicle_id severity description photo_path", 214_606, "encoding"),
    "inspections": ("vehicle_id branch_id odometer fuel_level done_at done_by", 7_719_250, None),
    "maintenance": ("vehicle_id workshop cost started_on finished_on notes", 331_078, "money"),
    "fines": ("vehicle_id booking_id authority amount issued_at paid", 45_903, "zone"),
    "invoices": ("booking_id number net tax gross issued_on", 4_090_877, "money"),
    "invoice_lines": ("invoice_id position text quantity net tax_rate", 13_505_218, "orphans"),
    "mail_log": ("customer_id template sent_at state", 9_814_660, "encoding"),
}

AMOUNTS = "amount total net gross tax price cost daily weekly".split()

# what the copy says, where the rule for it is, and the line that mends the mapper.
FAULTS = {
    "encoding": (
        "invalid byte sequence for encoding \"UTF8\": 0xe4 0x74 0x7a",
        "rows before 2011 are latin1 in a utf8 table",
        "text = mend_latin1",
    ),
    "zero_date": (
        "date/time field value out of range: \"0000-00-00\"",
        "the old code wrote 0000-00-00 for 'not yet'",
        "date = null_when_zero",
    ),
    "zone": (
        "new row violates check constraint \"ends_after_start\"",
        "times are local to the branch, and the night of the clock change runs backwards",
        "time = from_branch_zone",
    ),
    "orphans": (
        "insert or update violates foreign key constraint",
        "parents were deleted by hand in 2016; their children go to the quarantine schema",
        "missing_parent = quarantine",
    ),
    "money": (
        "numeric field overflow: precision 10, scale 2",
        "amounts are floats there, with the cents of three currencies in the fourth decimal",
        "amount = decimal_half_even",
    ),
}


class Session:
    """Claude Code records, one a line."""

    def __init__(self):
        self.random = random.Random(44)
        self.lines = []
        self.parent = None
        self.clock = datetime(2026, 2, 3, 7, 30, tzinfo=timezone.utc)
        self.session = self.uuid()
        self.context = 18_000
        self.message = None

    def uuid(self):
        digits = f"{self.random.getrandbits(128):032x}"
        parts = (digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:])
        return "-".join(parts)

    def token(self, prefix):
        letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        return prefix + "".join(self.random.choice(letters) for _ in range(20))

    def write(self, record):
        self.lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))

    def record(self, kind, **fields):
        self.clock += timedelta(milliseconds=self.random.randint(300, 9_000))
        uuid, parent = self.uuid(), fields.pop("parent", self.parent)
        moment = self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.write({
            "parentUuid": parent, "isSidechain": False, "cwd": ROOT, "sessionId": self.session,
            "version": "2.1.40", "type": kind, **fields, "uuid": uuid, "timestamp": moment,
        })
        self.parent = uuid

    def user(self, text, **fields):
        self.message = None
        self.clock += timedelta(minutes=self.random.randint(1, 6))
        self.record("user", message={"role": "user", "content": text}, **fields)

    def block(self, block):
        if self.message is None:
            self.message = self.token("msg_01")
        self.context += 40
        usage = {"input_tokens": 4, "cache_read_input_tokens": self.context, "output_tokens": 60}
        self.record("assistant", message={
            "model": "claude-sonnet-4-5-20250929", "id": self.message, "type": "message",
            "role": "assistant", "content": [block], "stop_reason": None, "usage": usage,
        })

    def say(self, text):
        self.block({"type": "text", "text": text})

    def think(self, text):
        self.block({"type": "thinking", "thinking": text, "signature": self.token("Er")})

    def run(self, *calls):
        """Calls at once, then their results. A call: (tool, input, output), True after it is an error."""
        ids = []
        for tool, call_input, *_ in calls:
            ids.append(self.token("toolu_01"))
            self.block({"type": "tool_use", "id": ids[-1], "name": tool, "input": call_input})
        for call_id, (_, _, output, *is_error) in zip(ids, calls):
            result = {"tool_use_id": call_id, "type": "tool_result", "content": output}
            if is_error:
                result["is_error"] = True
            self.context += len(output) // 4
            self.record("user", message={"role": "user", "content": [result]})
        self.message = None

    def compact(self, summary):
        """The conversation was summarised and goes on."""
        before, self.context = self.context, 18_000
        last, self.parent = self.parent, None
        self.record("system", subtype="compact_boundary", content="Conversation compacted",
                    logicalParentUuid=last, compactMetadata={"trigger": "auto", "preTokens": before})
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def numbered(text, first=1):
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), first))


def old_type(column):
    """The type that a column has on the old side."""
    if column.endswith("_id") or column in ("quantity", "odometer", "position", "seats"):
        return "int NOT NULL"
    if column.endswith("_at"):
        return "datetime"
    if column.endswith(("_on", "_date")):
        return "date"
    return "double" if column in AMOUNTS else "varchar(255)"


def create_table(table):
    columns = [f"  {column} {old_type(column)}," for column in TABLES[table][0].split()]
    head = [f"CREATE TABLE {table} (", "  id int NOT NULL AUTO_INCREMENT,"]
    return "\n".join(head + columns + ["  PRIMARY KEY (id)", ") ENGINE=InnoDB;", ""])


SCHEMA = "\n".join(create_table(table) for table in TABLES).rstrip("\n")

RULES = """# Mapping rules

Read before every table. A rule that is missing is written here first, then used.

1. Ids stay as they are. Sequences start at the highest id + 1000.
2. `datetime` is local time of the branch; it becomes `timestamptz`.
3. `0000-00-00` becomes null. Count how many, write the count into the log.
4. Money becomes numeric(12,2), rounded half to even; the difference to the float is logged.
5. Text is UTF-8. What is not valid is read as latin1 and checked for umlauts.
6. A row without its parent goes to `quarantine.<table>`, never to the bin.
7. Tables are copied in batches of 50,000, by id.
8. Both sides are counted, and a checksum of every column is compared.
9. Nobody writes to the old side between 02:00 and 05:00; copies run then, rehearsals any time.""".strip()

CHECK = '''"""Compare both sides of a table."""

import sys

from rental.sides import new_side, old_side

EVERY = 1_000


def checksum(side, table, column):
    """Order of rows does not count, and null is not the empty text."""
    query = f"SELECT count({column}), sum(crc32(coalesce({column}, '<null>'))) FROM {table}"
    return side.one(query)


def compare(table):
    old, new = old_side(), new_side()
    wrong = [c for c in new.columns(table) if checksum(old, table, c) != checksum(new, table, c)]
    counts = old.count(table), new.count(table), new.count(f"quarantine.{table}")
    return counts, wrong


def sample(table):
    """Every thousandth row, whole, side by side."""
    for key in range(1, old_side().highest(table), EVERY):
        yield key, old_side().row(table, key), new_side().row(table, key)


if __name__ == "__main__":
    counts, wrong = compare(sys.argv[1])
    print(*counts, *wrong)
    sys.exit(counts[0] != counts[1] + counts[2] or bool(wrong))'''


def mapper(table, fix=None):
    columns = TABLES[table][0].split()
    lines = ["[table]", f'name = "{table}"', f"batch = {BATCH}", "", "[columns]"]
    lines += [f'{name} = "copy"' for name in columns]
    return "\n".join(lines + (["", "[rules]", fix] if fix else []))


def copy_log(table, upto=1.0):
    """A line for every batch; small tables say little."""
    rows = int(TABLES[table][1] * upto)
    lines, seconds = [f"copy {table}: {TABLES[table][1]:,} rows, batches of {BATCH:,}"], 0.0
    for first in range(0, rows, BATCH):
        seconds += WORDS.uniform(0.8, 2.4)
        lines.append(
            f"  {first + 1:>10,} .. {min(first + BATCH, rows):>10,}  {seconds:7.1f} s  "
            f"{WORDS.randint(61_000, 190_000):>7,} rows/s  lag {WORDS.randint(3, 90):>2} ms"
        )
    return "\n".join(lines)


def read(path, text, first=None, limit=None):
    if first is None:
        return ("Read", {"file_path": f"{ROOT}/{path}"}, numbered(text))
    part = "\n".join(text.split("\n")[first - 1 : first - 1 + limit])
    call_input = {"file_path": f"{ROOT}/{path}", "offset": first, "limit": limit}
    return ("Read", call_input, numbered(part, first))


def bash(command, output, *is_error):
    return ("Bash", {"command": command, "description": command.split()[0]}, output, *is_error)


def inventory():
    """A line for every column of the old side."""
    lines = []
    for table, (columns, rows, _) in TABLES.items():
        for column in columns.split():
            nulls = int(rows * WORDS.random() ** 4)
            distinct = WORDS.randint(1, rows)
            lines.append(
                f"{table}.{column:<20} rows {rows:>10}  null {nulls:>9}  distinct {distinct:>10}"
            )
    return "\n".join(lines)


def look_around(session):
    """What every session begins with and nobody needs later."""
    session.say("A first look at what is here.")
    listing = "\n".join(f"drwxr-xr-x  {n}" for n in ("docs", "mappers", "rental", "schema", "scripts", "tests"))
    host = "Linux copyhost 6.8.0 x86_64\n 07:31 up 41 days, load 0.20"
    session.run(bash("ls -l", listing), bash("uname -a; uptime", host))
    session.say("Now the inventory: every table of the old schema, every column, rows and nulls.")
    session.run(bash("python scripts/inventory.py --schema schema/old.sql", inventory()))


def chapter(session, number, table):
    columns, rows, fault = TABLES[table]
    line = SCHEMA.split("\n").index(f"CREATE TABLE {table} (") + 1
    session.say(WORDS.choice((
        f"Table {number} of {len(TABLES)}: `{table}`. The schema and the rules first.",
        f"On to `{table}`, {rows:,} rows. I read its schema and the mapping rules.",
        f"`{table}` is next. Schema, rules and the script that compares, all at once.",
    )))
    session.run(
        read("schema/old.sql", SCHEMA, line, len(columns.split()) + 4),
        read("docs/mapping-rules.md", RULES),
        *([read("scripts/check.py", CHECK)] if number % 2 else []),
    )
    if number % 4 == 0:
        session.say("Foreign keys go across the whole schema, so I need all of it once more.")
        session.run(read("schema/old.sql", SCHEMA))
    uses = "\n".join(f"rental/{name}.py:{WORDS.randint(8, 300)}:    rows = side.all(\"{table}\", where={column!r})"
                     for name, column in zip(("api", "report", "nightly"), columns.split()))
    session.run(("Grep", {"pattern": table, "path": f"{ROOT}/rental", "output_mode": "content"}, uses))
    path = f"{ROOT}/mappers/{table}.toml"
    created = f"File created successfully at: {path}"
    session.run(("Write", {"file_path": path, "content": mapper(table)}, created))
    if fault:
        rehearse(session, table, fault)
    session.say("Now the copy, with the comparison after it.")
    session.run(bash(f"make copy TABLE={table}", copy_log(table) + f"\ndone: {rows:,} rows"))
    lost = WORDS.randint(3, 900) if fault == "orphans" else 0
    session.run(
        bash(f"python scripts/check.py {table}", f"{rows} {rows - lost} {lost}"),
        bash(f"psql -Atc 'select count(*) from {table}'", str(rows - lost)),
    )
    commit = f"git commit -qam 'Copy {table}' && git log --oneline -1"
    session.run(bash(commit, f"{WORDS.getrandbits(28):07x} Copy {table}"))
    session.say(WORDS.choice((
        "Both sides agree, the checksums too.",
        f"`{table}` agrees on both sides" + (f"; {lost} rows wait in quarantine." if lost else "."),
    )))


def rehearse(session, table, fault):
    """The first copy fails; the rule for it is found and put into the mapper."""
    message, cause, fix = FAULTS[fault]
    stop = WORDS.uniform(0.3, 0.9)
    trace = "\n".join(
        f"  File \"{ROOT}/rental/{module}.py\", line {WORDS.randint(12, 240)}, in {module}"
        for module in ("copy", "batch", "write")
    )
    session.run(bash(
        f"make rehearse TABLE={table}",
        f"Exit code 2\n{copy_log(table, stop)}\nTraceback (most recent call last):\n{trace}\n"
        f"DataError: {message}\nCONTEXT:  COPY {table}, line {WORDS.randint(1000, 99999)}\n"
        "make: *** [rehearse] Error 1",
        True,
    ))
    session.think(f"{message}. That is what the rules describe: {cause}. The mapper has no rule yet.")
    session.say(
        f"It stops, and the cause is an old one: {cause}. I'll look at the mapper and add the rule."
    )
    session.run(read(f"mappers/{table}.toml", mapper(table)), read("docs/mapping-rules.md", RULES))
    path = f"{ROOT}/mappers/{table}.toml"
    edit = {"file_path": path, "old_string": "[columns]", "new_string": f"[rules]\n{fix}\n\n[columns]"}
    session.run(("Edit", edit, f"The file {path} has been updated."))
    session.run(bash(f"make rehearse TABLE={table}", copy_log(table, 0.5) + "\nrehearsal: no error in the first half"))


def story():
    session = Session()
    session.write({"type": "summary", "summary": "Bookings move from MySQL to PostgreSQL", "leafUuid": session.uuid()})
    session.user(
        "We move the bookings database from MySQL to PostgreSQL. Do it table by table: read the "
        "schema and docs/mapping-rules.md, write the mapper, rehearse, copy, compare. Nothing may "
        "get lost; what does not fit goes to quarantine and you tell me about it."
    )
    look_around(session)
    for number, table in enumerate(TABLES, 1):
        if number in (8, 15):
            session.compact(
                "The user moves a rental database from MySQL to PostgreSQL, table by table. "
                f"{number - 1} of {len(TABLES)} tables are copied and agree. The rules are in "
                f"docs/mapping-rules.md; read them before every table. Next: {table}."
            )
        if number in (4, 11, 19):
            session.user(WORDS.choice(("How far are we?", "Go on, please.", "Any rows in quarantine so far?")))
            session.say(
                f"{number - 1} of {len(TABLES)} tables are over, the last one compared a minute ago. "
                "Rows in quarantine are listed in the log of each copy."
            )
        chapter(session, number, table)
    session.user("Is everything over now?")
    rows = sum(rows for _, rows, _ in TABLES.values())
    session.say(
        f"Yes: all {len(TABLES)} tables, {rows:,} rows. The old side stays readable until Friday."
    )
    return "\n".join(session.lines) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("migration-long.jsonl")
    target.write_text(story(), encoding="utf-8")
