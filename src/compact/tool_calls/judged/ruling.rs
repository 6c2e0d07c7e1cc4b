//! A judge's part of an answer: who was asked, what is decided, and what the report says of it.

use std::sync::atomic::AtomicBool;

use super::super::decision::Decision;
use super::super::ruling::Ruling;
use super::super::view::View;
use super::answers::Answers;
use super::inquiry::{Course, DoesNotFit, Inquiry, Judgement, Limits};
use super::judge::{Judges, NoJudge};
use crate::compact::settings::Provider;

/// The model of provider `laya` where a request names none: the reference's.
pub(in super::super) const LAYA_MODEL: &str = "convaiinnovations/laya-multilingual";

/// Which judge is asked, and how.
pub(in super::super) struct Asking<'a> {
    pub provider: Provider,
    pub model: &'a str,
    pub limits: Limits,
    pub workers: usize,
}

/// What came of looking for a judge.
pub(in super::super) struct Heard(Result<Judgement, NoJudge>);

impl Asking<'_> {
    /// Asks over a transcript. Where there is no judge, nothing is fitted or sent.
    ///
    /// # Errors
    /// [`DoesNotFit`] when the transcript cannot be shown to the judge.
    pub fn hear(&self, view: &View, judges: &dyn Judges) -> Result<Heard, DoesNotFit> {
        let judge = match judges.judge(self.provider) {
            Ok(judge) => judge,
            Err(reason) => return Ok(Heard(Err(reason))),
        };
        let inquiry = Inquiry::prepare(view, self.provider, self.model, self.limits)?;
        let course = Course { told: &|_, _| {}, stop: &AtomicBool::new(false) };
        Ok(Heard(Ok(inquiry.ask(&*judge, self.workers, &course))))
    }
}

impl Heard {
    pub fn answers(&self) -> Option<&Answers> {
        self.0.as_ref().ok().map(|judgement| &judgement.answers)
    }

    /// What decisions that were made by these answers amount to.
    pub fn ruling(self, provider: Provider, decisions: Vec<Decision>) -> Ruling {
        let judge = provider.name();
        let mut ruling = Ruling::by(provider, decisions);
        if provider == Provider::Laya {
            ruling.warnings.push("laya_deprecated: provider laya will go; use jev or rules".into());
        }
        match self.0 {
            Ok(judgement) => add(judge, judgement, &mut ruling),
            Err(reason) => {
                ruling.degradation = Some(format!("{judge}_unavailable_fail_safe"));
                ruling.warnings.push(format!(
                    "{judge}_unavailable: {reason}; kept every tool call (fail-safe)"
                ));
            }
        }
        ruling
    }
}

fn add(judge: &str, judgement: Judgement, ruling: &mut Ruling) {
    let is_judged = |decision: &&Decision| decision.source == judge;
    let (judged, all) = (ruling.decided().filter(is_judged).count(), ruling.decided().count());
    ruling.warnings.extend(judgement.warnings);
    ruling.asked = Some(judgement.asked);
    if judged == 0 {
        ruling.provider_used = "degraded".to_owned();
        ruling.degradation = Some(format!("{judge}_no_answers_fail_safe"));
        let warning = format!("{judge}_no_answers: every call was kept unjudged (fail-safe)");
        ruling.warnings.push(warning);
    } else if judged < all {
        ruling.provider_used = format!("{judge}+partial_fail_safe");
        ruling.degradation = Some(format!("{judge}_batch_failed"));
    }
}
