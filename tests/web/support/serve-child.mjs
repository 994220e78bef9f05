// A server in its own process, so that it can be killed. Prints its URL as JSON.
import { createLog, serve } from '@countersign/server';

const [home, port, webRoot] = process.argv.slice(2);
const log = createLog({ level: 'error', isTerminal: true, write: (line) => process.stderr.write(line), now: Date.now });
const serving = await serve({
  home: home ?? '',
  port: Number(port),
  webRoot: webRoot ?? '',
  env: {},
  log,
  version: 'test',
  ollamaUrl: 'http://127.0.0.1:9',
});
process.stdout.write(`${JSON.stringify({ url: serving.url, open: serving.newStartUrl() })}\n`);
