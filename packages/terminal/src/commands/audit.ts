import { writeFile } from 'node:fs/promises';
import type { AuditEntry } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { findWorld, findWorlds, readAll } from '../find-things.js';
import { readChoice, readNumber } from './read-flags.js';
import type { Register } from './register.js';
import { showList } from './show-list.js';

interface AuditFlags {
  world?: string;
  format?: string;
  out?: string;
  last?: string;
}

/** `countersign audit` (X3, A16). */
export function addAudit(program: Command, register: Register): void {
  const audit = program
    .command('audit')
    .description('Who asked, who signed, what ran: the record that can be checked.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<AuditFlags>(
    inWorld(audit.command('list', { isDefault: true }))
      .description('Prints the last records.')
      .option('--last <n>', 'so many of them', '30')
      .addHelpText('after', '\nExample:\n  countersign audit list -w harbour --last 5'),
    async (context, { options }) => {
      const client = await context.client();
      const { id } = await findWorld(client, options.world);
      const all = await readAll((page) => client.audit(id, page));
      const columns = [
        { title: 'no', of: ({ seq }: AuditEntry) => String(seq) },
        { title: 'at', of: ({ at }: AuditEntry) => at.slice(0, 19).replace('T', ' ') },
        { title: 'what', of: ({ kind, decision }: AuditEntry) => [kind, decision].filter(Boolean).join(' ') },
        { title: 'agent', of: ({ agentId }: AuditEntry) => agentId ?? '' },
        { title: 'tool', of: ({ tool }: AuditEntry) => tool ?? '' },
        { title: 'who', of: ({ who }: AuditEntry) => who ?? '' },
        { title: 'why', of: ({ why, rule }: AuditEntry) => rule ?? why ?? '' },
      ];
      showList(
        context,
        all.slice(-Math.max(1, readNumber(options.last ?? '30', '--last'))),
        columns,
        'Nothing is recorded yet.',
      );
    },
  );
  register<AuditFlags>(
    inWorld(audit.command('verify'))
      .description('Walks the whole chain of records, of one world or of all.')
      .addHelpText('after', '\nExit codes: 0 whole, 1 broken.\nExample:\n  countersign audit verify'),
    async (context, { options }) => {
      const client = await context.client();
      const items = [];
      for (const { id } of await findWorlds(client, options.world)) {
        if (context.isPerson) context.note(`… ${id}`);
        items.push({ world: id, ...(await client.verifyAudit(id)) });
      }
      const isWhole = items.every(({ ok }) => ok);
      if (context.options.json) context.json({ ok: isWhole, items });
      else {
        for (const verdict of items) {
          context.say(
            verdict.ok
              ? `${verdict.world}: whole, ${verdict.records} records`
              : `${verdict.world}: ${verdict.problem} at record ${verdict.at}. ${verdict.detail}`,
          );
        }
      }
      return isWhole ? EXIT.ok : EXIT.failed;
    },
  );
  register<AuditFlags>(
    inWorld(audit.command('export'))
      .description('Writes the whole log, to be kept.')
      .option('--format <format>', 'jsonl or csv', 'jsonl')
      .option('--out <file>', 'into a new file instead of standard output')
      .addHelpText('after', '\nExample:\n  countersign audit export -w harbour --format csv --out audit.csv'),
    async (context, { options }) => {
      const format = readChoice(options.format ?? 'jsonl', '--format', ['jsonl', 'csv']);
      const client = await context.client();
      const { id } = await findWorld(client, options.world);
      await putOut(options.out, await client.exportAudit(id, format), (text) => context.console.stdout.write(text));
      if (options.out !== undefined) context.note(`Wrote ${options.out}.`);
    },
  );
}

/** Into a file that is not there yet, or onto standard output. */
export async function putOut(file: string | undefined, text: string, print: (text: string) => void): Promise<void> {
  if (file === undefined || file === '-') {
    print(text.endsWith('\n') || text === '' ? text : `${text}\n`);
    return;
  }
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere
      ? 'it is there already; choose another name'
      : String(error instanceof Error ? error.message : error);
    throw new CommandError(`"${file}" can't be written: ${why}.`, EXIT.failed, error);
  }
}
