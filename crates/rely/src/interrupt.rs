//! Ctrl-C: the first one asks the work to stop, which it does within a tenth of a second and
//! then says how far it came; a second one, or a second of silence, ends the process.

use rely_base::CancelToken;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The exit code of a process that was stopped by Ctrl-C, by the convention of shells.
pub const EXIT_CODE: u8 = 130;

/// How long work has to stop before the process ends without it.
const GRACE: Duration = Duration::from_secs(1);

/// Makes Ctrl-C cancel `token`.
pub fn cancel_on_interrupt(token: CancelToken) {
    let was_asked = AtomicBool::new(false);
    let installed = ctrlc::set_handler(move || {
        if was_asked.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_CODE));
        }
        token.cancel();
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            std::process::exit(i32::from(EXIT_CODE));
        });
    });
    // Without a handler Ctrl-C ends the process at once, which is what was asked for, too.
    drop(installed);
}
