//! Parses statements with the rules of several dialects.

use sqlparser::ast::{AlterTableOperation, ColumnDef, DataType, Statement as Tree};
use sqlparser::dialect::{
    Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token};

use super::scripts::is_batch_separator;
use super::statements::Statement;
use crate::code::{TokenFault, Unparsed};

/// The maximum depth of nested expressions and queries that the parser counts.
const MAX_DEPTH: usize = 50;
/// The maximum number of open parentheses in a statement. The parser does not count all of them.
const MAX_PARENTHESES: usize = 500;
/// The maximum number of joins in a statement. The parser does not count them as depth.
const MAX_JOINS: usize = 64;
/// The maximum number of operators and keywords in a statement. Each can be a level of the tree, and
/// the parser does not count all of them as depth.
const MAX_LEVELS: usize = 2000;
/// The maximum number of tokens in a statement. The tree of a token takes up to a kilobyte.
const MAX_TOKENS: usize = 50_000;
/// Words that are typical of scripts for `PostgreSQL`. A wrong guess tries fewer dialects, and requires types of
/// columns.
const POSTGRES: &[&str] = &["$$", "::", " serial", "timestamptz", "jsonb", "plpgsql"];
/// Words that are typical of scripts for `MySQL`.
const MYSQL: &[&str] = &["auto_increment", "engine="];

/// The database for which a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    Postgres,
    MySql,
    /// It does not need semicolons between statements.
    SqlServer,
    /// The script contains no typical words.
    Unknown,
}

impl Database {
    /// Returns the database for which `script` is.
    pub(super) fn of(script: &str) -> Self {
        let code = script
            .lines()
            .map(|line| line.split("--").next().unwrap_or_default());
        let lower = code.collect::<Vec<_>>().join("\n").to_ascii_lowercase();
        let has_any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if script.contains("].[") || script.lines().any(is_batch_separator) {
            Self::SqlServer
        } else if has_any(MYSQL) {
            Self::MySql
        } else if has_any(POSTGRES) {
            Self::Postgres
        } else {
            Self::Unknown
        }
    }

    /// Returns the dialects that a statement can have, in the order in which they are tried. The parser
    /// does not know all of a dialect, so the generic one is always tried.
    fn dialects(self) -> &'static [&'static dyn Dialect] {
        match self {
            Self::Postgres => &[&PostgreSqlDialect {}, &GenericDialect {}],
            Self::MySql | Self::SqlServer | Self::Unknown => &[
                &PostgreSqlDialect {},
                &GenericDialect {},
                &MySqlDialect {},
                &SQLiteDialect {},
                &MsSqlDialect {},
            ],
        }
    }

    /// Returns whether columns need a type. Only those of `SQLite` do not.
    fn needs_types(self) -> bool {
        matches!(self, Self::Postgres | Self::MySql)
    }
}

/// The result of parsing a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// At least one dialect has the statement.
    Valid,
    /// No dialect has the statement. Contains the fault of the dialect that gets furthest.
    Fault(TokenFault),
}

/// Returns the dialects whose lexical rules a script can follow, with the most probable one first.
/// `other` is the script after the change. For a single script, pass it twice.
pub(super) fn lexical(script: &str, other: &str) -> Vec<&'static dyn Dialect> {
    // Strings such as `$$a$$` of PostgreSQL can contain any characters.
    if script.contains("$$") {
        return vec![&PostgreSqlDialect {}];
    }
    // Escapes in strings, quoted names and comments of MySQL.
    let is_mysql = |text: &str| text.contains(['`', '\\', '#']);
    if script.contains('`') {
        vec![&MySqlDialect {}, &PostgreSqlDialect {}]
    } else if Database::of(script) == Database::SqlServer {
        vec![&MsSqlDialect {}, &PostgreSqlDialect {}]
    } else if [script, other]
        .iter()
        .any(|text| is_mysql(text) || text.contains("/*"))
    {
        vec![&PostgreSqlDialect {}, &MySqlDialect {}]
    } else {
        vec![&PostgreSqlDialect {}]
    }
}

/// Parses `statement` with each dialect.
///
/// # Errors
///
/// Returns [`Unparsed::TooComplex`] if the statement is nested too deeply or too long.
pub(super) fn parse(statement: &Statement<'_>, database: Database) -> Result<Parsed, Unparsed> {
    if is_complex(statement) {
        return Err(Unparsed::TooComplex);
    }
    let mut last = statement.unexpected_start();
    for dialect in database.dialects() {
        match parse_with(*dialect, statement, database.needs_types())? {
            None => return Ok(Parsed::Valid),
            Some(fault) if fault.offset > last.offset => last = fault,
            Some(_) => {}
        }
    }
    Ok(Parsed::Fault(last))
}

fn is_complex(statement: &Statement<'_>) -> bool {
    let (mut joins, mut levels, mut depth, mut max_depth) = (0, 0, 0_usize, 0);
    for token in &statement.tokens {
        match &token.token {
            Token::Word(word) => match word.keyword {
                Keyword::JOIN => joins += 1,
                // The parser takes them for names or values.
                Keyword::NoKeyword | Keyword::NULL | Keyword::TRUE | Keyword::FALSE => {}
                _ => levels += 1,
            },
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Number(..) | Token::SingleQuotedString(_) | Token::Comma | Token::Period => {}
            _ => levels += 1,
        }
        max_depth = max_depth.max(depth);
    }
    joins > MAX_JOINS
        || levels > MAX_LEVELS
        || max_depth > MAX_PARENTHESES
        || statement.tokens.len() > MAX_TOKENS
}

/// Returns the fault of `statement` in `dialect`.
fn parse_with(
    dialect: &dyn Dialect,
    statement: &Statement<'_>,
    needs_types: bool,
) -> Result<Option<TokenFault>, Unparsed> {
    let mut parser = Parser::new(dialect)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(statement.tokens.clone());
    match parser.parse_statement() {
        Ok(tree) => {
            let next = parser.peek_token();
            Ok(if next.token != Token::EOF {
                Some(statement.unexpected(next.span.start))
            } else if needs_types {
                untyped_column(&tree, statement)
            } else {
                None
            })
        }
        Err(ParserError::RecursionLimitExceeded) => Err(Unparsed::TooComplex),
        Err(error) => {
            let message = error.to_string();
            Ok(Some(match location(&message) {
                Some(location) => statement.unexpected(location),
                None if message.contains("found: EOF") => statement.unexpected_end(),
                None => statement.unexpected_start(),
            }))
        }
    }
}

/// Returns the location at the end of a message of the parser, if it has one.
fn location(message: &str) -> Option<Location> {
    let (_, numbers) = message.rsplit_once(" at Line: ")?;
    let (line, column) = numbers.split_once(", Column: ")?;
    Some(Location::new(line.parse().ok()?, column.parse().ok()?))
}

/// Returns the first column of a table that has no type. The parser takes the next keyword for the
/// type.
fn untyped_column(tree: &Tree, statement: &Statement<'_>) -> Option<TokenFault> {
    let columns: Vec<&ColumnDef> = match tree {
        // Partitions have the types of their table.
        Tree::CreateTable(table) if table.partition_of.is_none() => table.columns.iter().collect(),
        Tree::AlterTable(table) => {
            let operations = table.operations.iter();
            let added = operations.filter_map(|operation| match operation {
                AlterTableOperation::AddColumn { column_def, .. } => Some(column_def),
                _ => None,
            });
            added.collect()
        }
        _ => return None,
    };
    let column = columns.into_iter().find(|column| is_untyped(column))?;
    Some(TokenFault {
        offset: statement.offset(column.name.span.start)?,
        message: "unexpected column without a type".to_owned(),
    })
}

fn is_untyped(column: &ColumnDef) -> bool {
    const CONSTRAINTS: &[&str] = &[
        "check",
        "collate",
        "constraint",
        "default",
        "generated",
        "not",
        "null",
        "primary",
        "references",
        "unique",
    ];
    match &column.data_type {
        DataType::Unspecified => true,
        DataType::Custom(name, _) => {
            CONSTRAINTS.contains(&name.to_string().to_ascii_lowercase().as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_script_reveal_its_database() {
        for (script, database) in [
            ("a [b].[c]", Database::SqlServer),
            ("a\n go 5\n", Database::SqlServer),
            ("id SERIAL, a ENGINE=b", Database::MySql),
            ("a::b", Database::Postgres),
            ("go_a INTEGER", Database::Unknown),
        ] {
            assert_eq!(Database::of(script), database, "{script}");
        }
    }
}
