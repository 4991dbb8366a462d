/** The four prompts: instructions that only read, with their dates worked out. */
import { completable, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";

import { mayRun } from "./kaduApi.mjs";
import { servePages } from "./paging.mjs";
import { lastMonths, recentIds } from "./suggestions.mjs";

const DAY_MS = 24 * 60 * 60 * 1000;
const inWords = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
const monthInWords = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
const id = () => z.string().min(1).max(200);

/** The arguments. `idsOf` names the tool whose listing has the ids. */
const ARGUMENTS = {
  since: { schema: z.iso.date().optional(), description: "First day, YYYY-MM-DD. A week ago when left out." },
  month: { schema: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/), description: "Month, YYYY-MM." },
  execution_id: { schema: id(), description: "Id of the execution.", idsOf: "kadu_executions_get" },
  task_id: { schema: id(), description: "Id of the task.", idsOf: "kadu_tasks_get" },
  environment_id: { schema: id(), description: "Id of the environment.", idsOf: "kadu_environments_get" },
};

const PROMPTS = [
  {
    name: "review_failed_executions",
    title: "Review failed executions",
    description: "What failed since a day, and why, with repeated causes put together.",
    takes: ["since"],
    tools: ["kadu_executions_list", "kadu_executions_get", "kadu_executions_logs_list"],
    write: ({ since }, now) => {
      const day = since ? new Date(since) : new Date(now.getTime() - 7 * DAY_MS);
      return [
        `Go through every execution that has failed since ${inWords.format(day)}.`,
        "Find them with kadu_executions_list, then read kadu_executions_get and kadu_executions_logs_list of each.",
        "Say in plain words what went wrong in each one. Group those that share a cause.",
        "Do not run, cancel or continue anything.",
      ];
    },
  },
  {
    name: "explain_execution",
    title: "Explain an execution",
    description: "What the agent did, step by step.",
    takes: ["execution_id"],
    tools: ["kadu_executions_get", "kadu_executions_events_list", "kadu_executions_todos_list"],
    write: ({ execution_id }) => [
      `Walk me through execution ${execution_id}, step by step.`,
      "kadu_executions_events_list tells what the agent did and in which systems, kadu_executions_get how it ended.",
      "End with the to-dos that are left for a person, from kadu_executions_todos_list.",
      "Change nothing.",
    ],
  },
  {
    name: "monthly_usage_report",
    title: "Monthly usage report",
    description: "Usage and cost of a month, by task and by workspace.",
    takes: ["month"],
    tools: ["kadu_usage_get", "kadu_usage_tasks_get", "kadu_usage_workspaces_get"],
    write: ({ month }) => {
      const first = new Date(`${month}-01`);
      const last = new Date(first);
      last.setUTCMonth(first.getUTCMonth() + 1, 0);
      const days = `${inWords.format(first)} to ${inWords.format(last)}`;
      return [
        `Report the usage and the cost of ${monthInWords.format(first)} (${month}): ${days}.`,
        "kadu_usage_get has the total.",
        "Split it by task with kadu_usage_tasks_get and by workspace with kadu_usage_workspaces_get.",
        "Point out the tasks that cost most.",
      ];
    },
  },
  {
    name: "check_task_readiness",
    title: "Check if a task is ready",
    description: "Whether a task could run in an environment right now, and what is missing if not.",
    takes: ["task_id", "environment_id"],
    tools: ["kadu_tasks_get", "kadu_tasks_readiness_get"],
    write: ({ task_id, environment_id }) => [
      `Could task ${task_id} run right now in environment ${environment_id}?`,
      "Read it with kadu_tasks_get and check it with kadu_tasks_readiness_get.",
      "If it is not ready, say exactly what is missing: plan, cost ceiling, secrets or repository.",
      "Do not start it.",
    ],
  },
];

/**
 * As with the documents: all are registered, so that completions work, and only the list is our own.
 *
 * @param {import("@modelcontextprotocol/server").McpServer} server
 * @param {object} parts
 * @param {import("./kaduApi.mjs").KaduApi} parts.api
 * @param {Map<string, import("./contract.mjs").Operation>} parts.contract
 * @param {import("./kaduApi.mjs").Caller} parts.caller
 */
export function registerPrompts(server, { api, contract, caller }) {
  // KADU-PRM-02: all of its tools
  const isShown = ({ tools }) => tools.every((tool) => mayRun(caller, contract.get(tool)));

  const field = (name) => {
    const { schema, idsOf } = ARGUMENTS[name];
    // A schema of its own for each request: a completer sticks to the very object.
    const fresh = schema.clone();
    if (name === "month") return completable(fresh, (typed) => lastMonths(caller.now, typed));
    const listing = contract.get(contract.get(idsOf)?.listing);
    return idsOf ? completable(fresh, (typed) => recentIds(api, caller, listing, typed)) : fresh;
  };

  for (const prompt of PROMPTS) {
    const { name, title, description, takes } = prompt;
    const argsSchema = z.object(Object.fromEntries(takes.map((argument) => [argument, field(argument)])));
    server.registerPrompt(name, { title, description, argsSchema }, (args) => {
      // KADU-PRM-03
      if (!isShown(prompt)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}`);
      const text = prompt.write(args, caller.now).join("\n");
      return { description, messages: [{ role: "user", content: { type: "text", text } }] };
    });
  }

  const shown = PROMPTS.filter(isShown).map(({ name, title, description, takes }) => ({
    name,
    title,
    description,
    arguments: takes.map((argument) => ({
      name: argument,
      description: ARGUMENTS[argument].description,
      required: !ARGUMENTS[argument].schema.isOptional(),
    })),
  }));
  servePages(server, "prompts/list", "prompts", shown);
}
