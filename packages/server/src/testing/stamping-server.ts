import { appendFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { defineTool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { z } from 'zod';
import { createLog } from '../serve/create-log.js';
import { serve } from '../serve/serve.js';

// A server on a shared database, for tests that kill it. Its model requests one stamp per message, and each run appends a line to a
// file. "Please call NAME with {…}" makes it request that tool instead.
const { COUNTERSIGN_HOME: home = '', STAMPS: stamps = '', WEB_ROOT: webRoot } = process.env;

const model = scripted(
  ({ messages }) => {
    const last = messages.at(-1);
    const [, tool, given] = /Please call (\S+) with (\{.*\})/.exec(asked(messages)) ?? [];
    if (tool !== undefined && given !== undefined) {
      if (last?.role === 'tool') return `It said: ${last.content}`;
      return { say: 'One call.', calls: [{ name: tool, arguments: JSON.parse(given) as Record<string, unknown> }] };
    }
    if (last?.role === 'tool') return `Done, stamped: ${last.content.includes('stamped')}`;
    const [, key = 'unknown', ms] = /(letter-\S+)(?: for (\d+) ms)?/.exec(String(last?.content)) ?? [];
    const args = ms === undefined ? { key } : { key, ms: Number(ms) };
    return { say: 'One stamp.', calls: [{ name: 'stamp', arguments: args }] };
  },
  { name: 'stamping' },
);

function asked(messages: readonly { role: string; content?: string | null }[]): string {
  return String(messages.findLast(({ role }) => role === 'user')?.content);
}

const stamp = defineTool({
  name: 'stamp',
  description: 'Stamps a letter.',
  parameters: z.object({ key: z.string(), ms: z.number().exactOptional() }),
  approval: { required: true },
  async execute({ key, ms }, { signal }) {
    appendFileSync(stamps, `${key} ${process.pid} ${performance.timeOrigin + performance.now()}\n`);
    if (ms !== undefined) await after(ms, undefined, { signal });
    return `stamped ${key}`;
  },
});

const log = createLog({
  level: 'error',
  isTerminal: false,
  write: (line) => process.stderr.write(line),
  now: () => Date.now(),
  secrets: [],
});
const serving = await serve({
  home,
  env: process.env,
  log,
  port: 0,
  providers: [model],
  tools: [stamp],
  sandbox: { kind: 'none', reason: 'no command runs here' },
  ollamaUrl: 'http://127.0.0.1:9',
  version: 'test',
  ...(webRoot === undefined ? {} : { webRoot }),
});
process.on('SIGTERM', () => {
  serving.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.stdout.write(`${JSON.stringify({ url: serving.url })}\n`);
