//! What a setting's value may be: printed, read from text, moved by a step.

use std::path::PathBuf;

use serde_json::{Value, json};
use thiserror::Error;

use super::{Budget, Provider, RulesMode, Settings, percent_of};
use crate::session::Role;

/// A setting's place in [`Settings`].
pub struct Field<T> {
    pub get: fn(&Settings) -> &T,
    pub get_mut: fn(&mut Settings) -> &mut T,
}

/// The kinds of value, each with its place.
pub enum Kind {
    Provider(Field<Provider>),
    RulesMode(Field<RulesMode>),
    Budget(Field<Budget>),
    /// A whole number of at least `min`.
    Count {
        at: Field<usize>,
        min: usize,
        step: usize,
    },
    /// A number from `min` to 1.
    Share {
        at: Field<f64>,
        min: f64,
        step: f64,
    },
    Flag(Field<bool>),
    Roles(Field<Vec<Role>>),
    Question,
    Text(Field<String>),
    OptionalText(Field<Option<String>>),
    Directory(Field<Option<PathBuf>>),
}

/// A value that a setting cannot take.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name}: `{text}` {why}; it takes {range}")]
pub struct SettingError {
    pub name: &'static str,
    pub text: String,
    pub why: &'static str,
    pub range: &'static str,
}

const NONE: &str = "none";
/// The smallest budget of the memory-compact contract, in characters.
const LEAST_BUDGET: usize = 100;
/// Budgets that the next-key of a knob goes through.
const BUDGETS: [Budget; 4] =
    [Budget::Off, Budget::Percent(75), Budget::Percent(50), Budget::Percent(25)];

impl Kind {
    pub(super) fn value(&self, settings: &Settings) -> String {
        match self {
            Kind::Provider(at) => (at.get)(settings).name().into(),
            Kind::RulesMode(at) => (at.get)(settings).name().into(),
            Kind::Budget(at) => match (at.get)(settings) {
                Budget::Off => "off".into(),
                Budget::Percent(percent) => format!("{percent}%"),
                Budget::Chars(chars) => chars.to_string(),
            },
            Kind::Count { at, .. } => (at.get)(settings).to_string(),
            Kind::Share { at, .. } => (at.get)(settings).to_string(),
            Kind::Flag(at) => (at.get)(settings).to_string(),
            Kind::Roles(at) => roles_text((at.get)(settings)),
            Kind::Question => settings.question.clone(),
            Kind::Text(at) => (at.get)(settings).clone(),
            Kind::OptionalText(at) => (at.get)(settings).clone().unwrap_or_else(|| NONE.into()),
            Kind::Directory(at) => (at.get)(settings)
                .as_ref()
                .map_or_else(|| NONE.into(), |path| path.display().to_string()),
        }
    }

    /// The value in JSON: a number or a truth value where it is one, else its text.
    pub(super) fn json(&self, settings: &Settings) -> Value {
        match self {
            Kind::Count { at, .. } => json!((at.get)(settings)),
            Kind::Share { at, .. } => json!((at.get)(settings)),
            Kind::Flag(at) => json!((at.get)(settings)),
            Kind::Budget(at) => match (at.get)(settings) {
                Budget::Chars(chars) => json!(chars),
                _ => json!(self.value(settings)),
            },
            Kind::Roles(at) => {
                json!((at.get)(settings).iter().map(|role| role.name()).collect::<Vec<_>>())
            }
            Kind::OptionalText(at) => json!((at.get)(settings)),
            Kind::Directory(at) if (at.get)(settings).is_none() => Value::Null,
            _ => json!(self.value(settings)),
        }
    }

    pub(super) fn set(&self, settings: &mut Settings, text: &str) -> Result<(), &'static str> {
        match self {
            Kind::Provider(at) => {
                *(at.get_mut)(settings) = named(Provider::ALL, Provider::name, text)?;
            }
            Kind::RulesMode(at) => {
                *(at.get_mut)(settings) = named(RulesMode::ALL, RulesMode::name, text)?;
            }
            Kind::Budget(at) => *(at.get_mut)(settings) = read_budget(text)?,
            Kind::Count { at, min, .. } => {
                let count: usize = digits(text).parse().map_err(|_| "is no whole number")?;
                if count < *min {
                    return Err("is too small");
                }
                *(at.get_mut)(settings) = count;
            }
            Kind::Share { at, min, .. } => {
                let share: f64 = text.parse().map_err(|_| "is no number")?;
                if !(*min..=1.0).contains(&share) {
                    return Err("is out of range");
                }
                *(at.get_mut)(settings) = share;
            }
            Kind::Flag(at) => *(at.get_mut)(settings) = read_flag(text)?,
            Kind::Roles(at) => *(at.get_mut)(settings) = read_roles(text)?,
            Kind::Question => {
                if text.is_empty() {
                    return Err("is empty");
                }
                settings.question = text.into();
                settings.question_from = None;
            }
            Kind::Text(at) => {
                if text.is_empty() {
                    return Err("is empty");
                }
                *(at.get_mut)(settings) = text.into();
            }
            Kind::OptionalText(at) => *(at.get_mut)(settings) = optional(text).map(Into::into),
            Kind::Directory(at) => *(at.get_mut)(settings) = optional(text).map(PathBuf::from),
        }
        Ok(())
    }

    pub(super) fn nudge(&self, settings: &mut Settings, steps: i64, session_chars: usize) {
        match self {
            Kind::Provider(at) => {
                let provider = (at.get_mut)(settings);
                *provider = next(&Provider::ALL, *provider, steps);
            }
            Kind::RulesMode(at) => {
                let mode = (at.get_mut)(settings);
                *mode = next(&RulesMode::ALL, *mode, steps);
            }
            Kind::Budget(at) => {
                let budget = (at.get_mut)(settings);
                *budget = nudge_budget(*budget, steps, session_chars);
            }
            Kind::Count { at, min, step } => {
                let count = (at.get_mut)(settings);
                let by = steps.unsigned_abs() as usize * step;
                *count = if steps < 0 {
                    count.saturating_sub(by).max(*min)
                } else {
                    count.saturating_add(by)
                };
            }
            Kind::Share { at, min, step } => {
                let share = (at.get_mut)(settings);
                *share = rounded(*share + step * steps as f64).clamp(*min, 1.0);
            }
            Kind::Flag(at) => {
                let flag = (at.get_mut)(settings);
                *flag = !*flag;
            }
            Kind::Roles(at) => {
                let roles = (at.get_mut)(settings);
                *roles = nudge_roles(roles, steps);
            }
            Kind::Question | Kind::Text(_) | Kind::OptionalText(_) | Kind::Directory(_) => {}
        }
    }

    /// Whether a key can move it; the others are typed.
    pub fn can_nudge(&self) -> bool {
        !matches!(self, Kind::Question | Kind::Text(_) | Kind::OptionalText(_) | Kind::Directory(_))
    }
}

impl Budget {
    /// The next of off, 75, 50 and 25 %.
    pub fn next(self) -> Budget {
        next(&BUDGETS, self, 1)
    }
}

fn named<T: Copy, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
    text: &str,
) -> Result<T, &'static str> {
    all.into_iter().find(|&value| name(value) == text).ok_or("is not one of its values")
}

fn next<T: Copy + PartialEq>(all: &[T], now: T, steps: i64) -> T {
    let at = all.iter().position(|&value| value == now).unwrap_or(0) as i64;
    all[(at + steps).rem_euclid(all.len() as i64) as usize]
}

/// Digits as typed, with the separators that the screen prints.
fn digits(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ',' | '_' | ' ')).collect()
}

fn read_budget(text: &str) -> Result<Budget, &'static str> {
    if text == "off" {
        return Ok(Budget::Off);
    }
    if let Some(percent) = text.strip_suffix('%') {
        let percent: u32 = percent.trim().parse().map_err(|_| "is no whole percentage")?;
        return match percent {
            0 => Err("leaves nothing"),
            1..=100 => Ok(Budget::Percent(percent)),
            _ => Err("is over 100 %"),
        };
    }
    let chars: usize = digits(text).parse().map_err(|_| "is no whole number")?;
    if chars < LEAST_BUDGET { Err("is too small") } else { Ok(Budget::Chars(chars)) }
}

fn nudge_budget(budget: Budget, steps: i64, session_chars: usize) -> Budget {
    let moved = |percent: i64| Budget::Percent(percent.clamp(1, 100) as u32);
    match budget {
        Budget::Off => moved(100 + steps.min(0)),
        Budget::Percent(percent) => moved(i64::from(percent) + steps),
        Budget::Chars(chars) => {
            let by = percent_of(session_chars, 1).max(1) * steps.unsigned_abs() as usize;
            let chars = if steps < 0 { chars.saturating_sub(by) } else { chars.saturating_add(by) };
            Budget::Chars(chars.max(LEAST_BUDGET))
        }
    }
}

fn read_flag(text: &str) -> Result<bool, &'static str> {
    match text {
        "true" | "on" | "yes" => Ok(true),
        "false" | "off" | "no" => Ok(false),
        _ => Err("is neither true nor false"),
    }
}

fn read_roles(text: &str) -> Result<Vec<Role>, &'static str> {
    let mut roles = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != NONE) {
        let role = Role::from_name(name).ok_or("names an unknown role")?;
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    Ok(roles)
}

fn roles_text(roles: &[Role]) -> String {
    if roles.is_empty() {
        return NONE.into();
    }
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(",")
}

/// Steps through all sixteen sets of roles: none, those with the system, those without it.
fn nudge_roles(roles: &[Role], steps: i64) -> Vec<Role> {
    let sets: Vec<Vec<Role>> = (0..16).map(role_set).collect();
    let holds =
        |set: &[Role]| Role::ALL.iter().all(|role| set.contains(role) == roles.contains(role));
    let at = sets.iter().position(|set| holds(set)).unwrap_or(0) as i64;
    sets[(at + steps).rem_euclid(sets.len() as i64) as usize].clone()
}

fn role_set(place: u32) -> Vec<Role> {
    let (with_system, others) = match place {
        0 => (false, 0),
        1..=8 => (true, place - 1),
        _ => (false, place - 8),
    };
    let others = Role::ALL[1..].iter().enumerate().filter(|(bit, _)| others >> bit & 1 == 1);
    let system = with_system.then_some(Role::System);
    system.into_iter().chain(others.map(|(_, role)| *role)).collect()
}

/// Steps are decimal: what binary fractions leave over is rounded off.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

fn optional(text: &str) -> Option<&str> {
    (!text.is_empty() && text != NONE).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::{SETTINGS, Settings, setting};
    use super::*;

    #[test]
    fn every_setting_takes_its_own_value_back() {
        let settings = Settings::for_contract();
        for setting in SETTINGS {
            let mut again = settings.clone();
            setting.set(&mut again, &setting.value(&settings)).unwrap();
            assert_eq!(again, settings, "{}", setting.name);
        }
    }

    #[test]
    fn a_share_steps_without_binary_crumbs_and_stops_at_its_ends() {
        let mut settings = Settings::for_contract();
        let knob = setting("duplicate_threshold").unwrap();
        for expected in ["0.91", "0.92", "0.93"] {
            knob.nudge(&mut settings, 1, 0);
            assert_eq!(knob.value(&settings), expected);
        }
        knob.nudge(&mut settings, 50, 0);
        assert_eq!(knob.value(&settings), "1");
        knob.nudge(&mut settings, -500, 0);
        assert_eq!(knob.value(&settings), "0.5");
    }

    #[test]
    fn a_budget_is_off_a_percentage_or_characters() {
        let mut settings = Settings::for_contract();
        let knob = setting("budget-chars").unwrap();
        for (typed, chars) in [("off", None), ("25%", Some(250)), ("12,000", Some(12_000))] {
            knob.set(&mut settings, typed).unwrap();
            assert_eq!(settings.budget_chars.chars_of(1_003), chars);
        }
        for refused in ["99", "0%", "101%", "-1", "half", ""] {
            assert!(knob.set(&mut settings, refused).is_err(), "{refused}");
            assert_eq!(settings.budget_chars, Budget::Chars(12_000));
        }
        knob.nudge(&mut settings, -10, 10_000);
        assert_eq!(settings.budget_chars, Budget::Chars(11_000));
    }

    #[test]
    fn the_budget_key_goes_round_off_75_50_25() {
        let mut budget = Budget::Off;
        let seen: Vec<_> = (0..4)
            .map(|_| {
                budget = budget.next();
                budget
            })
            .collect();
        assert_eq!(
            seen,
            [Budget::Percent(75), Budget::Percent(50), Budget::Percent(25), Budget::Off]
        );
    }

    #[test]
    fn roles_step_through_every_set_and_come_back() {
        let mut settings = Settings::for_contract();
        let knob = setting("keep_roles").unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..16 {
            seen.insert(knob.value(&settings));
            knob.nudge(&mut settings, 1, 0);
        }
        assert_eq!((seen.len(), knob.value(&settings)), (16, "system".into()));
    }

    #[test]
    fn a_refused_value_names_the_setting_and_its_range() {
        let error =
            setting("keep_last_n").unwrap().set(&mut Settings::for_contract(), "x").unwrap_err();
        assert_eq!(error.to_string(), "keep_last_n: `x` is no whole number; it takes 0 and more");
    }
}
