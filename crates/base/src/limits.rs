//! Limits of methods, by name.
//!
//! A method that cannot try everything has limits: how many candidates, how large a tree, how often. Each
//! is a guess that was once good on some programs. To find out whether it still is, each method keeps its
//! limits in one struct that is passed along, so that whoever measures can change any of them by name.

/// Limits that can be listed and changed by name.
pub trait Limits {
    /// The names and values of all limits.
    fn entries(&self) -> Vec<(&'static str, u64)>;

    /// Changes a limit; says whether there is one of this name.
    fn set(&mut self, name: &str, value: u64) -> bool;
}

/// Defines a struct of limits, each with its value unless somebody changes it.
///
/// ```
/// use rely_base::{Limits, define_limits};
///
/// define_limits! {
///     /// What the search may do.
///     pub struct SearchLimits {
///         /// How deep it goes; deeper was never needed.
///         depth = 10,
///     }
/// }
/// let mut limits = SearchLimits::default();
/// assert!(limits.set("depth", 20) && !limits.set("width", 1));
/// assert_eq!(limits.entries(), [("depth", 20)]);
/// ```
#[macro_export]
macro_rules! define_limits {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $field:ident = $default:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $name {
            $($(#[$doc])* pub $field: usize,)+
        }

        impl ::std::default::Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $crate::Limits for $name {
            fn entries(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field as u64),)+]
            }

            fn set(&mut self, name: &str, value: u64) -> bool {
                let value = usize::try_from(value).unwrap_or(usize::MAX);
                match name {
                    $(stringify!($field) => self.$field = value,)+
                    _ => return false,
                }
                true
            }
        }
    };
}
