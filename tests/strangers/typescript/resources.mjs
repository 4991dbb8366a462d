/** The fourteen documents. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";

import { mayRun } from "./kaduApi.mjs";
import { servePages } from "./paging.mjs";
import { recentIds } from "./suggestions.mjs";

const ROOT = "kobana://kadu/";
const MIME_TYPE = "application/json";

/** KADU-RES-03: what reads a document is the tool of its row. */
const DOCUMENTS = [
  { path: "me", tool: "kadu_me_get", title: "Your connection" },
  { path: "repository", tool: "kadu_repository_get", title: "Playbook and skills" },
  { path: "operation_approvals", tool: "kadu_operation_approvals_list", title: "Your approvals" },
  { path: "operation_approvals/{id}", tool: "kadu_operation_approvals_get", title: "One approval" },
  { path: "workspaces/{id}", tool: "kadu_workspaces_get", title: "Workspace" },
  { path: "activities/{id}", tool: "kadu_activities_get", title: "Activity" },
  { path: "tasks/{id}", tool: "kadu_tasks_get", title: "Task" },
  { path: "executions/{id}", tool: "kadu_executions_get", title: "Execution" },
  { path: "executions/{id}/events", tool: "kadu_executions_events_list", title: "Events of an execution" },
  { path: "executions/{id}/logs", tool: "kadu_executions_logs_list", title: "Logs of an execution" },
  { path: "executions/{id}/todos", tool: "kadu_executions_todos_list", title: "To-dos of an execution" },
  { path: "memories/{id}", tool: "kadu_memories_get", title: "Memory" },
  { path: "environments/{id}", tool: "kadu_environments_get", title: "Environment" },
  { path: "schedules/{id}", tool: "kadu_schedules_get", title: "Schedule" },
].map((row) => ({ ...row, uri: ROOT + row.path, hasId: row.path.includes("{id}") }));

/**
 * Every document is registered for everybody: the SDK then reads and completes it, and the caller is looked at when
 * it does. Only the lists are our own, for the SDK's would show all of them.
 *
 * @param {import("@modelcontextprotocol/server").McpServer} server
 * @param {object} parts
 * @param {import("./kaduApi.mjs").KaduApi} parts.api
 * @param {Map<string, import("./contract.mjs").Operation>} parts.contract
 * @param {import("./kaduApi.mjs").Caller} parts.caller
 */
export function registerResources(server, { api, contract, caller }) {
  const documents = DOCUMENTS.map((row) => ({ ...row, operation: contract.get(row.tool) })).filter(
    ({ operation }) => operation !== undefined,
  );
  for (const { path, uri, title, hasId, operation } of documents) {
    const read = (asked, { id } = {}) => readDocument(api, caller, operation, asked.href, id);
    const ids = (typed) => recentIds(api, caller, contract.get(operation.listing), typed);
    const template = new ResourceTemplate(uri, { list: undefined, complete: { id: ids } });
    server.registerResource(path, hasId ? template : uri, { title, mimeType: MIME_TYPE }, read);
  }

  // KADU-RES-05
  const shown = documents.filter(({ operation }) => mayRun(caller, operation));
  const entry = ({ path, title }) => ({ name: path, title, mimeType: MIME_TYPE });
  const fixed = shown.filter(({ hasId }) => !hasId).map((row) => ({ uri: row.uri, ...entry(row) }));
  const templates = shown.filter(({ hasId }) => hasId).map((row) => ({ uriTemplate: row.uri, ...entry(row) }));
  servePages(server, "resources/list", "resources", fixed);
  servePages(server, "resources/templates/list", "resourceTemplates", templates);
}

async function readDocument(api, caller, operation, uri, id) {
  const permitted = mayRun(caller, operation);
  const answer = permitted && (await api.run(caller, operation, id === undefined ? {} : { id: decoded(id, uri) }));
  if (!permitted || answer.status === 403) {
    // KADU-RES-06
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `You may not read ${uri}`, {
      code: "insufficient_permission",
    });
  }
  if (answer.status >= 500 || answer.status === 429) throw new Error("Kadu does not answer; try again later.");
  // KADU-RES-09: what cannot be an id is the id of nothing
  if (!answer.ok) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(answer.body, null, 2) }] };
}

function decoded(id, uri) {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new ResourceNotFoundError(uri);
  }
}
