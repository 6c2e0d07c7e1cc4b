//! The judges that a user has set up.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::endpoint::{Endpoint, Reach};
use super::key::{self, Key};
use super::system_one::{Patience, SystemOne};
use crate::compact::settings::Provider;
use crate::compact::tool_calls::{Judge, Judges, NoJudge};
use crate::directories;

/// Where System One is, unless TYPESAFE_ENDPOINT says otherwise.
const SYSTEM_ONE: &str = "https://api.typesafe.ai/v1/systemone";

/// Looks an environment variable up.
type Variable = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// The judges that environment variables and the configuration directory name. Both are looked at
/// when a judge is needed, and only as far as that one needs.
pub struct Environment {
    variable: Box<Variable>,
    configuration: Option<PathBuf>,
    patience: Patience,
}

impl Environment {
    /// This process's own.
    pub fn of_this_process() -> Environment {
        Environment::new(|name| env::var_os(name), directories::config(), Patience::default())
    }

    /// One that is made up. `configuration` is the directory that may hold `typesafe.key`.
    pub fn new(
        variable: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
        configuration: Option<PathBuf>,
        patience: Patience,
    ) -> Environment {
        Environment { variable: Box::new(variable), configuration, patience }
    }

    /// A variable's text without white space at its ends, if there is any.
    fn text(&self, name: &str) -> Option<String> {
        let text = (self.variable)(name)?.to_string_lossy().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn is_offline(&self) -> bool {
        self.text("COMPACTSCOPE_OFFLINE").is_some_and(|text| text != "0")
    }

    fn key(&self) -> Result<Key, NoJudge> {
        let text = match self.text("TYPESAFE_API_KEY") {
            Some(text) => text,
            None => self.key_file()?,
        };
        Key::new(&text).ok_or(NoJudge::UnusableKey)
    }

    fn key_file(&self) -> Result<String, NoJudge> {
        let Some(directory) = &self.configuration else {
            return Err(NoJudge::NoKey { file: "typesafe.key".to_owned() });
        };
        let path = directory.join("typesafe.key");
        let file = path.display().to_string();
        match key::read(&path) {
            Ok(text) if text.trim().is_empty() => Err(NoJudge::NoKey { file }),
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(NoJudge::NoKey { file }),
            Err(error) => Err(NoJudge::UnreadableKey { file, why: error.kind() }),
        }
    }

    fn endpoint(
        &self,
        variable: &'static str,
        text: &str,
        reach: Reach,
    ) -> Result<Endpoint, NoJudge> {
        Endpoint::new(text, reach)
            .ok_or(NoJudge::BadEndpoint { variable, must_be: reach.must_be() })
    }

    fn system_one(&self) -> Result<SystemOne, NoJudge> {
        const VARIABLE: &str = "TYPESAFE_ENDPOINT";
        let address = self.text(VARIABLE).unwrap_or_else(|| SYSTEM_ONE.to_owned());
        let endpoint = self.endpoint(VARIABLE, &address, Reach::Anywhere)?;
        Ok(SystemOne::new(endpoint, Some(self.key()?), self.patience.clone()))
    }

    fn laya(&self) -> Result<SystemOne, NoJudge> {
        const VARIABLE: &str = "COMPACTSCOPE_LAYA_ENDPOINT";
        let address = self.text(VARIABLE).ok_or(NoJudge::NoEndpoint { variable: VARIABLE })?;
        let endpoint = self.endpoint(VARIABLE, &address, Reach::Loopback)?;
        Ok(SystemOne::new(endpoint, None, self.patience.clone()))
    }
}

impl Environment {
    /// The address that a session's text would be sent to, once everything that asking takes is
    /// there: the network, a key, the address itself.
    ///
    /// # Errors
    /// [`NoJudge`] for the first thing that is missing.
    pub fn address(&self, provider: Provider) -> Result<String, NoJudge> {
        Ok(self.client(provider)?.address())
    }

    fn client(&self, provider: Provider) -> Result<SystemOne, NoJudge> {
        if self.is_offline() {
            return Err(NoJudge::Offline);
        }
        match provider {
            Provider::Jev => self.system_one(),
            Provider::Laya => self.laya(),
            Provider::Auto | Provider::SpecialistV3 | Provider::Rules => Err(NoJudge::Nobody),
        }
    }
}

impl Judges for Environment {
    fn judge(&self, provider: Provider) -> Result<Box<dyn Judge + '_>, NoJudge> {
        Ok(Box::new(self.client(provider)?))
    }
}
