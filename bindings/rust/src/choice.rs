//! The macro that makes a Rust enum of a C enum, whose number may be one of a later version.

macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $constant:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $value,)*
            /// A value unknown to this version of the crate.
            Other(i32),
        }

        impl $name {
            // Some enums are converted in one direction only.
            #[allow(dead_code)]
            pub(crate) fn from_raw(raw: i32) -> Self {
                match raw {
                    $(sys::$constant => Self::$value,)*
                    other => Self::Other(other),
                }
            }

            #[allow(dead_code)]
            pub(crate) fn raw(self) -> i32 {
                match self {
                    $(Self::$value => sys::$constant,)*
                    Self::Other(other) => other,
                }
            }
        }
    };
}
