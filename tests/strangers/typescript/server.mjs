/**
 * An MCP server for Kadu on the official TypeScript SDK, for both eras at one endpoint.
 *
 *     KADU_API_URL=http://127.0.0.1:4101 HOST=127.0.0.1 PORT=8000 node tests/strangers/typescript/server.mjs
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  INVALID_REQUEST,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  originValidationResponse,
  ProtocolErrorCode,
  requireBearerAuth,
} from "@modelcontextprotocol/server";

import { createConfirmation } from "./confirmation.mjs";
import { readContract } from "./contract.mjs";
import { KaduApi } from "./kaduApi.mjs";
import { registerPrompts } from "./prompts.mjs";
import { registerResources } from "./resources.mjs";
import { Tools } from "./tools.mjs";

const { KADU_API_URL, HOST = "127.0.0.1", PORT, STATE_KEY } = process.env;
if (!KADU_API_URL || !PORT) throw new Error("KADU_API_URL and PORT have to be set");

const api = new KaduApi(KADU_API_URL);
const contract = readContract(await api.contract());
// Replicas need one and the same; without it a process takes no yes to a question of another.
const confirmation = createConfirmation(STATE_KEY ?? randomBytes(32).toString("hex"));

const hostnames = [...localhostAllowedHostnames(), HOST];
const origins = [...localhostAllowedOrigins(), HOST];

/** KADU-RES-08: the SDK knows one code for what is not found, Kadu another one for each era. */
class KaduServer extends McpServer {
  #era;

  constructor(era, ...rest) {
    super(...rest);
    this.#era = era;
  }

  /** @param {import("@modelcontextprotocol/server").Transport} transport */
  async connect(transport) {
    if (this.#era === "legacy") {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => send(asOf2025(message), options);
    }
    await super.connect(transport);
  }
}

function asOf2025(message) {
  const { code, data } = message.error ?? {};
  if (code !== ProtocolErrorCode.InvalidParams || data?.uri === undefined) return message;
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } };
}

/** A server for one request: it holds what this caller may see and nothing of anybody else. */
function serverFor({ era, authInfo }) {
  const { caller } = authInfo.extra;
  const server = new KaduServer(
    era,
    { name: "kadu-typescript", title: "Kadu", version: "1.0.0" },
    {
      instructions: "Kadu: tasks the financial agent runs, what it did, and what it left for people to do.",
      // KADU-RES-10: nothing is ever announced
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: false },
        prompts: { listChanged: false },
        completions: {},
      },
      cacheHints: {
        "server/discover": { ttlMs: 3_600_000, cacheScope: "public" },
        "tools/list": { ttlMs: 30_000, cacheScope: "private" },
        "prompts/list": { ttlMs: 30_000, cacheScope: "private" },
      },
    },
  );
  new Tools({ api, contract, confirmation, caller, era }).register(server);
  registerResources(server, { api, contract, caller });
  registerPrompts(server, { api, contract, caller });
  return server;
}

const mcp = createMcpHandler(serverFor, { onerror: (error) => console.error(error.message) });

const authenticate = requireBearerAuth({
  verifier: {
    async verifyAccessToken(token) {
      const caller = await api.caller(token);
      if (caller === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "Kadu does not know this token");
      // The API has just taken it, and judges its expiry by a clock of its own.
      const expiresAt = Number.POSITIVE_INFINITY;
      return { token, clientId: caller.clientId, scopes: [...caller.scopes], expiresAt, extra: { caller } };
    },
  },
});

/** @param {Request} request */
async function serve(request) {
  const guarded = hostHeaderValidationResponse(request, hostnames) ?? originValidationResponse(request, origins);
  if (guarded) return guarded;
  if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 });
  const authInfo = await authenticate(request);
  if (authInfo instanceof Response) return authInfo;
  // MCP-16: the SDK still takes the batches of 2025-03-26
  if (await isBatch(request.clone())) return batchRefused();
  return mcp.fetch(request, { authInfo });
}

/** @param {Request} request */
async function isBatch(request) {
  return request.method === "POST" && /^\s*\[/.test(await request.text());
}

function batchRefused() {
  const error = { code: INVALID_REQUEST, message: "One message in one request, please" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
}

createServer(toNodeHandler({ fetch: serve })).listen(Number(PORT), HOST);
