//! One record of a Claude Code session, read in one pass whatever the order of its keys.
//!
//! The copy of every result that is kept for the vendor's own screen (`toolUseResult`) is most of
//! a file and is passed over.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::session::formats::loose::{Flag, Present, Text, absent};
use crate::session::formats::message::ApiMessage;

#[derive(Debug, Default)]
pub(in crate::session) struct Record<'a> {
    pub(super) kind: Text<'a>,
    pub(super) subtype: Text<'a>,
    pub(super) uuid: Text<'a>,
    pub(super) time: Text<'a>,
    pub(super) cwd: Text<'a>,
    pub(super) request_id: Text<'a>,
    pub(super) side_chain: Flag,
    pub(super) meta: Flag,
    pub(super) compact_summary: Flag,
    pub(super) api_error: Flag,
    pub(super) message: ApiMessage<'a>,
    pub(super) attachment: Attachment<'a>,
    /// One of the keys by which a record is known was there.
    pub(super) has_envelope: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    Type,
    Subtype,
    Uuid,
    Timestamp,
    Cwd,
    RequestId,
    IsSidechain,
    IsMeta,
    IsCompactSummary,
    IsApiErrorMessage,
    Message,
    Attachment,
    #[serde(alias = "parentUuid", alias = "leafUuid", alias = "messageId", alias = "session_id")]
    SessionId,
    #[serde(other)]
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record<'de>;
    absent!('de: );

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Record<'de>, A::Error> {
        let mut record = Record::default();
        while let Some(key) = members.next_key()? {
            match key {
                Key::Type => record.kind = members.next_value()?,
                Key::Subtype => record.subtype = members.next_value()?,
                Key::Uuid => record.uuid = members.next_value()?,
                Key::Timestamp => record.time = members.next_value()?,
                Key::Cwd => record.cwd = members.next_value()?,
                Key::RequestId => record.request_id = members.next_value()?,
                Key::IsSidechain => record.side_chain = members.next_value()?,
                Key::IsMeta => record.meta = members.next_value()?,
                Key::IsCompactSummary => record.compact_summary = members.next_value()?,
                Key::IsApiErrorMessage => record.api_error = members.next_value()?,
                Key::Message => record.message = members.next_value()?,
                Key::Attachment => record.attachment = members.next_value()?,
                Key::SessionId => record.has_envelope = members.next_value::<Present>()?.0,
                Key::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(record)
    }
}

/// The type of what is attached.
#[derive(Debug, Default)]
pub(super) struct Attachment<'a>(pub(super) Text<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Attachment<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AttachmentVisitor)
    }
}

struct AttachmentVisitor;

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum AttachmentKey {
    Type,
    #[serde(other)]
    Other,
}

impl<'de> Visitor<'de> for AttachmentVisitor {
    type Value = Attachment<'de>;
    absent!('de: bool number null text list);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Attachment<'de>, A::Error> {
        let mut attachment = Attachment::default();
        while let Some(key) = members.next_key()? {
            match key {
                AttachmentKey::Type => attachment.0 = members.next_value()?,
                AttachmentKey::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(attachment)
    }
}
