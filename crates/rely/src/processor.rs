//! How much work the process has done.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What all threads of the process have used together.
pub fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
