// Our server in its own process, so that its CPU time is separate from its client's.
import { createLog, serve } from '@countersign/server';
import { bookRoom, scriptedProvider } from './ours.mjs';
import { ran } from './script.mjs';

const [home, token, work] = process.argv.slice(2);
const { tools, gated } = JSON.parse(work);
const serving = await serve({
  home,
  env: { COUNTERSIGN_TOKEN: token },
  log: createLog({ level: 'error', isTerminal: false, write: () => undefined, now: Date.now, secrets: [] }),
  port: 0,
  providers: [scriptedProvider(tools)],
  tools: [bookRoom(gated)],
  sandbox: { kind: 'none', reason: 'no command runs here' },
  ollamaUrl: 'http://127.0.0.1:9',
  version: 'bench',
});

const answers = {
  meter() {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system, ran: ran.count };
  },
  memory() {
    globalThis.gc?.();
    return process.memoryUsage.rss() / 2 ** 20;
  },
};

process.on('message', (order) => {
  if (order === 'close') void serving.close().then(() => process.disconnect());
  else process.send(answers[order]());
});
// The parent process may have been killed.
process.on('disconnect', () => process.exit());
process.send({ url: serving.url });
