//! Parses statements with the rules of several dialects.

use sqlparser::ast::{AlterTableOperation, ColumnDef, DataType, Statement as Tree};
use sqlparser::dialect::{
    Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token};

use super::scripts::is_batch;
use super::statements::Statement;
use crate::code::{TokenFault, Unparsed};

/// The maximum depth of nested expressions and queries.
const MAX_DEPTH: usize = 50;
/// The maximum number of joins in a statement. The parser does not count them as depth.
const MAX_JOINS: usize = 64;
/// The maximum number of operators and keywords in a statement. Each can be a level of the tree, and
/// the parser does not count all of them as depth.
const MAX_LEVELS: usize = 2000;

/// The result of parsing a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// At least one dialect has the statement.
    Valid,
    /// No dialect has the statement. Contains the fault of the one that gets furthest.
    Fault(TokenFault),
}

/// Returns the dialect whose lexical rules `script` needs.
pub(super) fn of(script: &str) -> &'static dyn Dialect {
    if script.contains('`') && !script.contains('$') {
        &MySqlDialect {}
    } else if script.contains("].[") || script.lines().any(is_batch) {
        &MsSqlDialect {}
    } else {
        &PostgreSqlDialect {}
    }
}

/// Parses `statement` with each dialect.
///
/// # Errors
///
/// Returns [`Unparsed::TooComplex`] if the statement is nested too deeply.
pub(super) fn parse(statement: &Statement<'_>) -> Result<Parsed, Unparsed> {
    if is_complex(statement) {
        return Err(Unparsed::TooComplex);
    }
    let dialects: [&dyn Dialect; 5] = [
        &PostgreSqlDialect {},
        &GenericDialect {},
        &MySqlDialect {},
        &SQLiteDialect {},
        &MsSqlDialect {},
    ];
    let mut last: Option<TokenFault> = None;
    for dialect in dialects {
        let Some(fault) = parse_with(dialect, statement)? else {
            return Ok(Parsed::Valid);
        };
        if last.as_ref().is_none_or(|last| fault.offset > last.offset) {
            last = Some(fault);
        }
    }
    Ok(last.map_or(Parsed::Valid, Parsed::Fault))
}

fn is_complex(statement: &Statement<'_>) -> bool {
    let (mut joins, mut levels) = (0, 0);
    for token in &statement.tokens {
        match &token.token {
            Token::Word(word) => match word.keyword {
                Keyword::JOIN => joins += 1,
                // The parser takes them for names or values.
                Keyword::NoKeyword | Keyword::NULL | Keyword::TRUE | Keyword::FALSE => {}
                _ => levels += 1,
            },
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Comma
            | Token::LParen
            | Token::RParen
            | Token::Period => {}
            _ => levels += 1,
        }
    }
    joins > MAX_JOINS || levels > MAX_LEVELS
}

/// Returns the fault of `statement` in `dialect`.
fn parse_with(
    dialect: &dyn Dialect,
    statement: &Statement<'_>,
) -> Result<Option<TokenFault>, Unparsed> {
    let mut parser = Parser::new(dialect)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(statement.tokens.clone());
    match parser.parse_statement() {
        Ok(tree) => {
            let next = parser.peek_token();
            Ok(if next.token == Token::EOF {
                untyped_column(&tree, statement)
            } else {
                Some(statement.unexpected(next.span.start))
            })
        }
        Err(ParserError::RecursionLimitExceeded) => Err(Unparsed::TooComplex),
        Err(error) => Ok(Some(statement.unexpected(location(&error.to_string())))),
    }
}

/// Returns the location at the end of a message of the parser. At the end of a statement, a message
/// has none.
fn location(message: &str) -> Location {
    let numbers = message
        .rsplit_once(" at Line: ")
        .map(|(_, numbers)| numbers);
    let (line, column) = numbers
        .and_then(|numbers| numbers.split_once(", Column: "))
        .unwrap_or_default();
    let number = |text: &str| text.parse().unwrap_or_default();
    Location::new(number(line), number(column))
}

/// Returns the first column of a table that has no type. Only `SQLite` allows it, and the parser
/// takes the next keyword for the type.
fn untyped_column(tree: &Tree, statement: &Statement<'_>) -> Option<TokenFault> {
    let added = |operation: &AlterTableOperation| match operation {
        AlterTableOperation::AddColumn { column_def, .. } => Some(column_def.clone()),
        _ => None,
    };
    let columns = match tree {
        Tree::CreateTable(table) => table.columns.clone(),
        Tree::AlterTable(table) => table.operations.iter().filter_map(added).collect(),
        _ => Vec::new(),
    };
    let column = columns.iter().find(|column| is_untyped(column))?;
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
