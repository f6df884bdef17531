//! Ctrl-C: the first one asks the work to stop, which it does soon and then says how far it came; a
//! second one ends the process.
//!
//! So does the process itself if asking was in vain: when the work goes on regardless, or when
//! it only waits, for input or for somebody who reads its output. How long is told by the processor time
//! that the process has used, because on a busy machine seconds pass in which it could not have done
//! anything. Who waits for processes that it has started passes the request on, and ends them itself if they do not.

use crate::processor::processor_time;
use rely_base::CancelToken;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The exit code of a process that was stopped by Ctrl-C, by the convention of shells.
pub const EXIT_CODE: u8 = 130;

/// How much processor time work may use after it was asked to stop.
const GRACE: Duration = Duration::from_secs(2);

/// How often the process looks at itself.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// Who used less between two looks only waits: to watch the limits takes a part of it, and whoever can go on has
/// the processor for longer, even if many want it.
const IDLE: Duration = Duration::from_millis(20);

/// How many processes are waited for that end soon when asked to.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// That a process is waited for, as long as this exists.
#[derive(Debug)]
pub struct Helper(());

impl Helper {
    /// From now on one more is waited for.
    pub fn started() -> Self {
        HELPERS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        HELPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Makes Ctrl-C cancel `token`.
pub fn cancel_on_interrupt(token: CancelToken) {
    let was_asked = AtomicBool::new(false);
    let installed = ctrlc::set_handler(move || {
        if was_asked.swap(true, Ordering::Relaxed) {
            end();
        }
        token.cancel();
        std::thread::spawn(end_if_in_vain);
    });
    // Without a handler Ctrl-C ends the process at once, which is what was asked for, too.
    drop(installed);
}

/// Ends the process if the work does not do it.
fn end_if_in_vain() {
    let asked = processor_time();
    let mut before = asked;
    loop {
        std::thread::sleep(BETWEEN_LOOKS);
        let now = processor_time();
        let only_waits = now - before < IDLE && HELPERS.load(Ordering::Relaxed) == 0;
        if now - asked > GRACE || only_waits {
            end();
        }
        before = now;
    }
}

fn end() -> ! {
    std::process::exit(i32::from(EXIT_CODE));
}
