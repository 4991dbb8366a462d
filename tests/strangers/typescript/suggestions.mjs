/** What completions suggest. */
import { ApiUnavailable, mayRun } from "./kaduApi.mjs";

const PAGES = 3;
const MONTHS = 12;

/**
 * KADU-CMP-01, 02: recent ids that begin with what was typed; none for who may not list them.
 *
 * @param {import("./kaduApi.mjs").KaduApi} api
 * @param {import("./kaduApi.mjs").Caller} caller
 * @param {import("./contract.mjs").Operation | undefined} listing
 * @param {string} typed
 * @returns {Promise<string[]>}
 */
export async function recentIds(api, caller, listing, typed) {
  if (!mayRun(caller, listing)) return [];
  const ids = [];
  try {
    let cursor;
    for (let page = 0; page < PAGES && cursor !== null; page += 1) {
      const { ok, body } = await api.run(caller, listing, { limit: 100, ...(cursor && { cursor }) });
      if (!ok) break;
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    }
  } catch (error) {
    if (!(error instanceof ApiUnavailable)) throw error;
  }
  return ids.filter((id) => id.startsWith(typed));
}

/**
 * KADU-CMP-03: the running month and the eleven before it.
 *
 * @param {Date} now
 * @param {string} typed
 */
export function lastMonths(now, typed) {
  return Array.from({ length: MONTHS }, (_, back) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)))
    .map((month) => month.toISOString().slice(0, 7))
    .filter((month) => month.startsWith(typed));
}
