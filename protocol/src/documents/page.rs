//! The OpenAPI document as a page for people: plain HTML that loads nothing.

use super::html::{definitions, entry, escaped, fields, list, prose, sample, text};
use super::openapi;
use serde_json::Value;
use std::collections::BTreeSet;

/// REST as a page for people.
///
/// ```
/// let page = mancala_protocol::documents::openapi_page();
/// assert!(page.starts_with("<!doctype html>"));
/// ```
#[must_use]
pub fn openapi_page() -> String {
    Page(openapi()).whole()
}

/// The document that is shown.
struct Page(Value);

impl Page {
    fn whole(&self) -> String {
        let info = &self.0["info"];
        let [contents, operations] = [Page::entry, Page::operation].map(|show| self.by_tag(show));
        let title = escaped(text(&info["title"]));
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{style}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
             {description}<p>The same for programs: <a href=\"openapi.json\">openapi.json</a>, \
             version {version} of the protocol.</p>\n</header>\n\
             <nav aria-label=\"Contents\">\n<p><a href=\"#signing-in\">Signing in</a></p>\n\
             {contents}<p><a href=\"#forms\">Forms of what comes back</a></p>\n</nav>\n<main>\n{signing_in}{operations}\
             <section>\n<h2 id=\"forms\">Forms of what comes back</h2>\n{schemas}</section>\n\
             </main>\n</body>\n</html>\n",
            style = include_str!("page.css"),
            description = prose(&info["description"]),
            version = escaped(text(&info["version"])),
            signing_in = self.signing_in(),
            schemas = self.schemas(),
        )
    }

    /// Each operation, in the order of the tags.
    fn by_tag(&self, show: fn(&Page, &Route<'_>) -> String) -> String {
        let mut html = String::new();
        for tag in list(&self.0["tags"]) {
            let mut shown = String::new();
            for (path, item) in fields(&self.0["paths"]) {
                for method in ["get", "post", "delete"] {
                    let operation = &item[method];
                    if operation["tags"][0] == tag["name"] {
                        let shared = &item["parameters"];
                        let method = method.to_uppercase();
                        shown += &show(
                            self,
                            &Route {
                                method,
                                path,
                                shared,
                                operation,
                            },
                        );
                    }
                }
            }
            let heading = escaped(text(&tag["description"]).trim_end_matches('.'));
            html += &format!("<section>\n<h2>{heading}</h2>\n{shown}</section>\n");
        }
        html
    }

    fn entry(&self, route: &Route<'_>) -> String {
        let (id, summary) = (&route.operation["operationId"], &route.operation["summary"]);
        let (id, summary) = (text(id), escaped(text(summary)));
        format!(
            "<p><a href=\"#{id}\">{summary}</a> {}</p>\n",
            route.address()
        )
    }

    fn operation(&self, route: &Route<'_>) -> String {
        let operation = route.operation;
        let id = text(&operation["operationId"]);
        let summary = escaped(text(&operation["summary"]));
        let mut html = format!(
            "<article aria-labelledby=\"{id}\">\n<h3 id=\"{id}\">{summary}</h3>\n<p>{}</p>\n{}",
            route.address(),
            prose(&operation["description"])
        );
        if operation["security"].is_array() {
            html += "<p>Needs <a href=\"#signing-in\">a token</a>.</p>\n";
        }
        let parameters = list(route.shared).chain(list(&operation["parameters"]));
        let parameters = parameters.map(|parameter| {
            let parameter = self.target(parameter);
            let needed = needed(parameter["required"] == true);
            let kind = self.kind(&parameter["schema"]);
            let what = format!("{needed} in the {}: {kind}", text(&parameter["in"]));
            entry(&parameter["name"], &what, &prose(&parameter["description"]))
        });
        html += &definitions("Parameters", &parameters.collect::<String>());
        let body = &operation["requestBody"]["content"]["application/json"];
        if body.is_object() {
            html += &format!("<h4>Body</h4>\n{}", self.form(self.target(&body["schema"])));
            for (_, example) in fields(&body["examples"]) {
                html += &sample(text(&example["summary"]), &example["value"]);
            }
        }
        let responses = fields(&operation["responses"]);
        let answers = responses.map(|(status, response)| self.answer(status, response));
        html + &definitions("Answers", &answers.collect::<String>()) + "</article>\n"
    }

    fn answer(&self, status: &str, response: &Value) -> String {
        let mut kind = String::new();
        let mut told = prose(&response["description"]);
        for (name, header) in fields(&response["headers"]) {
            let description = text(&header["description"]);
            told += &prose(&format!("Header `{name}`: {description}").into());
        }
        for (media_type, content) in fields(&response["content"]) {
            // Of problems the page has said at its top what they are.
            if content["example"].is_null() && content["examples"].is_object() {
                continue;
            }
            let form = self.kind(&content["schema"]);
            kind = format!("{form} as <code>{media_type}</code>");
            if !content["example"].is_null() {
                told += &sample("Example", &content["example"]);
            }
        }
        entry(&status.into(), &kind, &told)
    }

    fn signing_in(&self) -> String {
        let schemes = fields(&self.0["components"]["securitySchemes"]);
        let schemes = schemes.map(|(name, scheme)| {
            let description = prose(&scheme["description"]);
            entry(&name.as_str().into(), "", &description)
        });
        let schemes: String = schemes.collect();
        format!(
            "<section>\n<h2 id=\"signing-in\">Signing in</h2>\n<p>By one of these.</p>\n\
             <dl>\n{schemes}</dl>\n</section>\n"
        )
    }

    /// The forms that no request has, for those stand with their requests; but for what is
    /// part of another form.
    fn schemas(&self) -> String {
        let paths = fields(&self.0["paths"]);
        let bodies = paths.map(|(_, item)| &item["post"]["requestBody"]["content"]);
        let asked: BTreeSet<&str> = bodies
            .map(|content| last(&content["application/json"]["schema"]["$ref"]))
            .collect();
        let mut parts = BTreeSet::new();
        for (_, schema) in fields(&self.0["components"]["schemas"]) {
            references(schema, &mut parts);
        }
        fields(&self.0["components"]["schemas"])
            .filter(|(name, _)| !asked.contains(name.as_str()) || parts.contains(name.as_str()))
            .map(|(name, schema)| {
                let form = self.form(schema);
                format!("<article>\n<h3 id=\"{name}\">{name}</h3>\n{form}</article>\n")
            })
            .collect()
    }

    /// A schema with all its fields.
    fn form(&self, schema: &Value) -> String {
        let mut html = prose(&schema["description"]);
        let properties = &schema["properties"];
        if !properties.is_object() && schema["oneOf"].is_null() {
            html += &format!("<p>{}</p>\n", self.kind(schema));
        }
        let shown = fields(properties).map(|(name, property)| {
            let required = list(&schema["required"]).any(|field| field == name);
            let mut told = match property["properties"] {
                Value::Object(_) => self.form(property),
                _ => prose(&property["description"]),
            };
            if !property["default"].is_null() {
                told += &prose(&format!("Left out, it is `{}`.", property["default"]).into());
            }
            let kind = format!("{} {}", needed(required), self.kind(property));
            entry(&name.as_str().into(), kind.trim(), &told)
        });
        html += &definitions("", &shown.collect::<String>());
        let variants = list(&schema["oneOf"]).chain(list(&schema["anyOf"]));
        for variant in variants.filter(|variant| variant["title"].is_string()) {
            let title = escaped(text(&variant["title"]));
            html += &format!(
                "<details>\n<summary>{title}</summary>\n{}</details>\n",
                self.form(variant)
            );
        }
        let words = list(&schema["oneOf"]).filter(|variant| variant["title"].is_null());
        let words = words.map(|variant| match variant.get("const") {
            Some(word) => entry(word, "", &prose(&variant["description"])),
            None => entry(word_of(variant), "", &self.form(variant)),
        });
        html += &definitions("", &words.collect::<String>());
        html
    }

    /// What a value of a schema is, in a few words.
    fn kind(&self, schema: &Value) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = last(&reference.into()).to_owned();
            return format!("<a href=\"#{name}\">{name}</a>");
        }
        if let Some(only) = schema.get("const") {
            return format!("<code>{}</code>", escaped(&only.to_string()));
        }
        let either = |kinds: Vec<String>| kinds.join(" or ");
        if schema["enum"].is_array() {
            let words = list(&schema["enum"]).map(|word| format!("<code>{word}</code>"));
            return either(words.collect());
        }
        for variants in ["anyOf", "oneOf"] {
            if schema[variants].is_array() && schema["type"].is_null() {
                return either(
                    list(&schema[variants])
                        .map(|schema| self.kind(schema))
                        .collect(),
                );
            }
        }
        let mut kind = match &schema["type"] {
            Value::Array(types) => types.iter().map(text).collect::<Vec<_>>().join(" or "),
            one => text(one).to_owned(),
        };
        if schema["items"].is_object() {
            kind = format!("list of {}", self.kind(&schema["items"]));
        }
        let bounds = [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", " characters"),
        ];
        for (least, most, of) in bounds {
            let (least, most) = (&schema[least], &schema[most]);
            if most.is_number() {
                kind += &format!(", {least} to {most}{of}");
            } else if least.is_number() {
                kind += &format!(", at least {least}{of}");
            }
        }
        // A longer one is no help to anyone; the description tells it in words.
        if let Some(pattern) = schema["pattern"].as_str().filter(|text| text.len() <= 40) {
            kind += &format!(" like <code>{}</code>", escaped(pattern));
        }
        kind
    }

    /// What a reference leads to; anything else is itself.
    fn target<'a>(&'a self, value: &'a Value) -> &'a Value {
        let pointer = value["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix('#'));
        pointer
            .and_then(|pointer| self.0.pointer(pointer))
            .unwrap_or(value)
    }
}

/// An operation and where it is.
struct Route<'a> {
    method: String,
    path: &'a str,
    /// The parameters of all operations at this path.
    shared: &'a Value,
    operation: &'a Value,
}

impl Route<'_> {
    fn address(&self) -> String {
        format!(
            "<code class=\"route\"><b>{}</b> {}</code>",
            self.method,
            escaped(self.path)
        )
    }
}

/// Gathers the names to which something in a schema refers.
fn references<'v>(schema: &'v Value, names: &mut BTreeSet<&'v str>) {
    match schema {
        Value::Object(object) => {
            names.extend(object.get("$ref").map(last));
            object.values().for_each(|value| references(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}

/// The last word of a reference.
fn last(reference: &Value) -> &str {
    text(reference).rsplit('/').next().unwrap_or_default()
}

/// The word by which an object of several kinds says of which it is.
fn word_of(variant: &Value) -> &Value {
    let mut words = fields(&variant["properties"]).filter_map(|(_, field)| field.get("const"));
    words.next().unwrap_or(&Value::Null)
}

const fn needed(required: bool) -> &'static str {
    if required { "<b>needed</b>" } else { "" }
}
