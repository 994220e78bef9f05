import { expect, it } from 'vitest';
import { defaultTools } from './default-tools.js';

it('[A1] read-only tools and questions run without approval; all other built-in tools need it', () => {
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

it('[A47] each tool reports how its calls run: only commands are sandboxed, and web_fetch uses the network', () => {
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
