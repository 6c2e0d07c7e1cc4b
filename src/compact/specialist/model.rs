//! The model: a logistic regression and 350 small trees over the columns of a block, averaged.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Number;
use thiserror::Error;

use super::columns::{COLUMNS, NAMES, Row};
use crate::digest::sha256;

/// The model as the reference package ships it (`lcc/relevance/specialist_v3.json`, MIT licence
/// beside it).
const FILE: &[u8] = include_bytes!("../../../assets/specialist_v3.json");
/// SHA-256 of the file that the columns were made for.
const DIGEST: &str = "219cd798d47f39d18249597892c92f0772d7946ed59610d5b86b8500fa1b51f7";

/// The levels of a tree.
const DEPTH: usize = 4;
const INNER: usize = (1 << DEPTH) - 1;
const LEAVES: usize = 1 << DEPTH;

/// Rows that go down a tree one after the other, so that both stay in reach.
const TOGETHER: usize = 64;

/// Why there is no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The file is not the one that the program was built for.
    #[error("the ranking model has the SHA-256 {found}, not {DIGEST}")]
    Digest { found: String },
    /// The file cannot be read as a model.
    #[error("the ranking model cannot be read: {0}")]
    Malformed(String),
}

/// The ensemble, and how its scores become ranks.
#[derive(Debug)]
pub(super) struct Model {
    regression: Regression,
    base: f64,
    trees: Vec<Tree>,
    /// What a block loses for each unit of its `log_chars`.
    pub size_penalty: f64,
    /// How many blocks that match the question best are raised.
    pub raised_by_question: usize,
    /// How many of the newest errors are raised.
    pub raised_errors: usize,
    /// By how much.
    pub bonus: f64,
}

#[derive(Debug)]
struct Regression {
    /// Mean, standard deviation and weight of each column.
    columns: Vec<[f64; 3]>,
    intercept: f64,
}

/// Nodes in heap order: the children of `k` are `2k + 1` where the column is at most the
/// threshold, and `2k + 2`.
#[derive(Debug)]
struct Tree {
    columns: [u8; INNER],
    /// Rounded down to single precision, which no single number can tell from the original.
    thresholds: [f32; INNER],
    leaves: [f64; LEAVES],
}

impl Model {
    /// The model that the program carries, checked and parsed once.
    pub fn packaged() -> Result<&'static Model, ModelError> {
        static MODEL: OnceLock<Result<Model, ModelError>> = OnceLock::new();
        MODEL.get_or_init(|| Model::load(FILE)).as_ref().map_err(Clone::clone)
    }

    fn load(file: &[u8]) -> Result<Model, ModelError> {
        let found = sha256(file);
        if found != DIGEST {
            return Err(ModelError::Digest { found });
        }
        let malformed = |error: String| ModelError::Malformed(error);
        // Thresholds that nothing exceeds are written as no JSON writes them.
        let json = String::from_utf8_lossy(file).replace("Infinity", "null");
        let file: File =
            serde_json::from_str(&json).map_err(|error| malformed(error.to_string()))?;
        file.model().map_err(malformed)
    }

    /// The raw scores of blocks, greater for what should be kept. Sums run in the reference's
    /// order, so that they round as they do there.
    pub fn raw<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Vec<f64> {
        let rows: Vec<&Row> = rows.collect();
        let mut sums = vec![self.base; rows.len()];
        for (rows, sums) in rows.chunks(TOGETHER).zip(sums.chunks_mut(TOGETHER)) {
            for tree in &self.trees {
                tree.add_leaves(rows, sums);
            }
        }
        rows.iter()
            .zip(&sums)
            .map(|(row, trees)| (self.regression.value(row) + trees) / 2.0)
            .collect()
    }
}

impl Regression {
    fn value(&self, row: &Row) -> f64 {
        let term = |(value, [mean, deviation, weight]): (&f32, &[f64; 3])| {
            (f64::from(*value) - mean) / deviation * weight
        };
        row.iter().zip(&self.columns).map(term).fold(0.0, |sum, term| sum + term) + self.intercept
    }
}

impl Tree {
    fn add_leaves(&self, rows: &[&Row], sums: &mut [f64]) {
        for (row, sum) in rows.iter().zip(sums) {
            let mut node = 0;
            for _ in 0..DEPTH {
                let exceeds = row[usize::from(self.columns[node])] > self.thresholds[node];
                node = 2 * node + 1 + usize::from(exceeds);
            }
            *sum += self.leaves[node - INNER];
        }
    }
}

/// The model's file. A member has the fields of its kind.
#[derive(Deserialize)]
struct File {
    kind: String,
    members: Vec<Member>,
    alpha: Exact,
    k_goal: usize,
    k_err: usize,
    bonus: Exact,
}

#[derive(Deserialize)]
struct Member {
    kind: String,
    features: Vec<String>,
    #[serde(default)]
    mu: Vec<Exact>,
    #[serde(default)]
    sd: Vec<Exact>,
    #[serde(default)]
    beta: Vec<Exact>,
    b0: Option<Exact>,
    base: Option<Exact>,
    #[serde(default)]
    trees: Vec<FileTree>,
}

/// Columns and thresholds level by level.
#[derive(Deserialize)]
struct FileTree {
    f: Vec<Vec<u8>>,
    t: Vec<Vec<Option<Exact>>>,
    v: Vec<Exact>,
}

/// A number that is read to the last bit: thresholds are numbers that columns take.
#[derive(Clone, Copy, Deserialize)]
#[serde(from = "Number")]
struct Exact(f64);

impl From<Number> for Exact {
    fn from(number: Number) -> Exact {
        Exact(number.as_f64().unwrap_or(f64::NAN))
    }
}

impl File {
    fn model(self) -> Result<Model, String> {
        let kinds: Vec<&str> = self.members.iter().map(|member| member.kind.as_str()).collect();
        if self.kind != "v3" || kinds != ["lr", "gbdt"] {
            return Err(format!("it is {} of {}", self.kind, kinds.join(", ")));
        }
        if self.members.iter().any(|member| member.features != NAMES) {
            return Err("its columns are others".to_owned());
        }
        let [regression, trees] = <[Member; 2]>::try_from(self.members)
            .map_err(|members| format!("it has {} members", members.len()))?;
        Ok(Model {
            regression: regression.regression()?,
            base: trees.base.ok_or("its trees have no base")?.0,
            trees: trees.trees.into_iter().map(FileTree::tree).collect::<Result<_, _>>()?,
            size_penalty: self.alpha.0,
            raised_by_question: self.k_goal,
            raised_errors: self.k_err,
            bonus: self.bonus.0,
        })
    }
}

impl Member {
    fn regression(self) -> Result<Regression, String> {
        let columns = self.mu.iter().zip(&self.sd).zip(&self.beta);
        let columns: Vec<_> = columns.map(|((mu, sd), beta)| [mu.0, sd.0, beta.0]).collect();
        match self.b0 {
            Some(intercept) if columns.len() == COLUMNS => {
                Ok(Regression { columns, intercept: intercept.0 })
            }
            _ => Err("its regression is not whole".to_owned()),
        }
    }
}

impl FileTree {
    fn tree(self) -> Result<Tree, String> {
        let columns: Vec<u8> = self.f.into_iter().flatten().collect();
        if columns.iter().any(|column| usize::from(*column) >= COLUMNS) {
            return Err("a tree asks for a column that is not there".to_owned());
        }
        let limit = |limit: Option<Exact>| limit.map_or(f32::INFINITY, |limit| round_down(limit.0));
        let thresholds: Vec<f32> = self.t.into_iter().flatten().map(limit).collect();
        let leaves: Vec<f64> = self.v.iter().map(|value| value.0).collect();
        let (Ok(columns), Ok(thresholds), Ok(leaves)) =
            (columns.try_into(), thresholds.try_into(), leaves.try_into())
        else {
            return Err("a tree is not four levels deep".to_owned());
        };
        Ok(Tree { columns, thresholds, leaves })
    }
}

/// The greatest single-precision number that is not greater.
fn round_down(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) > value { nearest.next_down() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packaged_model_is_the_one_the_columns_were_made_for() {
        let model = Model::packaged().unwrap();
        assert_eq!(model.trees.len(), 350);
        assert_eq!((model.raised_by_question, model.raised_errors), (1, 2));
    }

    #[test]
    fn an_altered_model_is_refused() {
        let mut altered = FILE.to_vec();
        altered[1000] ^= 1;
        assert!(matches!(Model::load(&altered), Err(ModelError::Digest { .. })));
    }

    #[test]
    fn thresholds_are_rounded_to_where_no_single_number_can_tell() {
        for value in [0.1_f64, 0.7, -0.1, 1e-50, 2.0, 1.0 / 3.0] {
            let down = round_down(value);
            assert!(f64::from(down) <= value && f64::from(down.next_up()) > value, "{value}");
        }
    }
}
