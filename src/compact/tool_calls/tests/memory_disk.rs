//! A disk in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::compact::tool_calls::{Disk, DiskFault, FileContents, real_path};

/// Files, directories and links by their absolute paths.
#[derive(Debug, Clone, Default)]
pub struct MemoryDisk {
    nodes: BTreeMap<String, Node>,
}

#[derive(Debug, Clone)]
enum Node {
    Directory,
    File(Arc<[u8]>),
    Link(String),
}

impl MemoryDisk {
    /// The files of a recorded case: a text, `null` for a directory, `{"hex"}` or `{"link"}`.
    pub fn of_case(case: &Value) -> MemoryDisk {
        let mut disk = MemoryDisk::default();
        disk.put("/srv/proj", Node::Directory);
        for (name, file) in case["files"].as_object().into_iter().flatten() {
            let path = format!("/srv/proj/{name}");
            match (file.as_str(), file["hex"].as_str(), file["link"].as_str()) {
                (Some(text), _, _) => disk.write(&path, text),
                (_, Some(hex), _) => disk.put(&path, Node::File(bytes_of(hex).into())),
                (_, _, Some(target)) => disk.link(&path, target),
                _ => disk.put(&path, Node::Directory),
            }
        }
        disk
    }

    pub fn write(&mut self, path: &str, text: &str) {
        self.put(path, Node::File(text.as_bytes().into()));
    }

    pub fn link(&mut self, path: &str, target: &str) {
        self.put(path, Node::Link(target.to_owned()));
    }

    pub fn remove(&mut self, path: &str) {
        self.nodes.remove(path);
    }

    fn put(&mut self, path: &str, node: Node) {
        for (slash, _) in path.match_indices('/').skip(1) {
            self.nodes.entry(path[..slash].to_owned()).or_insert(Node::Directory);
        }
        self.nodes.insert(path.to_owned(), node);
    }
}

impl Disk for MemoryDisk {
    fn real_path(&self, path: &str) -> String {
        real_path(
            path,
            || "/".to_owned(),
            |path| match self.nodes.get(path) {
                Some(Node::Link(target)) => Some(target.clone()),
                _ => None,
            },
        )
    }

    fn read(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        let above = real_path.match_indices('/').skip(1).map(|(slash, _)| &real_path[..slash]);
        let mut above = above.filter_map(|directory| self.nodes.get(directory));
        if above.any(|node| !matches!(node, Node::Directory)) {
            return Err(DiskFault::Unreadable);
        }
        match self.nodes.get(real_path) {
            None => Err(DiskFault::Missing),
            Some(Node::Directory) => Err(DiskFault::NotRegular),
            // Only a link that leads to itself is left in a real path.
            Some(Node::Link(_)) => Err(DiskFault::Unreadable),
            Some(Node::File(bytes)) if bytes.len() as u64 > limit => Err(DiskFault::TooLarge),
            Some(Node::File(bytes)) => Ok(Arc::new(FileContents::new(bytes.to_vec()))),
        }
    }
}

/// A disk that changes after it was looked at: what is read anew is another one's.
pub struct ChangingDisk {
    pub before: MemoryDisk,
    pub after: MemoryDisk,
}

impl Disk for ChangingDisk {
    fn real_path(&self, path: &str) -> String {
        self.before.real_path(path)
    }

    fn read(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        self.before.read(real_path, limit)
    }

    fn read_anew(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        self.after.read(real_path, limit)
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}
