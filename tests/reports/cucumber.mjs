// The official formatter: messages.ndjson in, a page out. node cucumber.mjs FORMATTER MESSAGES PAGE
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

const [formatter, messages, page] = process.argv.slice(2);
const { CucumberHtmlStream } = await import(pathToFileURL(formatter));

async function* envelopes() {
  for await (const line of createInterface({ input: createReadStream(messages) })) yield JSON.parse(line);
}

await pipeline(envelopes, new CucumberHtmlStream(), createWriteStream(page));
