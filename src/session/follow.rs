//! A session file that grows: bytes go in as they are appended, and the session is there at any
//! time. Reads nothing itself.

use super::assembly::Assembly;
use super::formats::{Survey, Verdict};
use super::lines::{Line, LineFormat};
use super::{Format, Session, Source, repair};

/// How a file is laid out, as far as what was seen of it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Too little was seen.
    Undecided,
    /// Records, one a line: it grows at its end.
    Lines,
    /// One JSON document: it is written anew as a whole, and is to be read anew with
    /// [`read`](super::read).
    Document,
}

/// A session of records, one a line, that is fed as it is written.
///
/// The work of a [`push`](Growing::push) is in proportion to what is pushed; what was read before
/// is not looked at again, except while the format may still change (the first 64 lines).
#[derive(Debug)]
pub struct Growing {
    source: Source,
    named: Option<Format>,
    head: Option<Head>,
    layout: Layout,
    reading: Option<Reading>,
}

impl Growing {
    /// Nothing yet of a file, which is in the format named, or in the one that its content shows.
    pub fn new(source: Source, format: Option<Format>) -> Growing {
        let mut growing = Growing {
            source,
            named: format,
            head: Some(Head::default()),
            layout: Layout::Undecided,
            reading: None,
        };
        growing.settle(Survey::default().verdict(format));
        growing
    }

    /// Takes what was appended. A last line without its line feed is held until that comes, or
    /// until it is a whole object.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        if let Some(mut head) = self.head.take() {
            let seen = head.bytes.len();
            let (survey, taken) = head.push(bytes);
            let before = self.reading.as_ref().map(|reading| reading.format);
            self.settle(survey.verdict(self.named));
            if let Some(reading) = &mut self.reading {
                // Another format than before: all is read again.
                let known = if before == Some(reading.format) { seen } else { 0 };
                reading.push(&head.bytes[known..]);
            }
            let document = survey.verdict(self.named) == Verdict::Document { settled: true };
            if !document && !survey.is_over() {
                self.head = Some(head);
            }
            bytes = &bytes[taken..];
        }
        if let Some(reading) = &mut self.reading {
            reading.push(bytes);
        }
    }

    fn settle(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Undecided => {}
            Verdict::Document { .. } => {
                self.layout = Layout::Document;
                self.reading = None;
            }
            Verdict::Lines(format) => {
                self.layout = Layout::Lines;
                if self.reading.as_ref().is_none_or(|reading| reading.format != format) {
                    self.reading = Some(Reading::new(self.source.clone(), format));
                }
            }
        }
    }

    /// Nothing more will come: a last line that is cut off is counted as a fault.
    pub fn finish(&mut self) {
        if let Some(mut head) = self.head.take()
            && self.reading.is_none()
        {
            head.survey.line(&head.bytes[head.line..]);
            self.settle(head.survey.verdict(self.named));
            if let Some(reading) = &mut self.reading {
                reading.push(&head.bytes);
            }
        }
        if let Some(reading) = &mut self.reading {
            reading.finish();
        }
    }

    /// The session so far; `None` until the format is known, and for a document.
    pub fn session(&self) -> Option<&Session> {
        self.reading.as_ref().map(|reading| reading.out.session())
    }

    /// Gives the session away.
    pub fn into_session(self) -> Option<Session> {
        self.reading.map(|reading| reading.out.into_session())
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }
}

/// The first lines, kept until the format is settled.
#[derive(Debug, Default)]
struct Head {
    bytes: Vec<u8>,
    /// Where the line that is not yet whole starts.
    line: usize,
    survey: Survey,
    objects: Objects,
}

impl Head {
    /// Takes lines up to the last that is surveyed. Says what they show, and how many bytes of
    /// these were taken.
    fn push(&mut self, bytes: &[u8]) -> (Survey, usize) {
        let mut taken = 0;
        while !self.survey.is_over()
            && let Some(length) = memchr::memchr(b'\n', &bytes[taken..])
        {
            self.bytes.extend_from_slice(&bytes[taken..=taken + length]);
            taken += length + 1;
            self.survey.line(&self.bytes[self.line..]);
            self.line = self.bytes.len();
            self.objects = Objects::default();
        }
        if self.survey.is_over() {
            return (self.survey.clone(), taken);
        }
        self.bytes.extend_from_slice(&bytes[taken..]);
        let mut survey = self.survey.clone();
        survey.start(&self.bytes[self.line..]);
        if self.objects.scan(&bytes[taken..]) {
            survey.line(&self.bytes[self.line..]);
        }
        (survey, bytes.len())
    }
}

/// A file being read line by line.
#[derive(Debug)]
struct Reading {
    format: Format,
    line_format: LineFormat,
    out: Assembly,
    line: Line,
    /// What is there of a line without its line feed.
    tail: Vec<u8>,
    /// How much of the tail was read already.
    taken: usize,
    objects: Objects,
}

impl Reading {
    fn new(source: Source, format: Format) -> Reading {
        let line_format = match format {
            Format::ClaudeCode => LineFormat::ClaudeCode,
            _ => LineFormat::Conversations,
        };
        Reading {
            format,
            line_format,
            out: Assembly::new(source, format),
            line: Line::new(1),
            tail: Vec::new(),
            taken: 0,
            objects: Objects::default(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(length) = memchr::memchr(b'\n', rest) {
            if self.tail.is_empty() {
                self.end_line(&rest[..length], true);
            } else {
                self.tail.extend_from_slice(&rest[..length]);
                let tail = std::mem::take(&mut self.tail);
                self.end_line(&tail, true);
            }
            rest = &rest[length + 1..];
        }
        self.tail.extend_from_slice(rest);
        if self.objects.scan(rest) {
            self.take_objects();
        }
    }

    fn finish(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        self.end_line(&tail, false);
    }

    /// Reads what was not read yet of a line, and goes to the next.
    fn end_line(&mut self, line: &[u8], ended: bool) {
        let mark = self.pass_mark(line);
        self.line.read(&line[self.taken.max(mark)..], ended, self.line_format, &mut self.out);
        self.line = Line::new(self.line.number + 1);
        self.taken = 0;
        self.objects = Objects::default();
    }

    /// Reads the whole objects of a line that has not ended.
    fn take_objects(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        self.taken = self.taken.max(self.pass_mark(&tail));
        if let Ok(text) = str::from_utf8(&tail[self.taken..]) {
            self.taken += self.line.take_whole(text, self.line_format, &mut self.out);
        }
        // What could not be taken now has to wait for the rest of its line.
        self.objects.stuck = self.taken < tail.len();
        self.tail = tail;
    }

    /// The length of the byte order mark that a file starts with, said once.
    fn pass_mark(&mut self, line: &[u8]) -> usize {
        if self.line.number > 1 || self.taken > 0 || !line.starts_with(repair::BOM) {
            return 0;
        }
        self.out.repaired(1, "a byte order mark was left out");
        repair::BOM.len()
    }
}

/// Watches a line for the end of an object, each byte once.
#[derive(Debug, Default)]
struct Objects {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The line is not worth another try.
    stuck: bool,
}

impl Objects {
    /// Whether these bytes end with the end of an outermost object.
    fn scan(&mut self, bytes: &[u8]) -> bool {
        let mut closed = false;
        for byte in bytes {
            closed = false;
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.depth += 1,
                b'}' if !self.in_string => {
                    self.depth = self.depth.saturating_sub(1);
                    closed = self.depth == 0;
                }
                _ => {}
            }
        }
        closed && !self.stuck
    }
}
