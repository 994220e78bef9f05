import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { itAtFullSize } from '../support/scaled.js';
import { canRun, openRunGround, type RunGround } from '../terminal/run-ground.js';
import { hasBrowser, launch } from './support/open-browser.js';

/** Says which cookies it got, and tries to leave one. */
const PAGE = `require('node:http').createServer((request, response) => {
  response.setHeader('Set-Cookie', 'planted=1');
  response.end('got: ' + (request.headers.cookie ?? 'none'));
}).listen(3000, '127.0.0.1');`;

const openSchema = z.object({ open: z.string() });

describe.skipIf(!canRun || !hasBrowser)('a page of a run, in a browser that is signed in', () => {
  let ground: RunGround;
  let project = '';
  beforeAll(async () => {
    ground = await openRunGround();
    project = join(ground.path, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'page.cjs'), PAGE);
    await ground.client().createWorld({ name: 'Project', workingDirectory: project, mode: 'ask' });
  });
  afterAll(() => ground.close());

  itAtFullSize('never gets the cookie of the server, and cannot set one there', async () => {
    const run = ground.start(project, 'run', '--port', '3000', '--', 'node', 'page.cjs');
    const url = async (): Promise<string> => {
      await expect.poll(() => run.said().stderr, { timeout: 30_000 }).toMatch(/http:\/\/127\.\d+\.\d+\.\d+:3000/);
      return /http:\/\/127\.[\d.]+:3000/.exec(run.said().stderr)?.[0] ?? '';
    };
    const browser = await launch();
    const context = await browser.newContext();
    const page = await context.newPage();
    // People may type either name.
    for (const host of ['localhost', '127.0.0.1']) {
      const { stdout } = await ground.start(project, 'open', '--no-open', '--json').ended;
      const link = new URL(openSchema.parse(JSON.parse(stdout)).open);
      link.hostname = host;
      await page.goto(link.href);
      const names = async (): Promise<string[]> => (await context.cookies()).map(({ domain }) => domain);
      await expect.poll(names, { timeout: 20_000 }).toContain(host);
    }
    const ours = await context.cookies();
    const address = await url();
    await expect
      .poll(() =>
        page
          .goto(address)
          .then(() => page.textContent('body'))
          .catch(() => ''),
      )
      .toBe('got: none');
    const { port } = new URL(address);
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'run.localhost'])
      await expect(page.goto(`http://${host}:${port}/`)).rejects.toThrow('ERR_CONNECTION_REFUSED');
    const { hostname } = new URL(address);
    const after = await context.cookies();
    expect(after.filter(({ domain }) => domain !== hostname)).toEqual(ours);
    expect(after.filter(({ domain }) => domain === hostname)).toMatchObject([{ name: 'planted' }]);
    await context.close();
    run.process.kill('SIGTERM');
    await run.ended;
  });
});
