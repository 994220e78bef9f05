import { expect, it } from 'vitest';
import { defaultTools } from './default-tools.js';
import { findSandbox } from './sandbox/find-sandbox.js';
import { refuseHosts } from './sandbox/gateway/refuse-hosts.js';
import { shellCmd } from './shell/shell-cmd.js';

it('[CALL1] read-only tools and questions run without approval; all other built-in tools need it', () => {
  const tools = defaultTools({ shell: { sandbox: { kind: 'none', reason: 'a test' }, hide: [] } });
  const table = tools.map(({ definition: { name, approval, readOnly }, trusted }) => [
    name,
    readOnly === true ? 'reads' : 'acts',
    approval?.required === true ? 'approval' : 'no approval',
    trusted,
  ]);
  expect(table).toEqual([
    ['read_file', 'reads', 'no approval', true],
    ['list_files', 'reads', 'no approval', true],
    ['grep', 'reads', 'no approval', true],
    ['write_file', 'acts', 'approval', true],
    ['edit_file', 'acts', 'approval', true],
    ['shell_cmd', 'acts', 'approval', true],
    ['web_fetch', 'acts', 'approval', true],
    ['ask_human', 'reads', 'no approval', true],
    ['send_message', 'acts', 'approval', true],
    ['create_agent', 'acts', 'approval', true],
  ]);
});

it('[CALL20] each tool reports how its calls run: only commands are sandboxed, and web_fetch uses the network', () => {
  const opened = { folders: ['/opt/lib'], hosts: ['a.example'], anyHost: false, privateHosts: [] };
  const kept = { kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec' } as const;
  const tools = defaultTools({ shell: { sandbox: kept, hide: [] } });
  const facts = tools.map((tool) => {
    const { kind, network, hosts, readable } = tool.sandbox?.(opened) ?? {};
    return [tool.definition.name, kind, network, hosts, readable];
  });
  expect(facts).toEqual([
    ['read_file', 'in-process', 'none', [], []],
    ['list_files', 'in-process', 'none', [], []],
    ['grep', 'in-process', 'none', [], []],
    ['write_file', 'in-process', 'none', [], []],
    ['edit_file', 'in-process', 'none', [], []],
    ['shell_cmd', 'sandbox-exec', 'listed', ['a.example'], ['/opt/lib']],
    ['web_fetch', 'in-process', 'public', [], []],
    ['ask_human', 'in-process', 'none', [], []],
    ['send_message', 'in-process', 'none', [], []],
    ['create_agent', 'in-process', 'none', [], []],
  ]);
});

it('[CHANGE8.6] a call can name all hosts that a rehearsal records', async () => {
  const refused = refuseHosts();
  for (let host = 0; host < 100; host += 1)
    await refused.outside.network.resolve(`h${host}.example`).catch(() => undefined);
  expect(refused.tried().length).toBeGreaterThan(1);
  const tool = shellCmd({ sandbox: { kind: 'none', reason: 'a test' } });
  expect(tool.validate({ command: 'curl', hosts: [...refused.tried()] })).toMatchObject({ ok: true });
});

it('[LIB1.5] without a sandbox, they say what is missing and how to get it', () => {
  const advice = 'Pass the result of findSandbox(), as in shellCmd({ sandbox: await findSandbox() })';
  const none = (...given: unknown[]) => shellCmd(...(given as Parameters<typeof shellCmd>));
  expect(() => none()).toThrow(`shellCmd: sandbox is missing. ${advice}`);
  expect(() => none({ timeoutMs: 5 })).toThrow(`shellCmd: sandbox is missing. ${advice}`);
  expect(() => none({ sandbox: 'bwrap' })).toThrow(`shellCmd: sandbox is not a sandbox. ${advice}`);
  expect(() => none({ sandbox: findSandbox() })).toThrow(`shellCmd: sandbox is a promise. ${advice}`);
  expect(() => defaultTools(...([] as unknown as Parameters<typeof defaultTools>))).toThrow(
    `defaultTools: shell: sandbox is missing. ${advice}`,
  );
});
