import { describe, expect, it } from 'vitest';
import { addToClaude, gapInClaude, projectGapInClaude, removeFromClaude } from './claude-settings.js';
import { HARMLESS_VARIABLES } from './harmless-variables.js';

const command = "'/usr/bin/node' '/opt/countersign' gate hook --agent claude";
const file = 'settings.json';
const add = (text: string | undefined): string => addToClaude(text, { command, waitSeconds: 600, file });
const gap = (text: string | undefined): string | undefined => gapInClaude(text, { command, file });

interface Settings {
  permissions: { ask: string[]; allow?: string[]; defaultMode?: string; disableBypassPermissionsMode?: string };
  hooks: Record<string, { hooks: { command: string }[] }[]>;
  [key: string]: unknown;
}
const parse = (text: string): Settings => JSON.parse(text) as Settings;

describe('the settings of Claude Code', () => {
  it('[GATE1] shows where people decide while a call waits', () => {
    const written = addToClaude(undefined, {
      command,
      waitSeconds: 600,
      page: 'http://localhost:4747/inbox',
      file,
    });
    expect(JSON.parse(written)).toMatchObject({
      hooks: { PreToolUse: [{ hooks: [{ statusMessage: expect.stringContaining('4747/inbox') as string }] }] },
    });
  });

  it('asks for every call, and runs the hook for each event', () => {
    const settings = parse(add(undefined));
    expect(settings.permissions).toEqual({ ask: ['*'], disableBypassPermissionsMode: 'disable' });
    expect(Object.keys(settings.hooks)).toEqual([
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'PostToolUseFailure',
      'UserPromptSubmit',
      'Stop',
      'SubagentStart',
      'SubagentStop',
      'SessionEnd',
    ]);
    expect(gap(add(undefined))).toBeUndefined();
  });

  it('[GATE1.7] runs the hook without a shell, in which variables of a project could run another program', () => {
    const line = `NODE_OPTIONS= '/usr/bin/node' '/o'\\''brien/countersign' gate hook --agent claude --id 1`;
    const written = addToClaude(undefined, { command: line, waitSeconds: 600, file });
    const args = "NODE_OPTIONS= /usr/bin/node /o'brien/countersign gate hook --agent claude --id 1".split(' ');
    for (const groups of Object.values(parse(written).hooks))
      expect(groups).toMatchObject([{ hooks: [{ command: '/usr/bin/env', args }] }]);
    expect(gapInClaude(written, { command: line, file })).toBeUndefined();
    // A hook of the same program with other arguments is another hook.
    const opened = written.replace(
      '"PermissionRequest": [',
      '"PermissionRequest": [{"hooks":[{"command":"/usr/bin/env","args":["yes"]}]},',
    );
    expect(gapInClaude(opened, { command: line, file })).toContain('(/usr/bin/env yes)');
    expect(JSON.parse(removeFromClaude(written, undefined, file))).not.toHaveProperty('hooks');
  });

  it('keeps unknown keys, other hooks, allow rules, indentation and the end of the file', () => {
    const mine = {
      model: 'opus',
      permissions: { allow: ['Bash(ls)'], ask: ['Read'] },
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] }] },
    };
    const before = JSON.stringify(mine, null, 4);
    const after = add(before);
    expect(after).toContain('\n    "model": "opus"');
    expect(after.endsWith('}')).toBe(true);
    expect(parse(after).permissions).toMatchObject({ allow: ['Bash(ls)'], ask: ['*', 'Read'] });
    expect(parse(after).hooks['PreToolUse']?.map(({ hooks }) => hooks[0]?.command)).toEqual(['lint', '/usr/bin/env']);
    expect(removeFromClaude(after, { text: before }, file)).toBe(before);
  });

  it.each(['dontAsk', 'bypassPermissions'])('replaces the mode %s, and restores it', (defaultMode) => {
    const before = JSON.stringify({ permissions: { defaultMode } }, null, 2);
    expect(parse(add(before)).permissions.defaultMode).toBe('default');
    expect(removeFromClaude(add(before), { text: before }, file)).toBe(before);
  });

  it('keeps other modes, which ask for "*" as well', () => {
    expect(parse(add('{"permissions":{"defaultMode":"plan"}}')).permissions.defaultMode).toBe('plan');
  });

  it('replaces the hook of an earlier installation', () => {
    const other = "'/old/node' '/old/countersign' gate hook --agent claude";
    const once = addToClaude(undefined, { command: other, waitSeconds: 600, file });
    expect(gap(once)).toBe("settings.json doesn't run the hook of this installation. Install the gate again.");
    expect(add(once)).toBe(add(undefined));
    expect(add(add(undefined))).toBe(add(undefined));
  });

  it('removes only its own parts from a file that changed in the meantime', () => {
    const changed = add('{}\n').replace('"ask": [', '"deny": ["WebFetch"],\n    "ask": [');
    expect(JSON.parse(removeFromClaude(changed, { text: '{}\n' }, file))).toEqual({
      permissions: { deny: ['WebFetch'] },
    });
  });

  it.each([
    ['// mine\n{}', 'settings.json contains comments'],
    ['{"a": "http://x" /* why */}', 'settings.json contains comments'],
    ['{"a": "http://x",}', 'settings.json is not valid JSON'],
    ['[]', 'settings.json must contain a JSON object'],
    ['{"hooks":[]}', '"hooks" in settings.json must be an object'],
    ['{"permissions":{"ask":"*"}}', '"ask" in settings.json must be a list'],
    ['{"disableAllHooks":true}', '"disableAllHooks" in settings.json turns hooks off'],
    [
      '{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"yes.sh"}]}]}}',
      'settings.json has another hook for PermissionRequest (yes.sh)',
    ],
  ])('refuses %s', (text, sentence) => {
    expect(() => add(text)).toThrow(sentence);
  });

  it('finds each change that opens the gate', () => {
    const good = add(undefined);
    expect(gap(undefined)).toContain("doesn't run the hook");
    expect(gap(good.replace('"*"\n', '"Bash"\n'))).toBe('"permissions.ask" in settings.json is not ["*"].');
    expect(gap(good.replace('"disable"', '"no"'))).toContain('disableBypassPermissionsMode');
    expect(gap(good.replace('"PermissionRequest"', '"Other"'))).toContain("doesn't run the hook");
    expect(gap(good.replace('"matcher": "*"', '"matcher": "Bash"'))).toContain("doesn't run the hook");
    expect(gap(good.replace('{', '{"disableAllHooks": true,'))).toContain('disableAllHooks');
    const similar = '{"type": "command", "command": "yes.sh gate hook --agent claude"}';
    const opened = good.replace('"PermissionRequest": [', `"PermissionRequest": [{"hooks": [${similar}]},`);
    expect(gap(opened)).toContain('another hook for PermissionRequest (yes.sh');
    expect(gap(add(opened))).toBeUndefined();
  });
});

describe('the variables of a project', () => {
  const gapOf = (env: unknown): string | undefined => projectGapInClaude(JSON.stringify({ env }), file, []);

  it('[GATE1.5] may be harmless ones, with plain values', () => {
    for (const name of HARMLESS_VARIABLES)
      for (const value of ['', '1', 'Europe/Berlin', 'C.UTF-8', 'claude-opus-4-1[1m]', 60_000, true])
        expect([name, gapOf({ [name]: value })]).toEqual([name, undefined]);
    expect(gapOf({})).toBeUndefined();
  });

  it.each([
    ...[
      'PATH',
      'NODE_OPTIONS',
      'NODE_PATH',
      'NODE_EXTRA_CA_CERTS',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'DYLD_INSERT_LIBRARIES',
    ],
    ...[
      'GCONV_PATH',
      'LANG',
      'LC_ALL',
      'LOCPATH',
      'TZDIR',
      'BASH_ENV',
      'ENV',
      'SHELL',
      'HOME',
      'GIT_DIR',
      'GIT_SSH_COMMAND',
      'PAGER',
    ],
    ...['CLAUDE_CODE_SHELL_PREFIX', 'CLAUDE_PROJECT_DIR', 'CLAUDE_CONFIG_DIR', 'ANTHROPIC_BASE_URL', 'HTTPS_PROXY'],
    ...['COUNTERSIGN_HOME', 'node_env', 'TZ ', '__proto__x', 'constructor', 'toString'],
  ])('[GATE1.5] are refused by name: %s', (name) => {
    expect(gapOf({ NODE_ENV: 'test', [name]: '1' })).toContain(`sets ${name}.`);
  });

  it.each(['/tmp/yes.so', ':/tmp/zone', '../zone', 'a/../b', 'a\nb', 'x'.repeat(201), null, ['a'], { a: 1 }])(
    '[GATE1.5] are refused with the value %j',
    (value) => expect(gapOf({ TZ: value })).toContain('sets TZ.'),
  );
});
