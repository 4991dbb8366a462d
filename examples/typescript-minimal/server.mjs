/**
 * A minimal MCP server for Kadu on the official TypeScript SDK: three tools, one document, the caller's own token.
 *
 * It keeps some rules and not others: it is where a team starts, not where it ends. Run it under the harness:
 *
 *     kadu-conformance run --command "node examples/typescript-minimal/server.mjs"
 */
import { createServer } from "node:http";

import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";

const { KADU_API_URL: API, HOST = "127.0.0.1", PORT } = process.env;
if (!API || !PORT) throw new Error("KADU_API_URL and PORT have to be set");

/** @typedef {import("@modelcontextprotocol/server").ServerContext} Context */

/**
 * One request upstream under the caller's own token.
 *
 * @param {Context} context
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, key?: string }} [sent] `key` is the idempotency key
 * @returns {Promise<Record<string, unknown>>}
 */
async function ask(context, method, path, { body, key } = {}) {
  const headers = new Headers({ Authorization: context.http?.req?.headers.get("authorization") ?? "" });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (key !== undefined) headers.set("X-Idempotency-Key", key);
  const init = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(new URL(path, API), init);
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.errors[0].code.toUpperCase());
  return told;
}

/**
 * What the upstream told, as the result of a tool.
 *
 * @param {Promise<Record<string, unknown>>} asked
 */
async function result(asked) {
  const told = await asked;
  return { content: [{ type: "text", text: JSON.stringify(told) }], structuredContent: told };
}

/** @param {string} id */
const workspace = (id) => `/v1/workspaces/${encodeURIComponent(id)}`;

/** A server of its own for each request: nothing of one caller is there for the next. */
function minimal() {
  const server = new McpServer(
    { name: "kadu-minimal", version: "1.0.0" },
    { instructions: "Reads and creates workspaces of Kadu." },
  );
  const reads = { readOnlyHint: true, destructiveHint: false };
  server.registerTool(
    "kadu_me_get",
    { description: "Who is calling: person, organization, scopes.", inputSchema: z.object({}), annotations: reads },
    (_, context) => result(ask(context, "GET", "/v1/me")),
  );
  server.registerTool(
    "kadu_workspaces_get",
    { description: "One workspace.", inputSchema: z.object({ id: z.string() }), annotations: reads },
    ({ id }, context) => result(ask(context, "GET", workspace(id))),
  );
  server.registerTool(
    "kadu_workspaces_create",
    {
      description: "Create a workspace.",
      inputSchema: z.object({ name: z.string(), idempotency_key: z.string().min(1).max(255).optional() }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ name, idempotency_key: key }, context) =>
      result(ask(context, "POST", "/v1/workspaces", { body: { name }, key })),
  );
  const document = new ResourceTemplate("kobana://kadu/workspaces/{id}", { list: undefined });
  server.registerResource(
    "workspace",
    document,
    { description: "A workspace as a document.", mimeType: "application/json" },
    async (uri, { id }, context) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify(await ask(context, "GET", workspace(String(id)))),
        },
      ],
    }),
  );
  return server;
}

const handle = toNodeHandler(createMcpHandler(minimal, { responseMode: "json" }));
const [knownHost, knownOrigin] = [localhostHostValidation(), localhostOriginValidation()];

createServer((request, response) => {
  if (!knownHost(request, response) || !knownOrigin(request, response)) return;
  if (new URL(request.url ?? "/", "http://localhost").pathname === "/mcp") handle(request, response);
  else response.writeHead(404).end();
}).listen(Number(PORT), HOST);
