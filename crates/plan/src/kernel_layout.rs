//! Structures and numbers that the kernel's C and our Rust both declare: each is written once here and once in the kernel's
//! header, and a test asks the C compiler whether both mean the same.

/// A structure as Rust lays it out.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    /// Tag of the structure in C.
    pub name: &'static str,
    /// Octets of the whole.
    pub size: usize,
    /// Members of the structure in their order.
    pub fields: &'static [Field],
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name of the member, in Rust and in C.
    pub name: &'static str,
    /// Octets before it.
    pub offset: usize,
    /// Octets that it takes.
    pub size: usize,
}

/// A number that C has as a macro.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The macro.
    pub name: &'static str,
    /// Value of the constant in Rust.
    pub value: i128,
}

/// Declares structures with the layout of C, and `STRUCTURES`, the list of their layouts. After the colon stands the tag in C.
#[macro_export]
macro_rules! kernel_structures {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident: $tag:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $kind:ty,)*
        }
    )*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            $vis struct $name {
                $($(#[$field_meta])* $field_vis $field: $kind,)*
            }
        )*

        /// The layouts of the structures above.
        #[cfg(test)]
        const STRUCTURES: &[$crate::kernel_layout::Structure] = &[$(
            $crate::kernel_layout::Structure {
                name: stringify!($tag),
                size: size_of::<$name>(),
                fields: &[$(
                    $crate::kernel_layout::Field {
                        name: stringify!($field),
                        offset: std::mem::offset_of!($name, $field),
                        size: size_of::<$kind>(),
                    },
                )*],
            },
        )*];
    };
}

/// Declares numbers that are macros in C, and `CONSTANTS`, the list of them. After the equals sign stands the macro.
#[macro_export]
macro_rules! kernel_constants {
    ($(
        $(#[$meta:meta])*
        $vis:vis const $name:ident: $kind:ty = $macro:ident = $value:expr;
    )*) => {
        $(
            $(#[$meta])*
            $vis const $name: $kind = $value;
        )*

        /// The numbers above.
        #[cfg(test)]
        pub(super) const CONSTANTS: &[$crate::kernel_layout::Constant] = &[$(
            $crate::kernel_layout::Constant { name: stringify!($macro), value: $name as i128 },
        )*];
    };
}
