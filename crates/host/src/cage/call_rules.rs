//! The program with which the kernel filters system calls, made from rules by the numbers of calls.

use std::collections::BTreeMap;

use libc::sock_filter;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xC000_00B7;

/// Offsets in the kernel's description of a call; numbers are little-endian.
pub(super) const NUMBER: u32 = 0;
pub(super) const ARCH: u32 = 4;
pub(super) const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// Not an error: the call returns zero.
pub(super) const DONE: i32 = 0;
pub(super) const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
pub(super) const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
pub(super) const fn refuse(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
}

/// What is refused, by the numbers of calls.
#[derive(Default)]
pub(super) struct CallRules(BTreeMap<u32, CallRule>);

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CallRule {
    /// Always this.
    Always(u32),
    /// Of tests of the argument with this index the first that applies decides; it is allowed if
    /// none does.
    ByArgument(u32, Vec<(ArgumentTest, u32)>),
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentTest {
    Is(u32),
    IsNot(u32),
    /// From the first to the last.
    Between(u32, u32),
    /// It has one of these bits.
    HasAny(u32),
}

/// Calls with numbers in a row that are treated alike.
struct CallRange {
    first: u32,
    last: u32,
    rule: CallRule,
}

impl CallRules {
    /// This call always ends so.
    pub(super) fn always(&mut self, number: libc::c_long, verdict: u32) {
        self.0.insert(number as u32, CallRule::Always(verdict));
    }

    pub(super) fn by_argument(
        &mut self,
        number: libc::c_long,
        index: u32,
        tests: &[(ArgumentTest, u32)],
    ) {
        self.0.insert(number as u32, CallRule::ByArgument(index, tests.to_vec()));
    }

    /// Those for these calls, and those for all others.
    pub(super) fn split(self, numbers: &[libc::c_long]) -> (CallRules, CallRules) {
        let (these, others) =
            self.0.into_iter().partition(|(number, _)| numbers.contains(&i64::from(*number)));
        (CallRules(these), CallRules(others))
    }

    fn ranges(self) -> Vec<CallRange> {
        let mut ranges: Vec<CallRange> = Vec::new();
        for (number, rule) in self.0 {
            match ranges.last_mut() {
                Some(range) if range.last + 1 == number && range.rule == rule => {
                    range.last = number;
                }
                _ => ranges.push(CallRange { first: number, last: number, rule }),
            }
        }
        ranges
    }

    /// When a filter is installed, the kernel translates it and tries it with every number there is:
    /// it is short, and a call that is allowed passes a few lines of it.
    pub(super) fn program(self) -> Vec<sock_filter> {
        let mut code = BackwardCode(Vec::with_capacity(256));
        let found = code.search(&self.ranges());
        // The third numbering of x86, which nobody uses.
        #[cfg(target_arch = "x86_64")]
        let found = {
            let unknown = code.verdict(refuse(libc::ENOSYS));
            code.jump(libc::BPF_JGE, 0x4000_0000, unknown, found)
        };
        let ours = code.load(NUMBER, found);
        // Calls of another architecture have other numbers.
        let others = code.verdict(KILL);
        let known = code.jump(libc::BPF_JEQ, ARCHITECTURE, ours, others);
        code.load(ARCH, known);
        code.0.reverse();
        code.0
    }
}

/// A program for the kernel's small machine, its last line first: whoever jumps knows where to.
struct BackwardCode(Vec<sock_filter>);

/// A line of the program, counted from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FilterLine(usize);

impl BackwardCode {
    fn push(&mut self, code: u32, yes: u8, no: u8, k: u32) -> FilterLine {
        self.0.push(sock_filter { code: code as u16, jt: yes, jf: no, k });
        FilterLine(self.0.len() - 1)
    }

    /// How many lines the next one skips to get there.
    fn distance(&self, to: FilterLine) -> usize {
        self.0.len() - 1 - to.0
    }

    /// Compares what was loaded last, and goes on there or there.
    fn jump(&mut self, comparison: u32, with: u32, yes: FilterLine, no: FilterLine) -> FilterLine {
        let skip = |to| u8::try_from(self.distance(to)).expect("the program is short");
        let (yes, no) = (skip(yes), skip(no));
        self.push(libc::BPF_JMP | comparison | libc::BPF_K, yes, no, with)
    }

    /// Loads something, and goes on with the next line, which must be that one.
    fn load(&mut self, offset: u32, then: FilterLine) -> FilterLine {
        assert_eq!(self.distance(then), 0, "nothing is between them");
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset)
    }

    /// A line that says this. There is one of each that is near.
    fn verdict(&mut self, verdict: u32) -> FilterLine {
        let ends = |line: &sock_filter| {
            u32::from(line.code) == libc::BPF_RET | libc::BPF_K && line.k == verdict
        };
        let known = self.0.iter().rposition(ends).map(FilterLine);
        // A jump cannot be longer; the line that jumps may be a few lines from here.
        const FAR: usize = 200;
        known
            .filter(|line| self.distance(*line) < FAR)
            .unwrap_or_else(|| self.push(libc::BPF_RET | libc::BPF_K, 0, 0, verdict))
    }

    /// Looks for a number among ranges in order, by halves and then one by one.
    fn search(&mut self, ranges: &[CallRange]) -> FilterLine {
        const TOGETHER: usize = 8;
        if ranges.len() > TOGETHER {
            let (lower, upper) = ranges.split_at(ranges.len() / 2);
            let (above, below) = (self.search(upper), self.search(lower));
            return self.jump(libc::BPF_JGE, upper[0].first, above, below);
        }
        let allow = self.verdict(ALLOW);
        ranges.iter().rev().fold(allow, |otherwise, range| {
            let rule = self.rule(&range.rule);
            if range.first == range.last {
                return self.jump(libc::BPF_JEQ, range.first, rule, otherwise);
            }
            let within = self.jump(libc::BPF_JGE, range.last + 1, otherwise, rule);
            self.jump(libc::BPF_JGE, range.first, within, allow)
        })
    }

    fn rule(&mut self, rule: &CallRule) -> FilterLine {
        let (index, tests) = match rule {
            CallRule::Always(verdict) => return self.verdict(*verdict),
            CallRule::ByArgument(index, tests) => (*index, tests),
        };
        let allow = self.verdict(ALLOW);
        // Verdicts first: what is loaded must be followed by the first test.
        let verdicts: Vec<FilterLine> =
            tests.iter().map(|(_, verdict)| self.verdict(*verdict)).collect();
        let first =
            tests.iter().zip(verdicts).rev().fold(allow, |otherwise, ((test, _), verdict)| {
                match *test {
                    ArgumentTest::Is(value) => self.jump(libc::BPF_JEQ, value, verdict, otherwise),
                    ArgumentTest::IsNot(value) => {
                        self.jump(libc::BPF_JEQ, value, otherwise, verdict)
                    }
                    ArgumentTest::Between(first, last) => {
                        let within = self.jump(libc::BPF_JGE, last + 1, otherwise, verdict);
                        self.jump(libc::BPF_JGE, first, within, otherwise)
                    }
                    ArgumentTest::HasAny(bits) => {
                        self.jump(libc::BPF_JSET, bits, verdict, otherwise)
                    }
                }
            });
        self.load(argument(index), first)
    }
}
