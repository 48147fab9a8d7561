//! The integration tests, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg_attr(
    any(wpatch_plain_unix, not(target_os = "linux")),
    allow(
        dead_code,
        unused_imports,
        reason = "some tests, which use these, need Unix or Linux"
    )
)]

mod aborts;
mod alone;
mod apply_patch;
mod approval;
mod attacks;
mod audit;
mod batch;
mod blocks;
mod case;
mod cases;
mod causes;
mod changes;
mod ci;
mod cli;
mod conversions;
mod convert;
mod cost;
mod crash;
mod diagnoses;
mod diagnostics;
mod dice;
mod docs;
mod edits;
mod encodings;

mod faults;
mod formats;
mod git;
mod gnu;
mod grammar;
mod guards;
mod hashline;
mod history;
mod hook;
mod hostile;
mod html;
mod index;
mod json;
mod kills;
mod lark;
mod laws;
mod lenient;
mod lines;
mod links;
mod load;
mod look;
mod loud;
mod mail;
mod mcp;
mod merges;
mod mutations;
mod not_included;
mod notebook;
mod objects;
mod observe;
mod omitted;
mod only;
mod options;
mod oracle;
mod others;
mod output;
mod policy;
mod power;
mod process;
mod progress;
mod refresh;
mod reject;
mod repeated;
mod report;
mod repository;
mod review;
mod roots;
mod run;
mod sandbox;
mod series;
mod sessions;
mod show;
mod special;
mod stat;
mod stop;
mod suggestions;
mod symbols;
mod systems;
mod terminal;
mod three_way;
mod tidy;
mod transaction;
mod tree;
mod tree_changes;
mod tree_diff;
mod verbs;
mod verify;
mod ways;
mod whitespace;
mod windows;
mod words;
mod workspace;
mod world;
