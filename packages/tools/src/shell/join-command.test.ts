import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { joinCommand, whyNoParameters } from './join-command.js';

describe('joinCommand', () => {
  it('[TURN15.2] bash reads any parameter back as a single word', () => {
    const word = fc.oneof(
      fc.string({
        unit: fc.constantFrom(`'`, '"', '\\', '$', '`', '(', ')', ' ', '\n', '*', '~', '#', '!', '{', 'a', 'é'),
      }),
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
    );
    // Runs all of them in one shell: a shell for each would take minutes.
    const words = fc.sample(word, { numRuns: scaled(500), seed: 7 });
    const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', joinCommand(`printf '%s\\0'`, words)], {
      encoding: 'utf8',
    });
    expect(stdout.split('\0').slice(0, -1)).toEqual(words);
  });

  it.each([
    `echo '`,
    'echo "',
    'echo \\',
    'echo # comment',
    'ls; #',
    'echo `',
    'echo $(',
    'echo "$(echo "',
    'echo "${x:-"',
    `echo $'a\\'`,
    'cat <<E\n',
    'cat <(',
    '((',
  ])('[TURN15.2] refuses parameters after %j, where they would not be literal', (command) => {
    expect(whyNoParameters(command)).toContain('put everything into command');
  });

  it.each(['ls', `grep 'a b' "c#d" e#f`, `echo "it's"`, 'a && b | c;', 'echo \\"', 'echo "$HOME"', `sed -e 's/#/x/'`])(
    '[TURN15.2] after %j a parameter is a literal',
    (command) => {
      expect(whyNoParameters(command)).toBeUndefined();
    },
  );

  it('[TURN15.2] never runs part of a parameter after a command that accepts parameters', () => {
    const piece = fc.constantFrom(
      `'`,
      '"',
      '\\',
      '$',
      '`',
      '(',
      ')',
      '<',
      '#',
      ' ',
      ';',
      '&',
      '|',
      'echo',
      'a',
      '=',
      '{',
      '}',
      '[',
      '\n',
      '~',
    );
    const commands = fc.sample(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      { numRuns: scaled(3_000, 600), seed: 11 },
    );
    const attacks = [
      '; touch /made; #',
      `' touch /made '`,
      '$(touch /made)',
      '`touch /made`',
      '; touch /made',
      '" ; touch /made; "',
      '\n touch /made \n',
    ];
    const texts = commands
      .filter((command) => command.trim() !== '' && whyNoParameters(command) === undefined)
      .slice(0, scaled(150, 30))
      .flatMap((command) => attacks.map((attack) => joinCommand(command, [attack])));
    expect(texts).toHaveLength(scaled(150, 30) * attacks.length);
    // `touch` is a function that prints, so we notice if part of a parameter runs.
    const script = `touch() { echo RAN >&3; }; for text; do (eval "$text") 3>&1 < /dev/null > /dev/null 2>&1; done`;
    const said = (...all: string[]): string =>
      spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', script, 'bash', ...all], {
        encoding: 'utf8',
        env: { PATH: '/nowhere' },
      }).stdout;
    expect(said(joinCommand(`echo '`, ['; touch /made; #']))).toContain('RAN');
    expect(said(...texts)).toBe('');
  });
});
