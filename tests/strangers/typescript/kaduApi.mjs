/** The Kadu API, one request at a time, each under the token of whoever calls. */

const PATIENCE_MS = 30_000;

/** The API gave no usable answer. */
export class ApiUnavailable extends Error {}

/**
 * @typedef {import("./contract.mjs").Operation} Operation
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {boolean} ok whether the status is 2xx
 * @property {any} body decoded; null where there is none
 * @property {Date} date the API's clock
 *
 * @typedef {object} Caller who holds the token of the request being served
 * @property {string} token
 * @property {string} clientId
 * @property {string | undefined} personId undefined where no person stands behind the token
 * @property {string} organizationId
 * @property {Set<string>} scopes
 * @property {Set<string>} permissions
 * @property {Date} now the API's clock, as of this very request
 */

export class KaduApi {
  #baseUrl;

  /** @param {string} baseUrl */
  constructor(baseUrl) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
  }

  /** The published contract. */
  async contract() {
    return (await this.#send("GET", "/openapi.json", {})).body;
  }

  /**
   * @param {string} token
   * @returns {Promise<Caller | undefined>} undefined where the API does not take the token
   */
  async caller(token) {
    const { status, ok, body, date } = await this.request(token, "GET", "/v1/me");
    if (status === 401) return undefined;
    if (!ok) throw new ApiUnavailable(`GET /v1/me answered ${status}`);
    return {
      token,
      clientId: body.client.id,
      personId: body.person?.id,
      organizationId: body.organization.id,
      scopes: new Set(body.scopes),
      permissions: new Set(body.permissions),
      now: date,
    };
  }

  /**
   * @param {Caller} caller
   * @param {Operation} operation
   * @param {Record<string, any>} args flat, as a tool takes them
   * @returns {Promise<Answer>}
   */
  async run(caller, operation, args) {
    let { path } = operation;
    for (const name of operation.pathParams) {
      // A URL swallows these two, and with them the path would mean something else.
      if (args[name] === "." || args[name] === "..") return notFound(caller.now);
      path = path.replace(`{${name}}`, encodeURIComponent(args[name]));
    }
    const query = new URLSearchParams();
    for (const name of operation.queryParams.filter((name) => name in args)) {
      for (const value of [args[name]].flat()) query.append(name, String(value));
    }
    const body = operation.bodyFields && pick(args, operation.bodyFields);
    const suffix = query.size > 0 ? `?${query}` : "";
    return this.request(caller.token, operation.method, path + suffix, { body, key: args.idempotency_key });
  }

  /**
   * @param {string} token
   * @param {string} method
   * @param {string} path
   * @param {{ body?: unknown, key?: string }} [sent] `key` is the idempotency key: a header and nothing else
   * @returns {Promise<Answer>}
   */
  async request(token, method, path, { body, key } = {}) {
    const headers = { Authorization: `Bearer ${token}` };
    if (key !== undefined) headers["X-Idempotency-Key"] = key;
    return this.#send(method, path, headers, body);
  }

  async #send(method, path, headers, body) {
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const response = await fetch(this.#baseUrl + path, { method, headers, body: JSON.stringify(body), signal });
      const text = await response.text();
      const date = new Date(response.headers.get("date") ?? Date.now());
      return { status: response.status, ok: response.ok, body: text === "" ? null : JSON.parse(text), date };
    } catch (cause) {
      throw new ApiUnavailable("Kadu gave no usable answer", { cause });
    }
  }
}

/**
 * The scope is the token's, the permission the person's; both are needed.
 *
 * @param {Caller} caller
 * @param {Operation | undefined} operation
 */
export function mayRun(caller, operation) {
  return (
    operation !== undefined &&
    (operation.scope === null || caller.scopes.has(operation.scope)) &&
    (operation.permission === null || caller.permissions.has(operation.permission))
  );
}

/** @returns {Answer} */
function notFound(date) {
  return { status: 404, ok: false, body: { errors: [{ code: "not_found", detail: "No such record." }] }, date };
}

function pick(args, names) {
  return Object.fromEntries(names.filter((name) => name in args).map((name) => [name, args[name]]));
}
