import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import type { MigrationStep } from '../server-door.js';
import type { Register } from './register.js';

interface MigrateFlags {
  from?: string;
  to?: string;
}

/** `countersign migrate` (X3): from the file in the home into PostgreSQL, or back. */
export function addMigrate(program: Command, register: Register): void {
  const command = program
    .command('migrate')
    .description('Copy everything into another, empty store, or nothing if it fails.')
    .option('--from <place>', '"home", a file, or postgres://…', 'home')
    .option('--to <place>', '"home", a file, or postgres://… (DATABASE_URL)')
    .addHelpText(
      'after',
      '\nEverybody on the machine can read command lines: "env:NAME" reads the place, and its password, from a variable.',
    )
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… countersign migrate --to env:DATABASE_URL');
  register<MigrateFlags>(command, async (context, { options }) => {
    const { env } = context.console;
    const to = options.to ?? (env['DATABASE_URL'] === undefined ? undefined : 'env:DATABASE_URL');
    if (to === undefined) throw new CommandError('Where to? Say --to postgres://…, --to FILE or --to home.');
    const words = { from: placeOf(options.from ?? 'home', env), to: placeOf(to, env) };
    if (words.from === words.to) throw new CommandError('From and to are the same place; there is nothing to copy.');
    const home = context.options.home === undefined ? await context.door.defaultHome() : resolve(context.options.home);
    const progress = showProgress((line) => context.note(line));
    const report = await context.door.migrate(home, words, progress);
    if (context.options.json) return context.json(report);
    const rows = Object.values(report.tables).reduce((sum, count) => sum + count, 0);
    context.say(
      `Copied ${rows} rows of ${Object.keys(report.tables).length} tables; ${report.auditRecords} audit records are whole on both sides.`,
    );
    context.note('Start with DATABASE_URL set to use a PostgreSQL, and without it to use the file in the home.');
  });
}

function placeOf(word: string, env: NodeJS.ProcessEnv): string {
  if (!word.startsWith('env:')) return word;
  const place = env[word.slice(4)];
  if (place === undefined || place === '') throw new CommandError(`The variable ${word.slice(4)} is not set.`);
  return place;
}

const EVERY_MS = 250;

/** A line for each table, and of a long one several times a second. */
function showProgress(say: (line: string) => void): (step: MigrationStep) => void {
  let saidAt = 0;
  return ({ table, rows, of }) => {
    const now = Date.now();
    if (rows < of && now - saidAt < EVERY_MS) return;
    saidAt = now;
    say(`… ${table} ${rows} of ${of}`);
  };
}
