/**
 * The upstream's published contract as a table of operations. Schemas keep their names: what an operation refers to
 * stands under `$defs` of its schema.
 */
import { fromJsonSchema } from "@modelcontextprotocol/server";

const METHODS = ["get", "post", "put", "patch", "delete"];
const COMPONENTS = "#/components/schemas/";

const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  // KADU-IDM-03: a header has no room for anything else; `fetch` would trim it in silence.
  pattern: "^[!-~](?:[ -~]*[!-~])?$",
  description: "Makes a retry safe: the same key with the same arguments runs once. Printable ASCII.",
};

/**
 * @typedef {import("@modelcontextprotocol/server").StandardSchemaWithJSON} Schema
 *
 * @typedef {object} Operation
 * @property {string} name the operationId, which is the name of the tool
 * @property {string} title what happens, in words
 * @property {string} description
 * @property {string} method
 * @property {string} path with `{parameters}`
 * @property {string[]} pathParams
 * @property {string[]} queryParams
 * @property {string[] | undefined} bodyFields undefined where the operation takes no body
 * @property {boolean} isTool
 * @property {"read" | "write" | "delete"} access
 * @property {string | null} scope
 * @property {string | null} permission
 * @property {boolean} alwaysAsks destructive whatever the arguments are
 * @property {string | undefined} asksWhenChanged destructive where this field gets another value
 * @property {string | undefined} listing of a read of one record: the listing that gives its ids
 * @property {Schema} inputSchema
 * @property {Schema | undefined} outputSchema of what only reads: of the others, what they answer may be a question
 */

/**
 * Reads an OpenAPI 3.1 document.
 *
 * @param {any} document
 * @returns {Map<string, Operation>} by name, in the order of the document
 */
export function readContract(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => readOperation(document, path, method, item[method])),
  );
  if (operations.length === 0) throw new Error("the contract holds no operation");
  return new Map(operations.map((operation) => [operation.name, operation]));
}

/** @returns {Operation} */
function readOperation(document, path, method, raw) {
  const about = raw["x-kadu"];
  const parameters = (raw.parameters ?? []).map((parameter) => resolve(document, parameter));
  const named = (place) => parameters.filter((parameter) => parameter.in === place);
  const bodySchema = resolve(document, jsonOf(resolve(document, raw.requestBody)));

  const properties = { ...bodySchema?.properties };
  const required = [...(bodySchema?.required ?? [])];
  for (const { name, schema, description, required: needed } of [...named("path"), ...named("query")]) {
    properties[name] = { ...schema, ...(description && { description }) };
    if (needed) required.push(name);
  }
  if (named("header").some(({ name }) => name.toLowerCase() === "x-idempotency-key")) {
    properties.idempotency_key = IDEMPOTENCY_KEY;
  }

  return {
    name: raw.operationId,
    title: about.title,
    description: raw.description ?? raw.summary,
    method: method.toUpperCase(),
    path,
    pathParams: named("path").map(({ name }) => name),
    queryParams: named("query").map(({ name }) => name),
    bodyFields: bodySchema && Object.keys(bodySchema.properties ?? {}),
    isTool: about.tool !== false,
    access: about.access,
    scope: about.scope,
    permission: about.permission,
    alwaysAsks: about.destructive === "always",
    asksWhenChanged: about.destructive?.when_changes,
    listing: about.list,
    inputSchema: standAlone(document, { type: "object", properties, required, additionalProperties: false }),
    outputSchema: about.access === "read" ? standAlone(document, jsonOf(raw.responses["200"])) : undefined,
  };
}

/** A schema that stands alone: the components it needs, directly or through others, come along as `$defs`. */
function standAlone(document, schema) {
  const definitions = {};
  const adopt = (node) => {
    const text = JSON.stringify(node);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in definitions) continue;
      definitions[name] = {};
      definitions[name] = adopt(document.components.schemas[name]);
    }
    return JSON.parse(text.replaceAll(COMPONENTS, "#/$defs/"));
  };
  const adopted = adopt(resolve(document, schema));
  return fromJsonSchema(Object.keys(definitions).length > 0 ? { ...adopted, $defs: definitions } : adopted);
}

function jsonOf(message) {
  return message?.content["application/json"].schema;
}

/** What a node stands for: itself, or what its `$ref` leads to. */
function resolve(document, node) {
  if (node?.$ref === undefined) return node;
  const target = node.$ref.slice(2).split("/").reduce((place, step) => place[step], document);
  return resolve(document, target);
}
