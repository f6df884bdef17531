//! What is not supported: all of it, not only what comes first.
//!
//! Where a statement is not supported, the walk notes that and goes on with the next one. There will be no program, but
//! whoever reads the list knows what there is to do. Behind an obstacle only other obstacles count: a name
//! that is missing may be one whose declaration was not supported.

use super::{Lowered, Lowering};

/// More obstacles than this are not collected.
const MOST: usize = 20;

impl<'a, 'f> Lowering<'a, 'f> {
    /// Does something, and goes on behind it if it is not supported.
    pub(super) fn unless_unsupported(
        &mut self,
        action: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let frames = self.frames.len();
        let depths = self.frames.last().map(super::scope::Frame::depths);
        let flow = self.flow.clone();
        let (completing, naming, silent) = (self.completing.clone(), self.naming, self.is_silent);
        let result = action(self);
        match result {
            Err(error) if error.is_unsupported && self.obstacles.len() < MOST => {
                if !self.obstacles.contains(&error) {
                    self.obstacles.push(error);
                }
                self.frames.truncate(frames);
                if let (Some(frame), Some(depths)) = (self.frames.last_mut(), depths) {
                    frame.truncate(depths);
                }
                if self.flow.is_dead() {
                    self.flow = flow;
                }
                self.evaluated.clear();
                (self.completing, self.naming, self.is_silent) = (completing, naming, silent);
                Ok(())
            }
            other => other,
        }
    }
}
