use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

const TEXT: &str = "an output\nthat was removed\n";

/// A stash that is not there yet, in a directory of its own.
fn fresh() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let stash = home.path().join("data/stash");
    (home, stash)
}

fn id_of(text: &str) -> String {
    digest::sha256(text.as_bytes())
}

fn store(stash: &FileStash, text: &str) -> Result<String, StashFault> {
    let sha256 = id_of(text);
    let texts = [ToStore { sha256: &sha256, text }];
    stash.store(&texts).remove(0).map(|()| sha256)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The names of all files in a directory, hidden ones too.
fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_comes_back_as_it_was(text in "(?s)(.|[\0\r\n\u{1b}\u{85}\u{2028}]){0,60}") {
        let (_home, place) = fresh();
        let stash = FileStash::at(&place);
        let sha256 = store(&stash, &text).unwrap();
        let recalled = stash.recall(&sha256[..12]).unwrap();
        prop_assert_eq!(recalled, Recalled { sha256: sha256.clone(), text: text.clone() });
        prop_assert!(stash.holds(&sha256[..12], &text));
        prop_assert_eq!(fs::read(place.join(&sha256)).unwrap(), text.as_bytes());
    }
}

#[test]
fn only_the_owner_may_read_the_stash_and_nothing_is_written_beside_it() {
    let (home, place) = fresh();
    let sha256 = store(&FileStash::at(&place), TEXT).unwrap();
    assert_eq!(mode(&place), 0o700);
    assert_eq!(mode(&place.join(&sha256)), 0o600);
    assert_eq!(files(&place), [sha256]);
    assert_eq!(files(place.parent().unwrap()), ["stash"]);
    assert_eq!(files(home.path()), ["data"]);
}

#[test]
fn a_directory_that_others_may_enter_is_closed() {
    let (_home, place) = fresh();
    fs::create_dir_all(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    store(&FileStash::at(&place), TEXT).unwrap();
    assert_eq!(mode(&place), 0o700);
}

#[test]
fn what_a_killed_program_left_goes_once_it_is_old() {
    let (_home, place) = fresh();
    fs::create_dir_all(place.join(".tmp-directory")).unwrap();
    let hours_ago = |hours: u64| SystemTime::now() - Duration::from_secs(hours * 3600);
    for (name, at) in
        [(".tmp-1-0", hours_ago(2)), (".tmp-1-1", hours_ago(0)), ("notes", hours_ago(2))]
    {
        let file = File::create(place.join(name)).unwrap();
        file.set_modified(at).unwrap();
    }
    let sha256 = store(&FileStash::at(&place), TEXT).unwrap();
    assert_eq!(files(&place), [".tmp-1-1", ".tmp-directory", &sha256, "notes"]);
}

#[test]
fn a_text_that_is_there_is_not_written_again_and_a_damaged_one_is() {
    let (_home, place) = fresh();
    let sha256 = store(&FileStash::at(&place), TEXT).unwrap();
    let blob = place.join(&sha256);
    let never = FileStash::with(Some(place), Box::new(Faulty { written: 0, rename: true }));
    assert_eq!(store(&never, TEXT), Ok(sha256.clone()));

    for damage in [&b"an output\nthat was rem"[..], b"", b"other"] {
        fs::write(&blob, damage).unwrap();
        assert!(!never.holds(&sha256, TEXT));
        let error = never.recall(&sha256[..12]).unwrap_err();
        assert!(matches!(error, RecallError::Damaged { sha256: of } if of == sha256));
        store(&FileStash::at(blob.parent().unwrap()), TEXT).unwrap();
        assert_eq!(fs::read(&blob).unwrap(), TEXT.as_bytes());
    }
}

/// A disk that is full after so many bytes, or on which nothing can be renamed.
struct Faulty {
    written: usize,
    rename: bool,
}

impl Writing for Faulty {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(&bytes[..self.written.min(bytes.len())])?;
        if self.written < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        if self.rename { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    }
}

/// A disk that loses the end of what it is given and says it has it all.
struct Forgetful;

impl Writing for Forgetful {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(&bytes[..bytes.len() / 2])
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
}

#[test]
fn a_store_that_fails_on_the_way_leaves_nothing() {
    let full = Faulty { written: 9, rename: false };
    let no_rename = Faulty { written: TEXT.len(), rename: true };
    let disks: [(Box<dyn Writing>, &str); 3] = [
        (Box::new(full), "OSError"),
        (Box::new(no_rename), "PermissionError"),
        (Box::new(Forgetful), "OSError"),
    ];
    for (disk, kind) in disks {
        let (_home, place) = fresh();
        let stash = FileStash::with(Some(place.clone()), disk);
        let fault = store(&stash, TEXT).unwrap_err();
        assert_eq!(fault.kind, kind);
        assert!(fault.why.starts_with(place.to_str().unwrap()), "{}", fault.why);
        assert_eq!(files(&place), [""; 0], "{kind}");
        assert!(!stash.holds(&id_of(TEXT), TEXT));
    }
}

#[test]
fn a_store_that_fails_leaves_a_damaged_text_as_it_is() {
    let (_home, place) = fresh();
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join(id_of(TEXT)), "damaged").unwrap();
    let stash =
        FileStash::with(Some(place.clone()), Box::new(Faulty { written: 3, rename: false }));
    assert!(store(&stash, TEXT).is_err());
    assert_eq!(files(&place), [id_of(TEXT)]);
}

/// What the reference's store raised in the same situations (Python 3.11 on Linux).
#[test]
fn a_fault_has_the_name_that_python_gives_it() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let dangling = home.path().join("dangling");
    std::os::unix::fs::symlink(home.path().join("nowhere/at/all"), &dangling).unwrap();
    let occupied = home.path().join("occupied");
    fs::create_dir_all(occupied.join(id_of(TEXT))).unwrap();
    for (place, kind) in [
        (file.clone(), "FileExistsError"),
        (file.join("stash"), "NotADirectoryError"),
        (file.join("a/b/stash"), "NotADirectoryError"),
        (dangling, "FileExistsError"),
        (occupied.clone(), "IsADirectoryError"),
        ("/proc/compactscope/stash".into(), "FileNotFoundError"),
        (home.path().join("n".repeat(300)), "OSError"),
    ] {
        let fault = store(&FileStash::at(&place), TEXT).unwrap_err();
        assert_eq!(fault.kind, kind, "{}: {}", place.display(), fault.why);
    }
    assert_eq!(files(&occupied), [id_of(TEXT)]);
    assert_eq!(files(home.path()), ["dangling", "file", "occupied"]);
}

#[test]
fn a_directory_that_may_not_be_written_is_a_permission_error() {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::create_dir(home.path().join("probe")).is_ok() {
        // The superuser may write everywhere.
        return;
    }
    let fault = store(&FileStash::at(home.path().join("stash")), TEXT).unwrap_err();
    assert_eq!(fault.kind, "PermissionError");
}

#[test]
fn an_id_that_leads_to_two_texts_leads_to_none() {
    let (_home, place) = fresh();
    let stash = FileStash::at(&place);
    let sha256 = store(&stash, TEXT).unwrap();
    assert!(stash.holds(&sha256[..12], TEXT));
    let twin = format!("{}{}", &sha256[..12], "0".repeat(52));
    fs::write(place.join(&twin), "twin").unwrap();
    let (stash, id) = (FileStash::at(&place), &sha256[..12]);
    assert!(!stash.holds(id, TEXT));
    assert!(stash.holds(&sha256, TEXT));
    let mut both = [sha256.clone(), twin];
    both.sort();
    assert_eq!(
        stash.recall(id).unwrap_err().to_string(),
        format!("{id} stands for several texts; give more digits of one: {}", both.join(", "))
    );
    assert_eq!(stash.recall(&sha256).unwrap().text, TEXT);
}

#[test]
fn what_is_no_text_of_the_stash_is_never_given_out() {
    let (_home, place) = fresh();
    let stash = FileStash::at(&place);
    let refusal = |id: &str| stash.recall(id).unwrap_err().to_string();
    let unknown = refusal("0123456789ab");
    assert!(unknown.starts_with("nothing is stashed under 0123456789ab in "), "{unknown}");
    assert!(unknown.ends_with("name that directory in COMPACTSCOPE_STASH_DIR"), "{unknown}");

    store(&stash, TEXT).unwrap();
    fs::write(place.join("0123456789ab"), "too short a name").unwrap();
    fs::write(place.join(".tmp-1-1"), "left behind").unwrap();
    assert_eq!(refusal("0123456789ab"), unknown);
    for id in ["", "abc", "0123456789a", "../etc/passwd", "0123456789AG", &"a".repeat(65)] {
        assert!(refusal(id).contains("is no stash id"), "{id}");
    }
    let no_text = b"\xff\xfe";
    fs::write(place.join(digest::sha256(no_text)), no_text).unwrap();
    assert!(refusal(&digest::sha256(no_text)).contains("is damaged and not given out"));
}

#[test]
fn texts_stored_by_others_meanwhile_are_recalled() {
    let (_home, place) = fresh();
    let stash = FileStash::at(&place);
    let first = store(&stash, TEXT).unwrap();
    assert!(stash.holds(&first[..12], TEXT));
    let second = store(&FileStash::at(&place), "stored by another").unwrap();
    assert_eq!(stash.recall(&second[..12]).unwrap().text, "stored by another");
    let third = store(&stash, "stored after the first look").unwrap();
    assert!(stash.holds(&third[..12], "stored after the first look"));
}

#[test]
fn the_directory_is_the_one_that_is_named_else_below_the_data_directory() {
    let data = || Some(PathBuf::from("/home/a/.local/share/compactscope"));
    let below = Some(PathBuf::from("/home/a/.local/share/compactscope/stash"));
    assert_eq!(directory(None, data()), below);
    assert_eq!(directory(Some("".into()), data()), below);
    assert_eq!(directory(Some("/elsewhere".into()), data()), Some("/elsewhere".into()));
    assert_eq!(directory(None, None), None);
}

#[test]
fn without_a_directory_nothing_is_stored_and_the_way_out_is_named() {
    let stash = FileStash::with(None, Box::new(RealWriting));
    let fault = store(&stash, TEXT).unwrap_err();
    assert!(fault.why.contains("set COMPACTSCOPE_STASH_DIR"), "{}", fault.why);
    let error = stash.recall("0123456789ab").unwrap_err();
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(why.contains("set COMPACTSCOPE"), "{why}");
    assert!(!stash.holds("0123456789ab", TEXT));
}

#[test]
fn a_look_tells_what_is_there_from_what_is_damaged_and_what_is_missing() {
    let (_home, place) = fresh();
    let stash = FileStash::at(&place);
    assert_eq!(stash.look(&id_of(TEXT)), Recoverability::Missing);
    let sha256 = store(&stash, TEXT).unwrap();
    assert_eq!(stash.look(&sha256), Recoverability::Same);
    fs::write(place.join(&sha256), "damaged").unwrap();
    assert_eq!(stash.look(&sha256), Recoverability::Changed);
}

#[test]
fn a_link_in_a_texts_place_is_no_text_wherever_it_leads() {
    let (home, place) = fresh();
    let stash = FileStash::at(&place);
    let sha256 = store(&stash, TEXT).unwrap();
    let (blob, elsewhere) = (place.join(&sha256), home.path().join("elsewhere"));
    for target in [elsewhere.as_path(), Path::new("/dev/zero"), Path::new("nowhere")] {
        fs::write(&elsewhere, TEXT).unwrap();
        fs::remove_file(&blob).unwrap();
        std::os::unix::fs::symlink(target, &blob).unwrap();
        assert!(!stash.holds(&sha256, TEXT));
        assert_eq!(stash.look(&sha256), Recoverability::Changed);
        let error = stash.recall(&sha256).unwrap_err();
        assert!(matches!(error, RecallError::Damaged { .. }), "{error}");
        // What it leads to may change at any time: the text itself is stored in its place.
        store(&stash, TEXT).unwrap();
        assert!(fs::symlink_metadata(&blob).unwrap().is_file());
        fs::write(&elsewhere, "changed").unwrap();
        assert_eq!(stash.recall(&sha256).unwrap().text, TEXT);
    }
}

#[test]
fn many_texts_are_stored_together_and_each_has_its_own_answer() {
    let (_home, place) = fresh();
    let texts: Vec<String> = (0..100).map(|n| format!("output {n}")).collect();
    let names: Vec<String> = texts.iter().map(|text| id_of(text)).collect();
    fs::create_dir_all(place.join(&names[40])).unwrap();
    let to_store: Vec<ToStore> =
        names.iter().zip(&texts).map(|(sha256, text)| ToStore { sha256, text }).collect();
    let stash = FileStash::at(&place);
    for (n, stored) in stash.store(&to_store).into_iter().enumerate() {
        let kind = stored.err().map(|fault| fault.kind);
        assert_eq!(kind, (n == 40).then_some("IsADirectoryError"), "{n}");
        assert_eq!(stash.holds(&names[n], &texts[n]), n != 40, "{n}");
    }
    assert_eq!(files(&place).len(), 100);
}

#[test]
fn without_a_text_to_store_there_is_no_directory() {
    let (_home, place) = fresh();
    assert_eq!(FileStash::at(&place).store(&[]), []);
    assert!(!place.exists());
}
