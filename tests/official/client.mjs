// An official TypeScript client using the server as a vendor's client would: it lists, reads, prompts, completes and
// calls a destructive tool, saying yes to the question. Takes a plan as JSON on standard input, tells as JSON on
// standard output what it saw. `line` is "v2" (both eras, by `mode`) or "v1" (2025 only).
import { text } from "node:stream/consumers";

const plan = JSON.parse(await text(process.stdin));
const asked = [];

function agree({ params }) {
  asked.push({ message: params.message, properties: Object.keys(params.requestedSchema.properties) });
  return { action: "accept", content: { [Object.keys(params.requestedSchema.properties)[0]]: true } };
}

const about = { name: "outside-witness", version: "1" };
const options = { capabilities: { elicitation: {} } };
const http = { requestInit: { headers: { authorization: `Bearer ${plan.token}` } } };
let client, transport;
if (plan.line === "v2") {
  const sdk = await import("@modelcontextprotocol/client");
  client = new sdk.Client(about, { ...options, versionNegotiation: { mode: plan.mode } });
  client.setRequestHandler("elicitation/create", agree);
  transport = new sdk.StreamableHTTPClientTransport(new URL(plan.url), http);
} else {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  client = new Client(about, options);
  client.setRequestHandler(ElicitRequestSchema, agree);
  transport = new StreamableHTTPClientTransport(new URL(plan.url), http);
}

await client.connect(transport);
const resource = await client.readResource({ uri: plan.uri });
const prompt = await client.getPrompt(plan.prompt);
const completed = await client.complete({
  ref: { type: "ref/prompt", name: plan.prompt.name },
  argument: { name: plan.argument, value: "" },
});
const seen = {
  version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  resources: (await client.listResources()).resources.map((one) => one.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
  prompts: (await client.listPrompts()).prompts.map((one) => one.name),
  resource: JSON.parse(resource.contents[0].text),
  prompt: prompt.messages[0].content.text,
  completed: completed.completion.values,
};
const came = await client.callTool(plan.call);
seen.call = { failed: came.isError ?? false, body: JSON.parse(came.content[0].text) };
await client.close();
process.stdout.write(JSON.stringify({ ...seen, asked }));
