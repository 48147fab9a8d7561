//! Parses the messages of JSON-RPC 2.0 and of the protocol, and creates error responses.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
/// The limit on the length of a name that an error repeats, in characters.
const MAX_NAME: usize = 100;

/// A received message.
pub(super) enum Message<'a> {
    /// A message that needs a response.
    Request(Request<'a>),
    /// A notification or an unexpected response. It gets no response.
    Other,
}

/// A request.
pub(super) struct Request<'a> {
    /// A string or an integer, which the response repeats.
    pub(super) id: Value,
    pub(super) method: Cow<'a, str>,
    parameters: Option<&'a RawValue>,
}

/// A request to call a tool.
pub(super) struct Call<'a> {
    pub(super) name: Cow<'a, str>,
    /// The text of a JSON object.
    pub(super) arguments: &'a str,
}

/// The reason why a message gets an error response.
pub(super) struct ErrorResponse {
    id: Value,
    code: i32,
    message: String,
}

/// The fields of any message.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The identifier of a message with any other fields. `null` is `Some`, unlike a missing
/// identifier.
#[derive(Deserialize)]
struct MessageId<'a> {
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    id: Option<&'a RawValue>,
}

/// Deserializes a field that is present. Without this function, serde reads `null` as `None`.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Parses one message.
///
/// # Errors
///
/// Returns the reason why the text is not a valid message.
pub(super) fn parse(text: &[u8]) -> Result<Message<'_>, ErrorResponse> {
    let text = std::str::from_utf8(text)
        .map_err(|_| ErrorResponse::invalid_json("the message is not UTF-8"))?;
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| ErrorResponse::invalid_json(&error.to_string()))?;
    // serde also deserializes structs from arrays, so reject an array here.
    if !text.trim_start().starts_with('{') {
        return Err(ErrorResponse::invalid_request(
            "a message must be an object; batches are not supported".to_owned(),
        ));
    }
    let named: MessageId<'_> = serde_json::from_str(text)
        .map_err(|error| ErrorResponse::invalid_request(error.to_string()))?;
    let name = named.id.map(parse_id);
    let refuse =
        |why: String| ErrorResponse::invalid_request(why).with_id(name.clone().unwrap_or_default());
    let message: Envelope<'_> =
        serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
    if message.jsonrpc.as_deref() != Some("2.0") {
        return Err(refuse("jsonrpc must be \"2.0\"".to_owned()));
    }
    match (message.method, &name) {
        (Some(_), Some(Value::Null)) => {
            Err(refuse("the id must be a string or an integer".to_owned()))
        }
        (Some(method), Some(id)) => Ok(Message::Request(Request {
            id: id.clone(),
            method,
            parameters: message.params,
        })),
        (Some(_), None) => Ok(Message::Other),
        (None, _) if message.result.is_some() || message.error.is_some() => Ok(Message::Other),
        (None, _) => Err(refuse("the method is missing".to_owned())),
    }
}

/// Returns the identifier of a request, or null for an invalid one. A number that is not an integer
/// of at most 64 bits is invalid, because the response could not repeat it exactly.
fn parse_id(id: &RawValue) -> Value {
    let is_compound = id.get().starts_with(['[', '{']);
    let name = if is_compound {
        None
    } else {
        serde_json::from_str::<Value>(id.get()).ok()
    };
    name.filter(|name| name.is_string() || name.is_i64() || name.is_u64())
        .unwrap_or_default()
}

impl<'a> Request<'a> {
    /// Returns the protocol version of the client.
    pub(super) fn version(&self) -> Result<Cow<'a, str>, ErrorResponse> {
        #[derive(Deserialize)]
        struct Parameters<'a> {
            #[serde(borrow, rename = "protocolVersion")]
            version: Cow<'a, str>,
        }
        self.parse_parameters::<Parameters<'a>>("`protocolVersion`, a string")
            .map(|parameters| parameters.version)
    }

    /// Returns the tool to call and its arguments.
    pub(super) fn call(&self) -> Result<Call<'a>, ErrorResponse> {
        #[derive(Deserialize)]
        struct Parameters<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow)]
            arguments: Option<&'a RawValue>,
        }
        let Parameters { name, arguments } =
            self.parse_parameters("`name`, a string, and can have `arguments`, an object")?;
        let arguments = arguments.map_or("{}", RawValue::get);
        if arguments.starts_with('{') {
            Ok(Call { name, arguments })
        } else {
            Err(ErrorResponse::invalid_parameters(
                "arguments must be an object".to_owned(),
            ))
        }
    }

    /// Parses the parameters. An error message contains `expected`.
    fn parse_parameters<T: Deserialize<'a>>(&self, expected: &str) -> Result<T, ErrorResponse> {
        let text = self.parameters.map_or("{}", RawValue::get);
        if !text.starts_with('{') {
            return Err(ErrorResponse::invalid_parameters(
                "params must be an object".to_owned(),
            ));
        }
        serde_json::from_str(text).map_err(|_| {
            ErrorResponse::invalid_parameters(format!("params must contain {expected}"))
        })
    }
}

impl ErrorResponse {
    fn new(code: i32, message: String) -> Self {
        Self {
            id: Value::Null,
            code,
            message,
        }
    }

    fn invalid_json(why: &str) -> Self {
        Self::new(PARSE_ERROR, format!("the message is not valid JSON: {why}"))
    }

    pub(super) fn invalid_request(why: String) -> Self {
        Self::new(INVALID_REQUEST, why)
    }

    pub(super) fn unknown_method(name: &str) -> Self {
        Self::new(
            METHOD_NOT_FOUND,
            format!("unknown method {}", clip_name(name)),
        )
    }

    pub(super) fn unknown_tool(name: &str) -> Self {
        Self::invalid_parameters(format!("unknown tool {}", clip_name(name)))
    }

    fn invalid_parameters(why: String) -> Self {
        Self::new(INVALID_PARAMS, why)
    }

    /// Sets the identifier of the request.
    pub(super) fn with_id(self, id: Value) -> Self {
        Self { id, ..self }
    }

    /// Returns the error response.
    pub(super) fn into_json(self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}})
    }
}

fn clip_name(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}
