use std::process::ExitCode;

fn main() -> ExitCode {
    compactscope::cli::run(std::env::args_os())
}
