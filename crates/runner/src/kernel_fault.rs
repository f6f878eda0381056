//! Finds the fault that the guest's kernel, the model or the agent reports: the line that names the fault, and the first
//! functions of the call trace below it. Registers, stacks and the traces of what fails next come later and hide both.

/// What begins the report of a fault. In the order of the console the first of them names the cause: `panic()` often follows `BUG()`.
const MARKS: [&str; 6] =
    ["BUG: ", "kernel BUG at ", "Kernel panic - not syncing: ", "Oops: ", "panicked at ", "Internal error: "];
/// Title of a call trace (Linux, `arch/um/kernel/sysrq.c`).
const TRACE: &str = "Call Trace:";
/// What begins the address of a function in one.
const FRAME: &str = "[<";
/// Functions of the call trace that are kept: those that report the fault, and some of their callers.
const FRAMES_KEPT: usize = 8;
/// The most lines between the fault and its call trace.
const TRACE_WITHIN: usize = 24;

/// The line of the first fault.
pub fn line(console: &str) -> Option<&str> {
    console.lines().find(|line| names_fault(line)).map(|line| without_time(line.trim()))
}

fn names_fault(line: &str) -> bool {
    MARKS.iter().any(|mark| line.contains(mark))
}

/// A line of the kernel's log without its time stamp.
fn without_time(line: &str) -> &str {
    let stamped = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    stamped.filter(|(stamp, _)| stamp.trim().parse::<f64>().is_ok()).map_or(line, |(_, rest)| rest)
}

/// The first fault's line and the first functions of its call trace, and the index of the line after them; `None` without a fault.
pub fn first_frames<'a>(lines: &[&'a str]) -> Option<(usize, Vec<&'a str>)> {
    let fault = lines.iter().position(|line| names_fault(line))?;
    let below = &lines[fault + 1..];
    let mut kept = vec![lines[fault]];
    let mut end = fault + 1;
    if let Some(trace) = below.iter().take(TRACE_WITHIN).position(|line| line.contains(TRACE)) {
        let frames = below[trace + 1..].iter().take_while(|line| line.contains(FRAME)).take(FRAMES_KEPT);
        kept.push(below[trace]);
        kept.extend(frames);
        end += trace + kept.len() - 1;
    }
    Some((end, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUG: &str = "[    1.250000] BUG: failure at net/core/skbuff.c:2400/pskb_expand_head()!
[    1.250000] Kernel panic - not syncing: BUG!
[    1.250000] CPU: 0 UID: 0 PID: 0 Comm: swapper
[    1.250000] Stack:
 60440000 60550000
[    1.250000] Call Trace:
 [<60010000>] show_stack+0x1
 [<60020000>] panic+0x2
[    1.250000] RIP: 0033";

    #[test]
    fn the_first_line_names_the_cause() {
        assert_eq!(line(BUG), Some("BUG: failure at net/core/skbuff.c:2400/pskb_expand_head()!"));
        assert_eq!(line("thread 'x' panicked at a.rs:5"), Some("thread 'x' panicked at a.rs:5"));
        assert_eq!(line("a\n[ no time] BUG: b"), Some("[ no time] BUG: b"));
        assert_eq!(line("all is well"), None);
    }

    #[test]
    fn the_frames_follow_it() {
        let lines: Vec<_> = BUG.lines().collect();
        let (end, kept) = first_frames(&lines).unwrap();
        assert_eq!((end, kept.len()), (8, 4));
        assert_eq!((kept[0], kept[3]), (lines[0], " [<60020000>] panic+0x2"));
        assert_eq!(first_frames(&["BUG: x", "y"]), Some((1, vec!["BUG: x"])));
        assert_eq!(first_frames(&["y"]), None);
    }
}
