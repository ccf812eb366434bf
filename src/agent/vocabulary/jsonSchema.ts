import * as z from "zod";
import { AgentError, errorText } from "./errors.ts";
import { onFirstUse } from "./onFirstUse.ts";

type JsonSchema = Record<string, unknown>;

/**
 * The zod schema of a JSON schema. Where zod's own conversion would say something else than the JSON schema does, the
 * arguments are checked by a validator that is loaded at the first call. Throws when the schema is malformed.
 */
export function schemaFromJson(name: string, parameters: JsonSchema): z.ZodType {
  try {
    keywords().parse(parameters);
    checkPatterns(parameters);
    checkReferences(parameters);
    return isConvertible(parameters) ? z.fromJSONSchema(parameters) : validated(parameters);
  } catch (cause) {
    throw new AgentError("bad_input", `The schema of the tool "${name}" does not compile: ${errorText(cause)}`, {
      cause,
    });
  }
}

const keywordsWithSchema = ["additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/** The form of the keywords that both the conversion and the validator take on trust. */
const keywords = onFirstUse((): z.ZodType => {
  const typeName = z.enum(["array", "boolean", "integer", "null", "number", "object", "string"]);
  const same = z.lazy(keywords);
  const map = z.record(z.string(), same).optional();
  const list = z.array(same).min(1).optional();
  const one = same.optional();
  return z.union([
    z.boolean(),
    z.looseObject({
      type: z.union([typeName, z.array(typeName)]).optional(),
      properties: map,
      patternProperties: map,
      definitions: map,
      $defs: map,
      dependentSchemas: map,
      items: z.union([same, z.array(same)]).optional(),
      ...Object.fromEntries(keywordsWithSchema.map((keyword) => [keyword, one])),
      ...{ anyOf: list, oneOf: list, allOf: list },
      required: z.array(z.string()).optional(),
      dependentRequired: z.record(z.string(), z.array(z.string())).optional(),
      enum: z.array(z.unknown()).optional(),
      pattern: z.string().optional(),
      $ref: z.string().optional(),
    }),
  ]);
});

/** The schemas within a schema, itself included. Data, such as what an `enum` lists, holds none. */
function* schemasIn(schema: unknown): Generator<JsonSchema, void, undefined> {
  if (Array.isArray(schema)) {
    for (const item of schema) yield* schemasIn(item);
  } else if (isObject(schema)) {
    yield schema;
    for (const [keyword, value] of Object.entries(schema)) {
      if (keywordsWithMaps.has(keyword) && isObject(value)) yield* schemasIn(Object.values(value));
      else if (!dataKeywords.has(keyword)) yield* schemasIn(value);
    }
  }
}

const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required", "type"]);
const keywordsWithMaps: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws for a pattern that is no regular expression. */
function checkPatterns(schema: JsonSchema): void {
  for (const { pattern, patternProperties } of schemasIn(schema)) {
    if (typeof pattern === "string") new RegExp(pattern, "u");
    if (isObject(patternProperties)) for (const name of Object.keys(patternProperties)) new RegExp(name, "u");
  }
}

/** Throws for a reference to nowhere: the validator would find out at the first call only. */
function checkReferences(root: JsonSchema): void {
  const names = new Set<unknown>();
  for (const { $id, $anchor } of schemasIn(root)) names.add($id).add(typeof $anchor === "string" ? `#${$anchor}` : $id);
  for (const { $ref } of schemasIn(root)) {
    if (typeof $ref !== "string" || names.has($ref) || valueAt(root, $ref) !== undefined) continue;
    throw new Error(`the reference ${$ref} leads nowhere`);
  }
}

/** What a pointer such as `#/definitions/file` leads to. */
function valueAt(root: JsonSchema, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

const annotations = ["$comment", "$schema", "default", "deprecated", "description", "examples", "readOnly", "title"];
const constraintsOf: Readonly<Record<string, readonly string[]>> = {
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "minItems", "maxItems"],
  string: ["minLength", "maxLength", "pattern", "format", "enum", "const"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "const"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "const"],
  boolean: ["const"],
  null: [],
};

/** Whether zod's conversion means the same: it takes some combinations of keywords for others, and knows not all. */
function isConvertible(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, properties = {}, required = [], additionalProperties, items, anyOf } = schema;
  const constraints = Object.keys(schema).filter((keyword) => !annotations.includes(keyword));
  if (constraints.length === 0) return true;
  if (Array.isArray(anyOf)) return constraints.length === 1 && anyOf.every(isConvertible);
  const allowed = typeof type === "string" ? constraintsOf[type] : undefined;
  if (allowed === undefined || !constraints.every((keyword) => keyword === "type" || allowed.includes(keyword))) {
    return false;
  }
  if (items !== undefined && !isConvertible(items)) return false;
  if (!isObject(properties) || !Array.isArray(required)) return false;
  if (!required.every((name) => Object.hasOwn(properties, String(name)))) return false;
  const rest = typeof additionalProperties === "boolean" || additionalProperties === undefined;
  return (rest || isConvertible(additionalProperties)) && Object.values(properties).every(isConvertible);
}

/** A schema that the validator checks. It interprets: some hosts forbid code that is made at run time. */
function validated(schema: JsonSchema): z.ZodType {
  let loading: Promise<Validate> | undefined;
  return z.unknown().superRefine(async (value, context) => {
    loading ??= loadValidator(schema);
    const validate = await loading;
    for (const message of validate(value)) context.addIssue({ code: "custom", message });
  });
}

/** What is wrong with a value; nothing if it is valid. */
type Validate = (value: unknown) => string[];

async function loadValidator(schema: JsonSchema): Promise<Validate> {
  const { Validator } = await import("@cfworker/json-schema");
  const validator = new Validator(schema, draftOf(schema), false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return [];
    // An error of a part is repeated by everything around it, which says less.
    const parts = errors.filter(({ keyword }) => !groupKeywords.has(keyword));
    const shown = parts.length > 0 ? parts : errors;
    return [...new Set(shown.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`))];
  };
}

const groupKeywords: ReadonlySet<string> = new Set(["properties", "items", "$ref", "allOf"]);

/** Without a dialect, a list of `items` or `dependencies` is an older one's. */
function draftOf(schema: JsonSchema): "4" | "7" | "2019-09" | "2020-12" {
  const { $schema } = schema;
  if (typeof $schema === "string") {
    const known = (["2019-09", "2020-12"] as const).find((draft) => $schema.includes(draft));
    return known ?? ($schema.includes("draft-04") ? "4" : "7");
  }
  const isOld = [...schemasIn(schema)].some(({ items, dependencies }) => Array.isArray(items) || dependencies);
  return isOld ? "7" : "2020-12";
}
