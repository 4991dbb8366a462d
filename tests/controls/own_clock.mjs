// own_clock.py once more, on Node: one tool, a yes worth LIFETIME seconds by this process's own clock.
import { createServer } from "node:http";

const TOOL = {
  name: "kadu_tasks_run",
  annotations: { destructiveHint: true },
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, environment_id: { type: "string" } },
    required: ["id", "environment_id"],
  },
};
const YES = { type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] };
const HINTS = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const lifetime = process.env.LIFETIME ?? "300";

function ask(given) {
  const requestState = Buffer.from(JSON.stringify({ asked: Date.now() })).toString("base64url");
  const params = { mode: "form", message: `Run it? ${JSON.stringify(given)}`, requestedSchema: YES };
  const inputRequests = { run: { method: "elicitation/create", params } };
  return { resultType: "input_required", inputRequests, requestState };
}

function fresh(state) {
  const { asked } = JSON.parse(Buffer.from(state, "base64url").toString());
  return lifetime === "forever" || Date.now() - asked <= Number(lifetime) * 1000;
}

async function run(given, authorization) {
  const answer = await fetch(`${process.env.KADU_API_URL}/v1/tasks/${given.id}/run`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ environment_id: given.environment_id }),
  });
  return { content: [{ type: "text", text: await answer.text() }], resultType: "complete" };
}

async function resultOf(method, params, authorization) {
  if (method === "server/discover") {
    return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...HINTS };
  }
  if (method === "tools/list") return { tools: [TOOL], ...HINTS };
  if (method === "tools/call") {
    const answered = params.inputResponses?.run;
    const saidYes = answered?.action === "accept" && answered.content?.yes === true;
    return saidYes && fresh(params.requestState) ? run(params.arguments, authorization) : ask(params.arguments);
  }
  return undefined;
}

const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  if (request.method !== "POST") return response.writeHead(405).end();
  const message = JSON.parse(text);
  const result = await resultOf(message.method, message.params ?? {}, request.headers.authorization);
  const error = { code: -32601, message: "Method not found" };
  const body = { jsonrpc: "2.0", id: message.id ?? null, ...(result ? { result } : { error }) };
  response.writeHead(result ? 200 : 404, { "content-type": "application/json" });
  return response.end(JSON.stringify(body));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
