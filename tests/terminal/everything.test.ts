import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import type { Stats } from '@countersign/protocol';
import { z } from 'zod';
import { startOAuthServers } from '../mcp/support/oauth-servers.js';
import { stdio } from '../mcp/support/servers.js';
import { createProgram } from '../../packages/terminal/src/create-program.js';
import { openHarbourServer, runHere, stamp, type HarbourServer, type Ran } from './harbour-server.js';

type Command = Awaited<ReturnType<typeof createProgram>>;

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

const run = (...words: string[]): Promise<Ran> => t.runHere(words);
const listSchema = z.object({ items: z.array(z.record(z.string(), z.unknown())) });

async function list(...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await run(...words, '--json');
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return listSchema.parse(JSON.parse(stdout)).items;
}

async function say(content: string): Promise<string> {
  const { id } = await t.client.createChat('docks');
  await t.client.send('docks', id, { content });
  return id;
}

async function waiting(chat: string): Promise<string> {
  const find = async () => (await t.client.approvals('docks', { chat })).items[0]?.approvalId;
  await expect.poll(find).toBeDefined();
  return (await find()) ?? '';
}

const idle = async (chat: string): Promise<void> => {
  await expect.poll(async () => (await t.client.chat('docks', chat)).status).toBe('idle');
};

describe('everything that the browser can do', () => {
  it('[TERM3] can be done in the terminal: a command uses each method of the client', () => {
    const source = (path: string): string => readFileSync(new URL(`../../packages/${path}`, import.meta.url), 'utf8');
    const body = source('client/src/http/client.ts').split('export interface Client {')[1] ?? '';
    const calls = [...body.matchAll(/^ {2}([a-z]\w+)\(/gm)].map(([, name]) => name ?? '');
    expect(calls.length).toBeGreaterThan(30);
    const files = readdirSync(new URL('../../packages/terminal/src', import.meta.url), { recursive: true })
      .map(String)
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file));
    const all = files.map((file) => source(`terminal/src/${file}`)).join('\n');
    // Tickets, tabs and the end of a sign-in belong to browsers; events come through the client's stores, and doctor checks health.
    const elsewhere = [
      'openSession',
      'events',
      'eventBatches',
      'health',
      'forgetClient',
      'finishMcpSignIn',
      'signInWays',
      // A browser signs with passkeys, and lists one's own sessions without knowing whose they are.
      'passkeySignIn',
      'passkeyOptions',
      'registerPasskey',
      'passkeys',
      'trustPasskey',
      'removePasskey',
      'createChallenge',
      'sessions',
      'endSessions',
      'startOidcSignIn',
      // From a browser in which the person signed in, to another one.
      'linkDevice',
      'deviceLink',
      'confirmDevice',
      'endDeviceLink',
      'enter',
      // Browsers subscribe to notifications. A terminal rings (TERM8).
      'pushDevices',
      'addPushDevice',
      'removePushDevice',
      'testPushDevice',
      'setQuietHours',
      // A page follows all worlds. `approvals watch` follows each of them, with what is said in its chats.
      'queueBatches',
      // The agents on a server's computer. `gate` gates those of its own, without a server's help.
      'localAgents',
      'gateLocalAgent',
    ];
    const missing = calls.filter((name) => !new RegExp(`\\.${name}\\(`).test(all));
    expect(missing.filter((name) => !elsewhere.includes(name))).toEqual([]);
  });

  it('[TERM4] shows help for `help` and `help COMMAND` too, and names an unknown command', async () => {
    expect(await run('help')).toEqual(await run('--help'));
    expect(await run('help', 'mcp', 'add')).toEqual(await run('mcp', 'add', '--help'));
    const unknown = await run('help', 'wrolds');
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('Unknown command "wrolds". Did you mean "worlds"?');
    for (const words of [
      ['--home', '/nowhere', 'wrolds', 'list'],
      ['--json', '--port', '0', 'wrolds'],
      ['agents', '-w', 'docks', 'lits'],
    ]) {
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^countersign: Unknown command "(?:wrolds|agents lits)"\. Did you mean "(?:worlds|list)"\?/,
      );
    }
    expect((await run('agents', '-w', 'docks')).code).toBe(0);
    const port = await t.runHere(['serve'], { env: { PORT: 'eighty' } });
    expect(port).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Invalid port "eighty"') as string,
    });
  });

  it('[HTTP1] [TERM4] names the invalid field, but not the part of the request it was in', async () => {
    const name = await run('mcp', 'add', 'bad name', '-w', 'docks', '--', 'true');
    expect(name).toMatchObject({ code: 2, stdout: '' });
    expect(name.stderr).toMatch(/^countersign: name: must be 1 to 24 lowercase letters/);
    const line = await run('mcp', 'add', 'files', '-w', 'docks', '--', 'npx -y files');
    expect(line).toMatchObject({ code: 2, stdout: '' });
    expect(line.stderr).toContain('Leave out the quotes:\n  -- npx -y files\n');
    const search = await run('search', '-w', 'docks', '');
    expect(search).toMatchObject({ code: 2, stdout: '', stderr: 'countersign: q: must not be empty\n' });
    const file = await run('import', fileURLToPath(new URL('../../LICENSE', import.meta.url)));
    expect(file).toMatchObject({ code: 2, stdout: '' });
    expect(file.stderr).toMatch(/^countersign: Could not import the file ".*LICENSE": /);
  });

  it('[TERM4] every command has help with an example, and --json', async () => {
    const none = (): never => {
      throw new Error('help starts nothing');
    };
    const around = {
      console: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} },
      version: 'test',
    };
    const program = await createProgram({ ...around, servers: {} as never }, { begin: none, end: none });
    const leaves = (command: Command): Command[] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
    const helps = leaves(program).map((command) => {
      let text = '';
      command.configureOutput({ writeOut: (more) => (text += more) });
      command.outputHelp();
      return { name: command.name(), text };
    });
    expect(helps.length).toBeGreaterThan(40);
    expect(helps.filter(({ text }) => !/Examples?:\n {2}.*countersign /.test(text)).map(({ name }) => name)).toEqual(
      [],
    );
    expect(helps.filter(({ text }) => !text.includes('--json')).map(({ name }) => name)).toEqual([]);
  });

  it('[TERM3] searches, and shows tools, providers, statistics, an agent’s memory and timelines', async () => {
    const chat = await say('say "the heron stands in the reeds"');
    await idle(chat);
    expect(await list('search', 'heron', 'ree', '-w', 'docks')).toMatchObject([
      { chatId: chat, sender: 'ada' },
      { chatId: chat, sender: 'human' },
    ]);
    expect(await list('search', 'heron', '--limit', '1', '-w', 'docks')).toHaveLength(1);
    expect(await list('search', 'heron', '--all', '--limit', '1')).toMatchObject([{ worldId: 'docks' }]);
    expect((await run('search', 'pelican', '-w', 'docks')).stderr).toBe('No messages found.\n');
    expect((await list('tools', '-w', 'docks')).map(({ name }) => name)).toContain('stamp');
    expect((await run('tools', 'show', 'stmp', '-w', 'docks')).stderr).toContain('Did you mean "stamp"?');
    expect((await list('providers')).map(({ name }) => name)).toContain('scripted');
    const stats = await run('stats', '-w', 'docks', '--json');
    expect(JSON.parse(stats.stdout)).toMatchObject({ pendingApprovals: 0 });
    expect((await run('stats', '-w', 'docks')).stdout).toMatch(/^\d+ messages in \d+ chats?;/);
    const known = await list('agents', 'memory', 'ada', '-w', 'docks', '-c', chat);
    expect(known.map(({ content }) => content)).toContain('the heron stands in the reeds');
    expect(await list('chats', 'timeline', chat, '-w', 'docks')).toMatchObject([{ agentId: 'ada' }]);
    expect((await run('chats', 'timeline', chat, '-w', 'docks')).stdout).toMatch(/^ada .* s .*\n {2} *▇+ +○ /);
  });

  it('[HTTP6.5] [HTTP6.7] exports a chat to a new file, and starts a branch of it', async () => {
    const chat = await say('the heron flies');
    await idle(chat);
    const file = join(t.folder, `${chat}.json`);
    const exported = await run('chats', 'export', chat, '--format', 'json', '--out', file, '-w', 'docks');
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    const { messages } = z
      .object({ messages: z.array(z.object({ content: z.string() })) })
      .parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(messages[0]).toEqual({ content: 'the heron flies' });
    expect((await run('chats', 'export', chat, '--out', file, '-w', 'docks')).stderr).toContain('the file exists');
    expect((await run('chats', 'export', chat, '-w', 'docks')).stdout).toContain('\n> the heron flies\n');
    const { stdout } = await run('chats', 'branch', chat, '-w', 'docks', '--json');
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(stdout));
    expect((await list('chats', 'branches', id, '-w', 'docks')).map((each) => each['id'])).toEqual([chat, id]);
    expect((await run('chats', 'branch', chat, 'none', '-w', 'docks')).stderr).toContain('no such message');
  });

  it('[TERM3] shows the calls of a chat on one line each', async () => {
    const chat = await say(t.asking({ name: 'grep', arguments: { pattern: 'heron', path: '.' } }, { name: 'nosuch' }));
    await idle(chat);
    const { stdout } = await run('chats', 'show', chat, '-w', 'docks');
    expect(stdout).toContain('→ grep path: ., pattern: heron\n');
    expect(stdout).toContain('→ nosuch');
    expect(stdout).not.toContain('result\n');
  });

  it('[HTTP6] shows a stopped call as one with an unknown outcome, not as failed', async () => {
    const chat = await say(t.asking({ name: 'watch', arguments: {} }));
    await expect.poll(async () => (await run('chats', 'timeline', chat, '-w', 'docks')).stdout).toContain('● ');
    expect((await run('chats', 'stop', chat, '-w', 'docks')).code).toBe(0);
    const [{ spans = [] } = {}] = await list('chats', 'timeline', chat, '-w', 'docks');
    expect(spans).toContainEqual(expect.objectContaining({ label: 'watch', outcome: 'outcome unknown' }));
  });

  it('[TURN17.3] attaches files to a message, and shows them in the transcript', async () => {
    const file = join(t.folder, 'notes.md');
    writeFileSync(file, '# Notes');
    const words = ['chat', '-w', 'docks', '--attach', file];
    expect((await run(...words, join(t.folder, 'none.txt'), '--', 'hello')).stderr).toContain(
      'Could not read the file',
    );
    const sent = await run(...words, '--', 'hello');
    expect({ code: sent.code, stderr: sent.stderr }).toMatchObject({ code: 0 });
    const shown = await run('chats', 'show', 'last', '-w', 'docks');
    expect(shown.stdout).toContain('attached: notes.md, text/plain, 7 bytes');
    expect((await run('chat', '-w', 'docks', '--attach', '/bin/true', '--', 'x')).stderr).toContain(
      'must be a PNG, JPEG',
    );
  });

  it('[TERM3] warns about a tool that does not exist', async () => {
    const model = ['--provider', 'obedient', '--model', 'any'];
    const tools = 'stmp, watch, mcp__off__x, gre*';
    const added = await run('agents', 'add', 'Typo', '-w', 'docks', ...model, '--tools', tools);
    expect(added).toMatchObject({ code: 0 });
    expect(added.stderr).toBe(
      'Added the agent "typo" to "docks".\nWarning: there is currently no tool named "stmp". Did you mean "stamp"?\n',
    );
    const edited = await run('agents', 'edit', 'typo', '-w', 'docks', '--tools', 'unheard_of_tool');
    expect(edited.stderr).toContain('Warning: there is currently no tool named "unheard_of_tool".\n');
    expect((await run('agents', 'edit', 'typo', '-w', 'docks', '--no-active')).stderr).not.toContain('Warning');
    await run('agents', 'remove', 'typo', '-w', 'docks', '--yes');
  });

  it('[TERM1.2] [WHO1] creates a start link that signs one browser in', async () => {
    const { open } = JSON.parse((await run('open', '--json')).stdout) as { open: string };
    const [url = '', ticket = ''] = open.split('/#ticket=');
    expect(url).toBe(t.env['COUNTERSIGN_URL']);
    const browser = createClient({ url });
    expect((await browser.openSession(ticket)).session).not.toBe('');
    const printed = await run('open', '--no-open');
    expect(printed).toMatchObject({ code: 0 });
    expect(printed.stdout).toMatch(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+\/#ticket=[\w-]{43}\n$/);
  });

  it('[TERM3] [CALL7] answers questions, approves similar calls for a chat, and approves edited calls', async () => {
    const asked = await say(t.asking({ name: 'ask_human', arguments: { question: 'Which quay?', choices: [] } }));
    const question = await waiting(asked);
    expect((await run('approvals', 'approve', question, '--yes')).stderr).toContain('approvals answer');
    expect((await run('approvals', 'answer', question, 'the', 'north', 'one')).stderr).toBe('Answered.\n');
    await idle(asked);
    expect((await t.client.messages('docks', asked)).items.at(-1)?.content).toContain('the north one');

    const chat = await say(t.asking(stamp('draft')));
    const id = await waiting(chat);
    for (const wrong of [
      ['--rule', 'allow stamp'],
      ['--pattern', 'x', '--scope', 'always'],
      ['--arguments', '{"letter":"y"}', '--scope', 'session'],
      ['--host', 'example.com', '--scope', 'session'],
      ['--arguments', 'no json'],
    ])
      expect(await run('approvals', 'approve', id, '--yes', ...wrong)).toMatchObject({ code: 2, stdout: '' });
    expect((await run('approvals', 'answer', id, 'yes')).code).toBe(2);
    expect(t.runs).toEqual([]);
    const shown = await run('approvals', 'approve', id, '--arguments', '{"letter":"final"}');
    expect(shown.stdout).toContain('letter: final');
    expect(shown.stdout).not.toContain('letter: draft');
    expect(t.runs).toEqual([]);
    expect(await run('approvals', 'approve', await waiting(chat), '--yes')).toMatchObject({ code: 0 });
    await idle(chat);
    expect(t.runs).toEqual(['final']);
    expect(await list('policy', 'matches', 'allow stamp', '-w', 'docks', '-c', chat)).toMatchObject([
      { toolName: 'stamp' },
    ]);
    expect(await list('policy', 'matches', 'allow grep', '-w', 'docks')).toEqual([]);
    const replayed = await run('policy', 'replay', '-w', 'docks', '--add', 'deny stamp', '--since', '1d');
    expect(replayed.stdout).toMatch(/^\d+ calls? judged again\. Questions: \d+ then, 0 with these rules\.$/m);
    expect(replayed.stdout).toContain('would have been denied although approved:');
    expect(await list('policy', 'suggest', '-w', 'docks')).toEqual([]);
    expect((await run('stats', '--questions', '-w', 'docks')).stdout).toMatch(
      /^\d+ questions? in 30 days: .*[^]*^TOOL +QUESTIONS/m,
    );
    expect(await run('policy', 'replay', '-w', 'docks', '--remove', 'no rule')).toMatchObject({ code: 2, stdout: '' });
    // [SIGN1.10] Who signed. The wait may have been for someone else.
    expect((await run('stats', '-w', 'docks')).stdout).toMatch(/^SIGNED BY +APPROVED +DENIED\n\S.* 2 +0$/m);
    // The token decided, so nothing is counted for the owner.
    const own = JSON.parse((await run('stats', '-w', 'docks', '--person', 'owner', '--json')).stdout) as Stats;
    expect(own).toMatchObject({ approvals: [], waiting: { count: 0 }, signers: [{ approved: 2 }] });
    expect(await run('stats', '-w', 'docks', '--person', 'nobody')).toMatchObject({ code: 2, stdout: '' });
    expect((await run('chats', 'timeline', chat, '-w', 'docks')).stdout).toMatch(/waiting for a decision: .* by \S/);
  });

  it('[TERM3] [LOG1] adds and removes single rules, and reads the log of a deleted world', async () => {
    expect((await run('policy', 'add', 'deny stamp(letter=rude*)', '-w', 'docks')).stderr).toContain('1 rule now');
    expect((await run('policy', 'add', 'deny stamp(letter=rude*)', '-w', 'docks')).stderr).toContain('1 rule now');
    expect((await run('policy', 'remove', 'deny stmp', '-w', 'docks')).code).toBe(2);
    expect((await run('policy', 'remove', 'deny stamp(letter=rude*)', '-w', 'docks')).stderr).toContain('0 rules now');
    const rules = await t.runHere(['policy', 'edit', '-w', 'docks', '--file', '-'], { input: 'ask stamp\n' });
    expect(rules.stderr).toContain('1 rule now');
    expect((await list('audit', '-w', 'docks', '--kind', 'policy', '--find', 'ask stamp')).length).toBeGreaterThan(0);
    expect(await list('policy', 'uses', '-w', 'docks')).toMatchObject([{ rule: 'ask stamp', used: 0, added: {} }]);
    expect(await list('audit', '-w', 'docks', '--agent', 'nobody')).toEqual([]);
    const edit = ['--max-iterations', '3', '--max-parallel', '2', '--no-streaming', '--main-agent', 'Ada'];
    expect((await run('worlds', 'edit', 'docks', ...edit)).code).toBe(0);
    expect((await t.client.world('docks')).value).toMatchObject({
      maxIterations: 3,
      maxParallelTools: 2,
      streaming: false,
      mainAgent: 'ada',
    });
    const stranger = await run('worlds', 'edit', 'docks', '--main-agent', 'Adda');
    expect(stranger).toMatchObject({ code: 2, stderr: 'countersign: There is no agent "Adda". Did you mean "ada"?\n' });
    expect((await run('worlds', 'edit', 'docks', '--main-agent', 'none')).code).toBe(0);
    expect((await t.client.world('docks')).value).not.toHaveProperty('mainAgent');
    await t.client.createWorld({ name: 'Brief' });
    await t.client.deleteWorld('brief');
    expect((await list('audit', '-w', 'brief')).length).toBeGreaterThan(0);
    expect((await run('audit', 'verify', '-w', 'brief')).stdout).toMatch(/^brief: intact/);
    expect((await run('audit', 'list', '-w', 'breif')).code).toBe(2);
  });

  it('[TERM3.2] mcp add starts the server and reports its tools, and keeps a server that does not start', async () => {
    const fixture = fileURLToPath(new URL('../mcp/fixtures/hostile-server.mjs', import.meta.url));
    await t.client.createAgent('docks', { name: 'Bea', provider: 'obedient', model: 'any', tools: ['stamp'] });
    const added = await run('mcp', 'add', 'zoo', '-w', 'docks', '--', process.execPath, fixture);
    expect(added).toMatchObject({ code: 0, stdout: '' });
    expect(added.stderr).toMatch(/Added "zoo" to "docks"\. It is running and offers \d+ tools\./);
    expect(added.stderr).toContain('Its tools need approval unless a rule allows them.');
    expect(added.stderr).toContain('\nSandbox: none: no command runs here\n');
    const limited = await run('mcp', 'edit', 'zoo', '-w', 'docks', '--allow-host', 'a.example');
    expect(limited).toMatchObject({ code: 1 });
    expect(limited.stderr).toContain("without a sandbox, a server can't be limited to hosts (no command runs here)");
    expect((await run('mcp', 'edit', 'zoo', '-w', 'docks', '--no-network')).code).toBe(0);
    // An agent doesn't get the tools of a new server by itself, unless it has all tools.
    expect(added.stderr).toContain('countersign agents edit bea -w docks --tools "stamp,mcp__zoo__*"');
    expect(added.stderr).not.toContain('agents edit ada');
    await t.client.deleteAgent('docks', 'bea');
    expect((await run('agents', 'edit', '--help')).stdout).toContain("replaces the agent's list");
    const listed = (await run('tools', 'list', '-w', 'docks')).stdout.split('\n');
    expect(listed[0]).toMatch(/^NAME +APPROVAL +/i);
    // The server's own annotations are ignored, and a tool of the world itself needs no approval unless it asks for one.
    expect(listed.find((line) => line.includes('mcp__zoo__lies'))).toMatch(/mcp__zoo__lies +yes +no /);
    expect(listed.find((line) => line.includes('read_file'))).toMatch(/read_file +no /);
    expect(listed.find((line) => line.startsWith('stamp '))).toMatch(/stamp +yes /);

    const failed = await run('mcp', 'add', 'gone', '-w', 'docks', '--', 'sh', '-c', 'echo no disk >&2');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/Added "gone" to "docks", but it did not start: .*no disk/);
    expect(failed.stderr).toContain('It stays in the list and remains enabled.');
    expect(failed.stderr).toContain('countersign mcp edit gone -w docks');
    const json = await run('mcp', 'add', 'off', '-w', 'docks', '--no-enabled', '--json', '--', 'true');
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'off', status: 'off' });
    for (const name of ['zoo', 'gone', 'off']) await run('mcp', 'remove', name, '-w', 'docks', '--yes');
  });

  it('[TERM3.3] [MCP4.3] mcp login opens the sign-in page and waits for the browser, and mcp logout signs out', async () => {
    const oauth = await startOAuthServers();
    const added = await run('mcp', 'add', 'tides', '-w', 'docks', '--server-url', oauth.url);
    expect(added.code).toBe(1);
    expect(added.stderr).toContain('It needs a sign-in before it can start.\nThis server requires a sign-in. Run:');
    expect((await run('mcp', 'list', '-w', 'docks')).stdout).toMatch(/tides +needs sign-in/);
    expect(added.stderr).toContain('countersign mcp login tides -w docks');
    /** The browser comes back with an answer, like the page at `/oauth/callback`. */
    const logIn = (answer: (parameters: Record<string, string>) => object): Promise<Ran> =>
      runHere(
        ['mcp', 'login', 'tides', '-w', 'docks'],
        { env: t.env },
        {
          openBrowser: async (url) => {
            const { searchParams, pathname } = await oauth.signIn(url);
            const callback = pathname.split('/').at(-1);
            const body = JSON.stringify({ ...answer(Object.fromEntries(searchParams)), callback });
            const headers = { 'content-type': 'application/json' };
            await fetch(`${t.client.url}/api/mcp-sign-ins`, { method: 'POST', headers, body });
          },
        },
      );
    const denied = await logIn(({ state }) => ({ state, error: 'access_denied' }));
    expect(denied.code).toBe(1);
    expect(denied.stderr).toContain('the authorization server denied the sign-in (access_denied)');
    const done = await logIn((parameters) => parameters);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(`to sign in to "tides" at ${new URL(oauth.issuer).host}`);
    expect(done.stderr).toContain('Signed in to "tides" in "docks". It is running and offers 1 tool.');
    for (const secret of oauth.secrets) expect(done.stderr + done.stdout).not.toContain(secret);
    const out = await run('mcp', 'logout', 'tides', '-w', 'docks');
    expect(out).toMatchObject({ code: 0, stderr: 'Signed out of "tides".\n' });
    const manual = await startOAuthServers({ registers: false });
    await run('mcp', 'edit', 'tides', '-w', 'docks', '--server-url', manual.url);
    const needed = await run('mcp', 'login', 'tides', '-w', 'docks');
    expect(needed.code).toBe(1);
    expect(needed.stderr).toContain(`Register one there with the redirect URL ${t.client.url}/oauth/callback`);
    await run('mcp', 'remove', 'tides', '-w', 'docks', '--yes');
  });

  itAtFullSize('[TERM3.2] mcp edit and mcp restart start the server and report its tools, like mcp add', async () => {
    const fixture = fileURLToPath(new URL('../mcp/fixtures/hostile-server.mjs', import.meta.url));
    const dies = ['sh', '-c', 'echo no disk >&2; exit 5'];
    const add = ['mcp', 'add', 'ark', '-w', 'docks', '--no-enabled', '--', ...dies];
    expect((await run(...add)).code).toBe(0);
    const edit = (...words: string[]): ReturnType<typeof run> => run('mcp', 'edit', 'ark', '-w', 'docks', ...words);
    const failed = await edit('--enabled');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain(
      'Updated "ark" in "docks", but it did not start: no disk (it exited with code 5)\nIt stays in the list and remains enabled.',
    );
    const again = await run('mcp', 'restart', 'ark', '-w', 'docks');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('Restarted "ark" in "docks", but it did not start: no disk');
    const tested = await run('mcp', 'test', 'ark', '-w', 'docks');
    expect(tested).toMatchObject({ code: 1, stdout: '' });
    expect(tested.stderr).toContain('Tested "ark", but it did not start: no disk');
    expect((await run('mcp', 'log', 'ark', '-w', 'docks')).stdout).toContain('no disk\n');
    const mended = await edit('--', process.execPath, fixture);
    expect(mended).toMatchObject({ code: 0, stdout: '' });
    expect(mended.stderr).toMatch(/Updated "ark" in "docks"\. It is running and offers \d+ tools\./);
    expect(mended.stderr).toContain('\n  mcp__ark__quiet');
    expect((await run('mcp', 'test', 'ark', '-w', 'docks')).code).toBe(0);
    const json = await edit('--trusted', '--folder', '/usr/share', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: 'ark',
      status: 'running',
      trusted: true,
      folders: ['/usr/share'],
    });
    expect((await edit('--no-folder', '--env', 'NAMELESS')).code).toBe(2);
    expect((await edit('--no-enabled')).stderr).toContain('Updated "ark" in "docks". It is disabled.');
    await run('mcp', 'remove', 'ark', '-w', 'docks', '--yes');
  });

  it('[SAFE1.2] [SAFE1.3] refuses ~/.ssh as a working folder, even through a symlink, and runs nothing in a working folder replaced by such a symlink', async () => {
    vi.stubEnv('HOME', t.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const keys = join(t.folder, '.ssh');
    const link = join(t.folder, 'harmless');
    mkdirSync(keys);
    symlinkSync(keys, link);
    writeFileSync(join(keys, 'id_ed25519'), 'the key');
    const before = (await t.client.worlds()).items;
    for (const folder of [keys, link]) {
      const why = `the working folder ${folder} contains or is inside ~/.ssh, a folder for keys and passwords that agents must not reach; choose another`;
      const added = await run('worlds', 'add', 'Keys', '--folder', folder);
      expect(added).toMatchObject({ code: 2, stdout: '' });
      expect(added.stderr).toContain(why);
      expect((await run('worlds', 'edit', 'docks', '--folder', folder)).code).toBe(2);
      const refused = { status: 422, field: 'workingDirectory', detail: why };
      await expect(t.client.createWorld({ name: 'Keys', workingDirectory: folder })).rejects.toMatchObject(refused);
    }
    expect((await t.client.worlds()).items).toEqual(before);

    // This was an ordinary folder when the world was created.
    const place = join(t.folder, 'place');
    mkdirSync(place);
    const { id } = await t.client.createWorld({ name: 'Older', workingDirectory: place });
    await t.client.createAgent(id, { name: 'Bob', provider: 'obedient', model: 'any', tools: ['*'] });
    rmSync(place, { recursive: true });
    symlinkSync(keys, place);
    const { id: chat } = await t.client.createChat(id);
    await t.client.send(id, chat, {
      content: t.asking({ name: 'read_file', arguments: { path: 'id_ed25519' } }),
    });
    const said = async (): Promise<string> => JSON.stringify((await t.client.messages(id, chat)).items);
    await expect.poll(said).toContain('~/.ssh, a folder for keys and passwords');
    expect(await said()).not.toContain('the key');
    expect((await run('worlds', 'show', id)).code).toBe(0);
    await t.client.deleteWorld(id);
  });

  itAtFullSize('[HTTP11.4] prints the prompts and resources of an MCP server', async () => {
    await t.client.addMcpServer('docks', stdio('everything', { name: 'all' }));
    const listed = await run('mcp', 'context', 'all', '-w', 'docks');
    expect(listed.stdout).toMatch(/prompt +args-prompt\(city, state\?\)/);
    expect(listed.stdout).toMatch(/resource +\S+:\/\//);
    const prompt = await run('mcp', 'prompt', 'all', 'args-prompt', '-w', 'docks', '--arg', 'city=Paris');
    expect(prompt).toMatchObject({ code: 0, stdout: expect.stringContaining('Paris') as string });
    expect((await run('mcp', 'prompt', 'all', 'nothing', '-w', 'docks')).code).not.toBe(0);
    const [resource] = (await t.client.mcpContext('docks', 'all')).resources;
    const read = await run('mcp', 'resource', 'all', resource?.uri ?? '', '-w', 'docks', '--json');
    expect(JSON.parse(read.stdout)).toMatchObject({ text: expect.any(String) as string });
    await run('mcp', 'remove', 'all', '-w', 'docks', '--yes');
  });

  it('[HTTP11.2] [HTTP11.3] imports servers from other programs: disabled, with prompts for missing values', async () => {
    const file = join(t.folder, 'mcp.json');
    const servers = {
      notes: { command: 'npx', args: ['-y', 'notes'], env: { KEY: '${input:key}', PATH_OF: '${env:PATH}' } },
      wiki: { type: 'http', url: 'https://wiki.example/mcp' },
    };
    writeFileSync(file, JSON.stringify({ inputs: [{ id: 'key', description: 'API key' }], servers }));
    const bring = (...words: string[]): ReturnType<typeof run> => run('mcp', 'import', file, '-w', 'docks', ...words);
    const asked = await bring('--value', 'input:key=abc');
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--value env:PATH=VALUE');
    expect((await bring('--value', 'other=1')).code).toBe(2);
    expect((await t.client.mcpServers('docks')).items.filter(({ name }) => name in servers)).toEqual([]);
    const done = await bring('--value', 'input:key=abc', '--value', 'env:PATH=/bin');
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('\n  countersign mcp edit notes -w docks --enabled\n');
    expect(done.stderr).toContain('Imported 2 servers into "docks", disabled and without network access:');
    expect((await t.client.mcpServer('docks', 'notes')).value).toMatchObject({
      status: 'off',
      enabled: false,
      trusted: false,
      network: false,
      env: ['KEY', 'PATH_OF'],
    });
    expect((await bring()).stderr).toContain('"wiki" was skipped');
    writeFileSync(file, '{ "servers": { "bad": {} } }');
    expect((await bring()).stderr).toContain('has neither a command nor a URL');
    // Too large for the server: each argument is valid, but not all of them in one request.
    const large = { command: 'npx', args: Array.from({ length: 1000 }, () => '${input:long}') };
    writeFileSync(file, JSON.stringify({ servers: { small: { command: 'true' }, large } }));
    const stopped = await bring('--value', `input:long=${'x'.repeat(20_000)}`);
    expect(stopped.code).not.toBe(0);
    expect(stopped.stderr).toMatch(/Could not add the server "large": .+\. Added before the error: small\./);
    for (const name of ['notes', 'wiki', 'small']) await run('mcp', 'remove', name, '-w', 'docks', '--yes');
  });

  it('[MCP2.3] a secret in arguments or a URL is converted by the import, and named by `mcp add` and `edit`', async () => {
    const file = join(t.folder, 'secrets.json');
    const servers = {
      db: { command: 'db-server', args: ['--token', 'hush-1'] },
      web: { url: 'https://web.example/mcp?api_key=hush-2' },
    };
    writeFileSync(file, JSON.stringify({ servers }));
    expect((await run('mcp', 'import', file, '-w', 'docks')).code).toBe(0);
    const shown = async (name: string) => (await t.client.mcpServer('docks', name)).value;
    expect(await shown('db')).toMatchObject({ args: ['--token', '${TOKEN}'], env: ['TOKEN'] });
    expect(await shown('web')).toMatchObject({
      url: 'https://web.example/mcp?api_key=${API_KEY}',
      headers: ['API_KEY'],
    });
    const add = (...words: string[]): ReturnType<typeof run> =>
      run('mcp', 'add', 'open', '-w', 'docks', '--no-enabled', ...words);
    expect((await add('--', 'db-server', '--token', 'hush-3')).stderr).toContain(
      "Write '${TOKEN}' in its place and add --env TOKEN",
    );
    const better = await run('mcp', 'edit', 'open', '-w', 'docks', '--env', 'TOKEN=x', '--', 'db-server', '${TOKEN}');
    expect(better.code).toBe(0);
    expect(better.stderr).not.toContain('Warning');
    const url = await run('mcp', 'edit', 'web', '-w', 'docks', '--server-url', 'https://web.example/mcp?key=hush-4');
    expect(url.stderr).toContain("Write '${KEY}' in its place and add --header KEY");
    for (const name of ['db', 'web', 'open']) await run('mcp', 'remove', name, '-w', 'docks', '--yes');
  });

  it('[HTTP11.2] an endless or oversized file is refused', async () => {
    for (const words of [
      ['mcp', 'import', '/dev/zero', '-w', 'docks'],
      ['import', '/dev/zero'],
    ]) {
      const refused = await run(...words);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('it is larger than 10 MB');
    }
  });

  itAtFullSize(
    '[TERM3] restarts an MCP server, and changes one of its variables without losing the others',
    async () => {
      const add = ['mcp', 'add', 'files', '-w', 'docks', '--no-enabled', '--env', 'A=1', '--env', 'B=2', '--', 'true'];
      expect((await run(...add)).code).toBe(0);
      expect((await run('mcp', 'restart', 'files', '-w', 'docks')).stderr).toContain('--enabled');
      expect((await run('mcp', 'edit', 'files', '-w', 'docks', '--env', 'C=3', '--unset', 'A')).code).toBe(0);
      expect((await t.client.mcpServer('docks', 'files')).value.env).toEqual(['B', 'C']);
      expect((await run('mcp', 'edit', 'files', '-w', 'docks', '--unset', 'Z')).code).toBe(2);
      const other = await run('mcp', 'edit', 'files', '-w', 'docks', '--', 'false', 'x');
      expect(other.code).not.toBe(0);
      expect(other.stderr).toContain('env.B: enter the value again, because a different command would receive it');
      const again = ['--env', 'B=2', '--env', 'C=3', '--', 'false', 'x'];
      expect((await run('mcp', 'edit', 'files', '-w', 'docks', ...again)).code).toBe(0);
      expect((await t.client.mcpServer('docks', 'files')).value).toMatchObject({
        command: 'false',
        args: ['x'],
        env: ['B', 'C'],
      });
    },
  );
});
