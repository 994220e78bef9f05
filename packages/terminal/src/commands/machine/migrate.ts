import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { MigrationStep } from '../../connection/server-access.js';
import type { Register } from '../register.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { migrateHelp as help } from '../../words/help-server.js';
import { results } from '../../words/results.js';

interface MigrateFlags {
  from?: string;
  to?: string;
}

/** `countersign migrate` (TERM3): from the file in the home folder to PostgreSQL, or back. */
export function addMigrate(program: Command, register: Register): void {
  const command = withHelp(program.command('migrate'), help)
    .option('--from <place>', help.from, 'home')
    .option('--to <place>', help.to);
  register<MigrateFlags>(command, async (context, { options }) => {
    const { env } = context.console;
    const to = options.to ?? (env['DATABASE_URL'] === undefined ? undefined : 'env:DATABASE_URL');
    if (to === undefined) throw new CommandError(errors.noDestination);
    const words = { from: placeOf(options.from ?? 'home', env), to: placeOf(to, env) };
    if (words.from === words.to) throw new CommandError(errors.samePlace);
    const home =
      context.options.home === undefined ? await context.servers.defaultHome() : resolve(context.options.home);
    const progress = showProgress((line) => context.note(line));
    const report = await context.servers.migrate(home, words, progress);
    if (context.options.json) return context.json(report);
    const rows = Object.values(report.tables).reduce((sum, count) => sum + count, 0);
    context.say(results.migrated(rows, Object.keys(report.tables).length, report.auditRecords));
    context.note(results.migratedNext);
  });
}

function placeOf(word: string, env: NodeJS.ProcessEnv): string {
  if (!word.startsWith('env:')) return word;
  const place = env[word.slice(4)];
  if (place === undefined || place === '') throw new CommandError(errors.variableNotSet(word.slice(4)));
  return place;
}

const EVERY_MS = 250;

/** Prints one line per table, and several per second for a large one. */
function showProgress(say: (line: string) => void): (step: MigrationStep) => void {
  let saidAt = 0;
  return ({ table, rows, of }) => {
    const now = Date.now();
    if (rows < of && now - saidAt < EVERY_MS) return;
    saidAt = now;
    say(results.migrating(table, rows, of));
  };
}
