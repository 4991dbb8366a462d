/** The yes in the chat: the question, the state that travels with it, and how its answer reads. */
import { createHash, randomUUID } from "node:crypto";

import { createRequestStateCodec, inputRequired, inputResponse } from "@modelcontextprotocol/server";

const LIFETIME_SECONDS = 5 * 60;
const REQUEST = "goAhead";
const FIELD = "choice";
const RUN = "run_it";
const LEAVE = "leave_it";

/**
 * @typedef {import("./contract.mjs").Operation} Operation
 * @typedef {import("./kaduApi.mjs").Caller} Caller
 * @typedef {{ call: string, nonce: string, expiresAt: string }} Ticket a question that was asked, good for one yes
 */

/** @param {string} key of 32 bytes or more, the same for every replica */
export function createConfirmation(key) {
  // The codec signs. Its own expiry goes by the clock of this machine; ours, in the ticket, by that of the API.
  const codec = createRequestStateCodec({ key, ttlSeconds: LIFETIME_SECONDS });

  return {
    /**
     * KADU-CNF-01: the question about this call, with a fresh state.
     *
     * @param {Caller} caller
     * @param {Operation} operation
     * @param {Record<string, unknown>} args
     */
    async ask(caller, operation, args) {
      const expiresAt = new Date(caller.now.getTime() + LIFETIME_SECONDS * 1000).toISOString();
      /** @type {Ticket} */
      const ticket = { call: fingerprint(caller, operation, args), nonce: randomUUID(), expiresAt };
      return inputRequired({
        inputRequests: { [REQUEST]: question(operation, args) },
        requestState: await codec.mint(ticket),
      });
    },

    /**
     * KADU-CNF-06 to 11: the ticket of a state that fits this very call; undefined where anything is amiss.
     *
     * @param {string | undefined} state
     * @param {Caller} caller
     * @param {Operation} operation
     * @param {Record<string, unknown>} args
     * @returns {Promise<Ticket | undefined>}
     */
    async ticket(state, caller, operation, args) {
      if (!state) return undefined;
      /** @type {Ticket} */
      let ticket;
      try {
        ticket = await codec.verify(state);
      } catch {
        // The SDK's own hook would answer with an error here. Ours is another question, whatever the reason.
        return undefined;
      }
      const fits = ticket.call === fingerprint(caller, operation, args);
      return fits && caller.now <= new Date(ticket.expiresAt) ? ticket : undefined;
    },
  };
}

/**
 * What the person said.
 *
 * @param {Record<string, unknown> | undefined} responses
 * @returns {"yes" | "no" | "nothing"}
 */
export function decision(responses) {
  const response = inputResponse(responses, REQUEST);
  if (response.kind !== "elicit") return "nothing";
  // KADU-CNF-04
  if (response.action !== "accept") return "no";
  // KADU-CNF-05
  return response.content?.[FIELD] === RUN ? "yes" : "no";
}

/** KADU-CNF-02: one question, with everything that would be sent. */
function question(operation, args) {
  const lines = [...leaves(args)].map(([path, value]) => `• ${path}: ${readable(value)}`);
  const message = [
    `${operation.title} (${operation.name})`,
    lines.length > 0 ? "This would be sent to Kadu:" : "Nothing else would be sent to Kadu.",
    ...lines,
  ].join("\n");
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: {
        [FIELD]: {
          type: "string",
          title: "Go ahead?",
          oneOf: [
            { const: LEAVE, title: "No, leave everything as it is" },
            { const: RUN, title: "Yes, run it once" },
          ],
        },
      },
      required: [FIELD],
    },
  });
}

/** @returns {Generator<[string, unknown]>} every value of the arguments, with the path to it */
function* leaves(value, path = "") {
  if (value === null || typeof value !== "object") return yield [path, value];
  for (const [key, inner] of Object.entries(value)) {
    yield* leaves(inner, path === "" ? key : Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  }
}

/** Text as it is, unless it holds what a person could not see. */
function readable(value) {
  return typeof value === "string" && !/\p{C}|\p{Zl}|\p{Zp}/u.test(value) ? value : JSON.stringify(value);
}

function fingerprint(caller, operation, args) {
  const subject = [operation.name, args, caller.personId ?? null, caller.organizationId];
  return createHash("sha256").update(JSON.stringify(subject, inOrder)).digest("base64url");
}

/** A replacer: the order of keys does not count. */
function inOrder(_, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, value[key]]));
}
