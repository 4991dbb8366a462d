/** Every operation of the contract as a tool, for whoever may run it. */
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";

import { decision } from "./confirmation.mjs";
import { ApiUnavailable, mayRun } from "./kaduApi.mjs";
import { servePages } from "./paging.mjs";

const APPROVAL_READER = "kadu_operation_approvals_get";
const ADVICE =
  "Nothing has run yet. Show this URL to the user: signed in to Kadu, they see what would happen and decide there. " +
  "Do not call the tool again, that would ask for a second approval. Check only once the user says they decided.";

/**
 * @typedef {import("./contract.mjs").Operation} Operation
 * @typedef {import("./kaduApi.mjs").Answer} Answer
 * @typedef {import("./kaduApi.mjs").Caller} Caller
 * @typedef {import("@modelcontextprotocol/server").ServerContext} Context
 * @typedef {import("@modelcontextprotocol/server").CallToolResult} Result
 */

/** What stops a call, by its documented code. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class Tools {
  #api;
  #contract;
  #confirmation;
  #caller;
  #era;

  /**
   * @param {object} parts
   * @param {import("./kaduApi.mjs").KaduApi} parts.api
   * @param {Map<string, Operation>} parts.contract
   * @param {ReturnType<typeof import("./confirmation.mjs").createConfirmation>} parts.confirmation
   * @param {Caller} parts.caller
   * @param {"legacy" | "modern"} parts.era
   */
  constructor({ api, contract, confirmation, caller, era }) {
    this.#api = api;
    this.#contract = contract;
    this.#confirmation = confirmation;
    this.#caller = caller;
    this.#era = era;
  }

  /** @param {import("@modelcontextprotocol/server").McpServer} server */
  register(server) {
    const shown = [...this.#contract.values()].filter((one) => one.isTool && mayRun(this.#caller, one));
    for (const operation of shown) {
      const { name, inputSchema, outputSchema } = operation;
      server.registerTool(name, { inputSchema, outputSchema }, (args, context) => this.#call(operation, args, context));
    }
    servePages(server, "tools/list", "tools", shown.map(entry));
  }

  async #call(operation, args, context) {
    try {
      const ticket = await this.#ticket(operation, args, context);
      if (ticket || (await this.#asks(operation, args))) {
        const instead = await this.#instead(operation, args, context, ticket);
        if (instead) return instead;
      }
      return done(accepted(await this.#api.run(this.#caller, operation, args)));
    } catch (error) {
      if (error instanceof ApiUnavailable) return refused("UNAVAILABLE", "Kadu does not answer; try again later.");
      if (error instanceof Refusal) return refused(error.code, error.message);
      throw error;
    }
  }

  /** KADU-CNF-12: a call that was confirmed stays one, also when what it changed makes it harmless by now. */
  async #ticket(operation, args, context) {
    const mayAsk = operation.alwaysAsks || operation.asksWhenChanged !== undefined;
    if (!mayAsk || !this.#showsForms(context)) return undefined;
    return this.#confirmation.ticket(context.mcpReq.requestState(), this.#caller, operation, args);
  }

  /** Whether this call needs a yes. */
  async #asks(operation, args) {
    const field = operation.asksWhenChanged;
    if (operation.alwaysAsks || field === undefined || !(field in args)) return operation.alwaysAsks;
    // KADU-DST-05: the same value is no change. Where the record cannot be read, better ask.
    const reader = [...this.#contract.values()].find(({ method, path }) => method === "GET" && path === operation.path);
    if (!mayRun(this.#caller, reader)) return true;
    const current = await this.#api.run(this.#caller, reader, args);
    return accepted(current)[field] !== args[field];
  }

  /** What is answered instead of running; undefined once a person said yes and that yes is used up. */
  async #instead(operation, args, context, ticket) {
    if (this.#caller.personId === undefined) {
      // KADU-UNA-01
      throw new Refusal("confirmation_required", "No person stands behind this token, so nobody could say yes.");
    }
    if (!this.#showsForms(context)) return this.#approvalByLink(operation, args);
    const said = ticket ? decision(context.mcpReq.inputResponses) : "nothing";
    if (said === "nothing") return this.#confirmation.ask(this.#caller, operation, args);
    if (said === "no") throw new Refusal("USER_DECLINED", "The user did not agree, so nothing was run.");
    return this.#useUp(operation, ticket);
  }

  /** KADU-CNF-12, 13: first recorded, then run. The API takes a nonce once. */
  async #useUp(operation, { nonce, expiresAt }) {
    const { status } = await this.#register("/v1/confirmations", {
      nonce,
      operation: operation.name,
      expires_at: expiresAt,
    });
    if (status === 409) {
      throw new Refusal("confirmation_replayed", "This yes was used already. Call the tool afresh to run it again.");
    }
    if (status !== 201) throw unavailable();
    return undefined;
  }

  /** KADU-APR-01: stored for the person to decide on, not run. @returns {Promise<Result>} */
  async #approvalByLink(operation, args) {
    const answer = await this.#register("/v1/operation_approvals", { operation: operation.name, arguments: args });
    if (answer.status >= 500 || answer.status === 429) throw unavailable();
    const { id, status, url, expires_at } = accepted(answer);
    const approval = {
      id,
      status,
      url,
      expires_at,
      resource_uri: `kobana://kadu/operation_approvals/${encodeURIComponent(id)}`,
      // KADU-APR-05
      ...(mayRun(this.#caller, this.#contract.get(APPROVAL_READER)) && {
        check_with: { tool: APPROVAL_READER, arguments: { id } },
      }),
    };
    return { content: [text(JSON.stringify({ status: "approval_required", approval, message: ADVICE }))] };
  }

  /** KADU-UNA-02, 03: a register that does not answer means that nothing can be confirmed now. */
  async #register(path, body) {
    try {
      return await this.#api.request(this.#caller.token, "POST", path, { body });
    } catch (error) {
      throw error instanceof ApiUnavailable ? unavailable() : error;
    }
  }

  /** KADU-CNF-16: a client that names no mode means forms. @param {Context} context */
  #showsForms(context) {
    const elicitation = context.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
    if (this.#era !== "modern" || elicitation === undefined) return false;
    return elicitation.form !== undefined || elicitation.url === undefined;
  }
}

/** @param {Operation} operation */
function entry({ name, title, description, access, alwaysAsks, asksWhenChanged, inputSchema, outputSchema }) {
  const destructiveHint = alwaysAsks || asksWhenChanged !== undefined;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema["~standard"].jsonSchema.input(),
    ...(outputSchema && { outputSchema: outputSchema["~standard"].jsonSchema.output() }),
    annotations: { readOnlyHint: access === "read", destructiveHint, openWorldHint: true },
  };
}

function unavailable() {
  return new Refusal("confirmation_unavailable", "This cannot be confirmed at the moment; try again later.");
}

/** The body of an answer. Throws the API's refusal, by its documented code. @param {Answer} answer */
function accepted({ ok, status, body }) {
  if (ok) return body;
  const { code = `http_${status}`, detail = "Kadu refused this." } = body?.errors?.[0] ?? {};
  throw new Refusal(code.startsWith("confirmation_") ? code : code.toUpperCase(), detail);
}

/** @returns {Result} */
function done(body) {
  return { content: [text(JSON.stringify(body))], structuredContent: body };
}

/** @returns {Result} */
function refused(code, message) {
  return { content: [text(`${code}: ${message}`)], structuredContent: { code, message }, isError: true };
}

function text(value) {
  return { type: "text", text: value };
}
