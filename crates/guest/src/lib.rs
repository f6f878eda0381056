//! The shared library inside the guest kernel.
