import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { plainLine } from '../../text/plain-text.js';
import { verifyHelp as help } from '../../words/help-decide.js';
import { withHelp } from '../../words/help.js';
import { commitWords as words, receiptWords } from '../../words/receipts.js';
import type { Register } from '../register.js';

/** `countersign verify` (RUN29). */
export function addVerify(program: Command, register: Register): void {
  const command = withHelp(program.command('verify').argument('<range>'), help)
    .requiredOption('--keys <file>', help.keys)
    .option('--require-passkey', help.requirePasskey);
  register<{ keys: string; requirePasskey?: boolean }>(command, async (context, { args: [range = ''], options }) => {
    const keys = readKeys(options.keys);
    const how = { keys, requirePasskey: options.requirePasskey === true };
    const items = await context.servers.verifyCommits(process.cwd(), range, how).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const isLine = /^\d+$/.test(reason);
      const text = isLine ? receiptWords.notAKey(`${options.keys}:${reason}`) : words.cannotVerify(plainLine(reason));
      throw new CommandError(text, EXIT.failed);
    });
    const wrong = items.filter(({ problem }) => problem !== undefined);
    const ok = items.length > 0 && wrong.length === 0;
    if (context.options.json) context.json({ ok, items });
    else {
      for (const { commit, subject, problem } of wrong)
        context.say(
          plainLine(`${commit.slice(0, 12)} ${subject}: ${problem === undefined ? '' : words.problems[problem]}`),
        );
      if (items.length === 0) context.say(words.none);
      else context.say(ok ? words.valid(items.length) : words.failed(wrong.length, items.length));
    }
    return ok ? EXIT.ok : EXIT.failed;
  });
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(receiptWords.cannotRead(file, reason), EXIT.failed);
  }
}
