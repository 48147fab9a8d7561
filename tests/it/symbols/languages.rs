//! Templates of source code in all languages with symbols.

use super::language::{Language, NONE};

const HASH_COMMENTS: &[&[&str]] = &[&["# c"], &["# def f():", "# second"]];

pub(crate) const LANGUAGES: &[Language] = &[
    Language {
        name: "Python",
        extension: "py",
        header: &["\"\"\"Text.\"\"\"", ""],
        comments: HASH_COMMENTS,
        attributes: &["@dec", "@dec.o(1, x=[2])"],
        functions: &[
            &["def {n}({a}):", "{}"],
            &["async def {n}(", "    {a}", ") -> int:", "{}"],
        ],
        classes: &[&["class {n}:", "{}"], &["class {n}(B, m=C):", "{}"]],
        methods: &[&["def {n}({a}):", "{}"]],
        statements: &[
            &["x = 1"],
            &["s = 'def f(): pass'"],
            &["if x:", "    y = 2"],
        ],
        fields: &[&["x = 1"], &["s = '''", "def f(self):", "    pass", "'''"]],
        bodies: &[
            &["x = 1"],
            &["if x:", "    y = '}'"],
            &["return 1"],
            &["# class A:"],
        ],
        nests: true,
        needs_statement: true,
        ..NONE
    },
    Language {
        name: "JavaScript",
        extension: "js",
        functions: &[
            &["function {n}({a}) {", "{}", "}"],
            &["export async function {n}({a}) {", "{}", "}"],
            &["const {n} = ({a}) => {", "{}", "};"],
            &["export const {n} = memo(function ({a}) {", "{}", "});"],
            &["exports_.{n} = function* ({a}) {", "{}", "};"],
        ],
        classes: &[
            &["class {n} {", "{}", "}"],
            &["export default class {n} extends B {", "{}", "}"],
        ],
        methods: &[
            &["{n}({a}) {", "{}", "}"],
            &["static async *{n}({a}) {", "{}", "}"],
            &["{n} = ({a}) => {", "{}", "};"],
        ],
        statements: &[
            &["let x = 1;"],
            &["s = 'function f() {';"],
            &["if (x) {", "    y();", "}"],
        ],
        fields: &[&["x = 1;"], &["static s = `", "f() {", "`;"]],
        bodies: &[
            &["x();"],
            &["if (x) {", "    y('}');", "}"],
            &["// class A {"],
        ],
        nests: true,
        ..NONE
    },
    Language {
        name: "TypeScript",
        extension: "ts",
        attributes: &["@dec()", "@dec({ a: '}' })"],
        functions: &[
            &["function {n}<T>({a}): void {", "{}", "}"],
            &["export const {n} = <T,>({a}): T => {", "{}", "};"],
        ],
        declarations: &[&["declare function {n}({a}): void;"]],
        classes: &[
            &["class {n}<T> {", "{}", "}"],
            &["export abstract class {n} implements I {", "{}", "}"],
            &["export namespace {n} {", "}"],
        ],
        methods: &[
            &["private {n}({a}): void {", "{}", "}"],
            &["async {n}<T>({a}) {", "{}", "}"],
        ],
        types: &[
            &["interface {n} {", "    x: number;", "}"],
            &["type {n} = { a: '{' };"],
            &["export enum {n} {", "    X,", "}"],
        ],
        parameters: &["", "a: string", "a: T, b?: U"],
        statements: &[&["let x: number = 1;"], &["s = 'class A {';"]],
        fields: &[&["x = 1;"], &["y: string;"]],
        bodies: &[
            &["x();"],
            &["if (x) {", "    y('}');", "}"],
            &["// class A {"],
        ],
        nests: true,
        only_methods_have_attributes: true,
        ..NONE
    },
    Language {
        name: "Rust",
        extension: "rs",
        header: &["//! Text.", ""],
        comments: &[
            &["// c"],
            &["/// fn f() {"],
            &["/** c", "*/"],
            &["/// one", "/// two"],
        ],
        attributes: &["#[inline]", "#[cfg(a = \"}\")]"],
        functions: &[
            &["fn {n}({a}) {", "{}", "}"],
            &[
                "pub(crate) const unsafe fn {n}<T>({a}) -> u8",
                "where",
                "    T: Copy,",
                "{",
                "{}",
                "}",
            ],
        ],
        classes: &[
            &["mod {n} {", "{}", "}"],
            &["pub trait {n}: B {", "{}", "}"],
        ],
        methods: &[&["fn {n}({a}) {", "{}", "}"]],
        types: &[
            &["struct {n};"],
            &["pub struct {n}<T> {", "    x: T,", "}"],
            &["enum {n} {", "    X { y: u8 },", "}"],
            &["macro_rules! {n} {", "    () => { fn f() {} };", "}"],
            &["static {n}: &str = \"fn f() {\";"],
        ],
        parameters: &["", "a: u8", "a: &'static str, b: T"],
        statements: &[&["use a::b;"], &["call! { fn f() {} }"]],
        fields: &[&["call! { fn f() {} }"]],
        bodies: &[
            &["x();"],
            &["if x {", "    y('}');", "}"],
            &["// struct A {"],
            &["let s = r#\"fn f() {\"#;"],
        ],
        nests: true,
        ..NONE
    },
    Language {
        name: "Go",
        extension: "go",
        header: &["package a", ""],
        comments: &[&["// c"], &["/*", "func f() {", "*/"], &["//go:noinline"]],
        functions: &[
            &["func {n}({a}) {", "{}", "}"],
            &["func {n}[T any]({a}) (int, error) {", "{}", "}"],
        ],
        received: &[
            &["func (r R) {n}({a}) {", "{}", "}"],
            &["func (r *R[T]) {n}({a}) int {", "{}", "}"],
        ],
        types: &[
            &["type {n} struct {", "\tx int", "}"],
            &["type {n} = func(int) int"],
            &["type {n} int"],
        ],
        parameters: &["", "a int", "a, b string"],
        statements: &[
            &["var x = 1"],
            &["const s = \"func f() {\""],
            &["var y = `", "func f() {", "`"],
        ],
        bodies: &[
            &["x()"],
            &["if x {", "\ty('}')", "}"],
            &["// type A struct {"],
        ],
        ..NONE
    },
    Language {
        name: "Java",
        extension: "java",
        header: &["package a;", ""],
        attributes: &["@Override", "@A(b = \"}\", c = {1, 2})"],
        classes: &[
            &["class {n} {", "{}", "}"],
            &["public final class {n}<T> extends B {", "{}", "}"],
            &["interface {n} {", "{}", "}"],
            &["record {n}(int x) {", "{}", "}"],
        ],
        methods: &[
            &["int {n}({a}) {", "{}", "}"],
            &["public <T> void {n}({a}) throws E {", "{}", "}"],
            &["abstract int {n}({a});"],
        ],
        types: &[&["enum {n} { X, Y }"], &["@interface {n} {", "}"]],
        parameters: &["", "int a", "String a, List<T> b"],
        fields: &[&["int x = 1;"], &["String s = \"int f() {\";"]],
        bodies: &[
            &["x();"],
            &["if (x) {", "    y('}');", "}"],
            &["// class A {"],
        ],
        ..NONE
    },
    Language {
        name: "C",
        extension: "c",
        header: &["#include <a.h>", ""],
        functions: &[
            &["int {n}({a})", "{", "{}", "}"],
            &["static const char *{n}({a}) {", "{}", "}"],
            &["void (*{n}({a}))(int) {", "{}", "}"],
        ],
        declarations: &[&["extern int {n}({a});"], &["static char *{n}({a});"]],
        types: &[
            &["struct {n} {", "\tint x;", "};"],
            &["typedef struct {n} {", "\tint x;", "} {n};"],
            &["enum {n} { X, Y };"],
            &["typedef int (*{n})(void);"],
            &["#define {n}(x) do { x; } \\", "\twhile (0)"],
        ],
        parameters: &["void", "int a", "struct s *a, int b"],
        statements: &[
            &["int x = 1;"],
            &["const char *s = \"int f() {\";"],
            &["int (*x)(int);"],
        ],
        bodies: &[
            &["x();"],
            &["if (x) {", "\ty('}');", "}"],
            &["// struct A {"],
            &["struct s z = { 1 };"],
        ],
        merges: true,
        ..NONE
    },
    Language {
        name: "C++",
        extension: "cpp",
        functions: &[
            &["int {n}({a}) {", "{}", "}"],
            &["template <typename T>", "auto {n}({a}) -> T {", "{}", "}"],
            &[
                "static const std::string &{n}({a}) noexcept",
                "{",
                "{}",
                "}",
            ],
        ],
        received: &[
            &["int R::{n}({a}) {", "{}", "}"],
            &["template <class T> int R<T>::{n}({a}) const {", "{}", "}"],
        ],
        declarations: &[&["int {n}({a});"]],
        classes: &[
            &["class {n} : public B {", "{}", "};"],
            &["template <class T> struct {n} {", "{}", "};"],
            &["namespace {n} {", "{}", "}  // namespace"],
        ],
        methods: &[
            &["int {n}({a}) const {", "{}", "}"],
            &["virtual void {n}({a}) = 0;"],
        ],
        types: &[
            &["enum class {n} { X, Y };"],
            &["using {n} = int;"],
            &["union {n} {", "\tint x;", "};"],
        ],
        parameters: &["", "int a", "const T &a, int b = 1"],
        statements: &[&["int x = 1;"], &["auto s = \"int f() {\";"]],
        fields: &[&["int x = 1;"]],
        bodies: &[
            &["x();"],
            &["if (x) {", "\ty('}');", "}"],
            &["// struct A {"],
            &["auto l = [] { };"],
        ],
        ..NONE
    },
    Language {
        name: "C#",
        extension: "cs",
        attributes: &["[Fact]", "[A(\"}\"), B]"],
        classes: &[
            &["class {n}", "{", "{}", "}"],
            &[
                "public static class {n}<T> : B where T : new() {",
                "{}",
                "}",
            ],
            &["namespace {n} {", "{}", "}"],
        ],
        methods: &[
            &["int {n}({a})", "{", "{}", "}"],
            &["public async Task {n}<T>({a}) {", "{}", "}"],
            &["string {n} { get; set; }"],
            &["public int {n}({a}) => 1;"],
        ],
        types: &[&["enum {n} { X, Y }"], &["delegate int {n}(int x);"]],
        parameters: &["", "int a", "string a, List<T> b"],
        fields: &[&["int x = 1;"], &["string s = @\"int f() {\";"]],
        bodies: &[
            &["x();"],
            &["if (x) {", "    y('}');", "}"],
            &["// class A {"],
        ],
        ..NONE
    },
    Language {
        name: "Ruby",
        extension: "rb",
        comments: HASH_COMMENTS,
        functions: &[&["def {n}({a})", "{}", "end"]],
        classes: &[&["class {n}", "{}", "end"], &["module {n}", "{}", "end"]],
        methods: &[
            &["def {n}({a})", "{}", "end"],
            &["private def {n}({a})", "{}", "end"],
            &["def self.{n}({a})", "{}", "end"],
        ],
        statements: &[&["x = 1"], &["s = 'def f'"], &["if x", "    y", "end"]],
        fields: &[&["attr_reader :x"], &["X = %w[def f end]"]],
        bodies: &[
            &["x"],
            &["if x", "    y 'end'", "end"],
            &["# class A"],
            &["[1].each do |z|", "    z", "end"],
        ],
        ..NONE
    },
    Language {
        name: "PHP",
        extension: "php",
        header: &["<?php", ""],
        comments: &[&["// c"], &["# c"], &["/**", " * class A {", " */"]],
        attributes: &["#[A]", "#[A('}')]"],
        functions: &[
            &["function {n}({a}) {", "{}", "}"],
            &["function &{n}({a}): ?int", "{", "{}", "}"],
        ],
        classes: &[
            &["class {n} {", "{}", "}"],
            &["final class {n} extends B", "{", "{}", "}"],
            &["trait {n} {", "{}", "}"],
        ],
        methods: &[
            &["public function {n}({a}) {", "{}", "}"],
            &["abstract static function {n}({a}): void;"],
        ],
        parameters: &["", "$a", "int $a, $b = '}'"],
        statements: &[&["$x = 1;"], &["$s = 'function f() {';"]],
        fields: &[&["private $x = 1;"], &["use T;"]],
        bodies: &[
            &["x();"],
            &["if ($x) {", "    y('}');", "}"],
            &["// class A {"],
        ],
        ..NONE
    },
    Language {
        name: "Bash",
        extension: "sh",
        header: &["#!/bin/bash", ""],
        comments: HASH_COMMENTS,
        functions: &[
            &["{n}() {", "{}", "}"],
            &["function {n} {", "{}", "}"],
            &["{n} () (", "{}", ")"],
        ],
        statements: &[&["x=1"], &["s='f() {'"], &["if x; then", "    y", "fi"]],
        bodies: &[&["x"], &["if x; then", "    y '}'", "fi"]],
        nests: true,
        needs_statement: true,
        ..NONE
    },
    Language {
        name: "SQL",
        extension: "sql",
        comments: &[&["-- c"], &["/* CREATE TABLE f */"]],
        types: &[
            &["CREATE TABLE {n} (", "    x int", ");"],
            &["CREATE VIEW {n} AS SELECT 1;"],
        ],
        statements: &[
            &["SELECT 1;"],
            &["INSERT INTO x VALUES ('CREATE TABLE f (');"],
        ],
        ..NONE
    },
];
