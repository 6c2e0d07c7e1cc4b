//! Where the program's own files are: the names of the XDG Base Directory Specification on every
//! platform, so that a path in a document holds everywhere.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;

const PROGRAM: &str = "compactscope";

/// What the program must not lose (`$XDG_DATA_HOME/compactscope`, else
/// `~/.local/share/compactscope`); `None` without a home directory.
pub fn data() -> Option<PathBuf> {
    Some(Xdg::new().ok()?.data_dir().join(PROGRAM))
}

/// What the user told the program (`$XDG_CONFIG_HOME/compactscope`, else
/// `~/.config/compactscope`); `None` without a home directory.
pub fn config() -> Option<PathBuf> {
    Some(Xdg::new().ok()?.config_dir().join(PROGRAM))
}
