//! The macros that make a Rust enum of a C enum, whose number may be one of a later version, and a type of a set of bits.

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

macro_rules! bits {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $constant:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(i32);

        impl $name {
            $($(#[$doc])* pub const $value: Self = Self(sys::$constant);)*

            /// Reports whether all bits of `other` are among these.
            pub fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            // Some sets are converted in one direction only.
            #[allow(dead_code)]
            pub(crate) fn from_raw(raw: i32) -> Self {
                Self(raw)
            }

            pub(crate) fn raw(self) -> i32 {
                self.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}
