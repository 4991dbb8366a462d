/** Lists that come in pages. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/**
 * Answers a list request in pages. MCP-20: a cursor that was never given out is refused; the SDK's own lists take any.
 *
 * @param {import("@modelcontextprotocol/server").McpServer} server
 * @param {"tools/list" | "prompts/list" | "resources/list" | "resources/templates/list"} method
 * @param {string} key under which the result holds the entries
 * @param {object[]} entries
 * @param {number} [size] of a page
 */
export function servePages(server, method, key, entries, size = 30) {
  server.server.setRequestHandler(method, ({ params }) => {
    const start = params?.cursor === undefined ? 0 : offset(params.cursor, entries.length);
    const next = start + size;
    return { [key]: entries.slice(start, next), ...(next < entries.length && { nextCursor: `from-${next}` }) };
  });
}

function offset(cursor, total) {
  const start = Number(/^from-([1-9]\d{0,5})$/.exec(cursor)?.[1]);
  if (start < total) return start;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "This cursor was not given out here");
}
