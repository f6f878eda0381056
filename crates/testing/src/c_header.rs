//! Holds Rust's idea of the kernel's structures and numbers against the kernel's header, by asking the C compiler.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use airtcp_plan::kernel_layout::{Constant, Structure};

const HEADER: &str = "kernel/src/arch/um/include/shared/airtcp.h";

/// Panics where the header and Rust differ in the size or place of a member, in the size of a structure or in a number, and
/// where a structure has octets that belong to no member: a member of C alone could hide there.
pub fn assert_same(structures: &[Structure], constants: &[Constant]) {
    structures.iter().for_each(assert_no_padding);
    assert_eq!(of_c(structures, constants), of_rust(structures, constants));
}

fn assert_no_padding(structure: &Structure) {
    let members: usize = structure.fields.iter().map(|field| field.size).sum();
    assert_eq!(members, structure.size, "{} has padding: name it `unused`", structure.name);
}

fn of_rust(structures: &[Structure], constants: &[Constant]) -> String {
    let mut text = String::new();
    for structure in structures {
        let _ = writeln!(text, "{} {}", structure.name, structure.size);
        for field in structure.fields {
            let _ = writeln!(text, "{}.{} {} {}", structure.name, field.name, field.offset, field.size);
        }
    }
    for constant in constants {
        let _ = writeln!(text, "{} {}", constant.name, constant.value);
    }
    text
}

/// The layout as text, printed by a C program that includes the header.
fn of_c(structures: &[Structure], constants: &[Constant]) -> String {
    let folder = tempfile::tempdir().expect("a folder for a program");
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    fs::write(&source, c_program(structures, constants)).expect("the program is written");
    let compiler = env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let made = Command::new(compiler).arg("-o").args([&program, &source]).output().expect("a C compiler");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let printed = Command::new(&program).output().expect("the program runs");
    String::from_utf8(printed.stdout).expect("the program prints text")
}

fn c_program(structures: &[Structure], constants: &[Constant]) -> String {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(HEADER);
    let mut text = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include \"{}\"\nint main(void)\n{{\n",
        header.display()
    );
    for Structure { name: s, fields, .. } in structures {
        let _ = writeln!(text, "printf(\"{s} %zu\\n\", sizeof(struct {s}));");
        for field in *fields {
            let f = field.name;
            let sizes = format!("offsetof(struct {s}, {f}), sizeof(((struct {s} *)0)->{f})");
            let _ = writeln!(text, "printf(\"{s}.{f} %zu %zu\\n\", {sizes});");
        }
    }
    for Constant { name, .. } in constants {
        let _ = writeln!(text, "printf(\"{name} %lld\\n\", (long long){name});");
    }
    text.push_str("return 0;\n}\n");
    text
}
