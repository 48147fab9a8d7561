//! The languages that have syntax colors.
//!
//! To add one, add a row of [`LANGUAGES`].

/// The lexical elements of a language.
#[derive(Debug)]
pub(in crate::report) struct Language {
    /// The extensions and complete names of its files.
    pub(in crate::report) names: &'static [&'static str],
    /// The starts of comments that end with the line. A `#` must follow a blank.
    pub(in crate::report) line_comments: &'static [&'static str],
    /// The start and the end of other comments.
    pub(in crate::report) block_comment: Option<[&'static str; 2]>,
    /// The quotes of texts that end on the same line.
    pub(in crate::report) quotes: &'static str,
    /// Whether single quotes can enclose more than one character.
    pub(in crate::report) has_single_quoted_strings: bool,
    /// The quotes of texts that can continue on the next line.
    pub(in crate::report) multiline_quotes: &'static [&'static str],
    /// The keywords, separated by blanks.
    keywords: &'static str,
    /// Whether keywords can be in upper case.
    ignores_case: bool,
}

impl Language {
    /// Returns whether `word` is a keyword.
    pub(in crate::report) fn is_keyword(&self, word: &[u8]) -> bool {
        let is_it = |known: &str| {
            known.as_bytes() == word
                || self.ignores_case && known.as_bytes().eq_ignore_ascii_case(word)
        };
        word.len() <= MAX_KEYWORD_BYTES && self.keywords.split(' ').any(is_it)
    }
}

/// The maximum length of a keyword.
const MAX_KEYWORD_BYTES: usize = 16;

/// A language without comments, texts and keywords.
const PLAIN: Language = Language {
    names: &[],
    line_comments: &[],
    block_comment: None,
    quotes: "\"'",
    has_single_quoted_strings: true,
    multiline_quotes: &[],
    keywords: "",
    ignores_case: false,
};

/// A language with the comments and texts of C.
const LIKE_C: Language = Language {
    line_comments: &["//"],
    block_comment: Some(["/*", "*/"]),
    ..PLAIN
};

/// A language with the comments of a shell.
const LIKE_SHELL: Language = Language {
    line_comments: &["#"],
    ..PLAIN
};

/// The languages.
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["rs"],
        has_single_quoted_strings: false,
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop \
                   match mod move mut pub ref return self Self static struct super trait true type union unsafe use \
                   where while yield",
        ..LIKE_C
    },
    Language {
        names: &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "ino", "cu",
        ],
        has_single_quoted_strings: false,
        keywords: "alignas alignof auto bool break case catch char class const constexpr continue co_await co_return \
                   co_yield decltype default delete do double else enum explicit export extern false final float for \
                   friend goto if inline int long mutable namespace new noexcept nullptr operator override private \
                   protected public register requires return short signed sizeof static struct switch template this \
                   throw true try typedef typename union unsigned using virtual void volatile while",
        ..LIKE_C
    },
    Language {
        names: &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
        ],
        multiline_quotes: &["`"],
        keywords: "abstract any as async await boolean break case catch class const continue debugger declare default \
                   delete do else enum export extends false finally for from function get if implements import in \
                   instanceof interface is keyof let namespace never new null number of package private protected \
                   public readonly return set static string super switch this throw true try type typeof undefined \
                   unknown var void while with yield",
        ..LIKE_C
    },
    Language {
        names: &["py", "pyi", "pyw", "bzl", "BUILD", "SConstruct"],
        multiline_quotes: &["\"\"\"", "'''"],
        keywords: "and as assert async await break case class continue def del elif else except False finally for from \
                   global if import in is lambda match None nonlocal not or pass raise return self True try while with \
                   yield",
        ..LIKE_SHELL
    },
    Language {
        names: &["go"],
        has_single_quoted_strings: false,
        multiline_quotes: &["`"],
        keywords: "any bool break byte case chan const continue default defer else error fallthrough false float64 for \
                   func go goto if import int int64 interface map nil package range return rune select string struct \
                   switch true type uint64 var",
        ..LIKE_C
    },
    Language {
        names: &["java", "kt", "kts", "scala", "groovy", "gradle", "dart"],
        multiline_quotes: &["\"\"\""],
        keywords: "abstract as assert boolean break byte by case catch char class companion const continue data def \
                   default do double else enum extends false final finally float for fun given if implements import \
                   in instanceof int interface internal is lateinit lazy long match new null object of open override \
                   package private protected public record return sealed short static super suspend switch \
                   synchronized this throw throws trait true try type val var void volatile when while with yield",
        ..LIKE_C
    },
    Language {
        names: &["cs", "swift", "zig", "d"],
        multiline_quotes: &["\"\"\""],
        keywords: "abstract actor any as associatedtype async await base bool break byte case catch char class const \
                   continue decimal defer default deinit delegate do double else enum errdefer error extension false \
                   fallthrough final float fn for foreach func get guard if implicit import in init inout int interface \
                   internal is lazy let long namespace new nil null object operator out override params private \
                   protected protocol pub public readonly record ref repeat return sealed self set static string struct \
                   subscript super switch test this throw throws true try typealias typeof undefined using var virtual \
                   void weak where while yield",
        ..LIKE_C
    },
    Language {
        names: &["php"],
        line_comments: &["//", "#"],
        keywords: "abstract and array as bool break callable case catch class clone const continue declare default do \
                   echo else elseif enum extends false final finally fn for foreach function global if implements \
                   include instanceof int interface match namespace new null or private protected public readonly \
                   require require_once return self static string switch this throw trait true try use var void while \
                   yield",
        ..LIKE_C
    },
    Language {
        names: &[
            "rb", "rake", "gemspec", "Gemfile", "Rakefile", "ex", "exs", "cr",
        ],
        keywords: "alias and begin break case class def defmodule defp do else elsif end ensure false fn for if import in \
                   include module next nil not or raise redo require rescue retry return self super then true undef \
                   unless until use when while with yield",
        ..LIKE_SHELL
    },
    Language {
        names: &[
            "sh",
            "bash",
            "zsh",
            "fish",
            "ksh",
            "bashrc",
            "profile",
            "Dockerfile",
            "Makefile",
            "mk",
            "just",
        ],
        keywords: "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR break case continue declare \
                   do done elif else endif esac eval exec exit export fi for function if ifdef ifeq ifndef in include \
                   local readonly return select set shift source test then trap unset until while",
        ..LIKE_SHELL
    },
    Language {
        names: &["lua"],
        line_comments: &["--"],
        keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true \
                   until while",
        ..PLAIN
    },
    Language {
        names: &["hs", "elm"],
        line_comments: &["--"],
        block_comment: Some(["{-", "-}"]),
        has_single_quoted_strings: false,
        keywords: "case class data deriving do else forall if import in infix infixl infixr instance let module newtype \
                   of qualified then type where",
        ..PLAIN
    },
    Language {
        names: &["sql"],
        line_comments: &["--"],
        keywords: "add all alter and as asc begin between by case check column commit constraint create cross default \
                   delete desc distinct drop else end exists foreign from full function group having if in index inner \
                   insert into is join key left like limit not null on or order outer primary references returning \
                   right rollback select set table then trigger union unique update using values view when where with",
        ignores_case: true,
        ..LIKE_C
    },
    Language {
        names: &["json", "jsonc", "json5", "jsonl", "ipynb", "webmanifest"],
        quotes: "\"",
        keywords: "false null true",
        ..LIKE_C
    },
    Language {
        names: &["toml", "Cargo.lock"],
        multiline_quotes: &["\"\"\"", "'''"],
        keywords: "false true",
        ..LIKE_SHELL
    },
    Language {
        names: &[
            "yaml",
            "yml",
            "ini",
            "cfg",
            "conf",
            "properties",
            "tf",
            "hcl",
            "nix",
        ],
        keywords: "false null true",
        ..LIKE_SHELL
    },
    Language {
        names: &["css", "scss", "sass", "less"],
        line_comments: &[],
        ..LIKE_C
    },
    Language {
        names: &[
            "html", "htm", "xml", "svg", "xhtml", "xsl", "plist", "csproj",
        ],
        block_comment: Some(["<!--", "-->"]),
        quotes: "\"",
        ..PLAIN
    },
];
