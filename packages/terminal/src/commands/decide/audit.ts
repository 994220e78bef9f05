import { auditRule, auditWhy, readAll, signedText } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';
import type { Command } from 'commander';
import { addAuditHead } from '../../audit/add-audit-head.js';
import { addAuditVerify } from '../../audit/add-audit-verify.js';
import { chosenLog, findLog } from '../../audit/find-log.js';
import { plainLine } from '../../text/plain-text.js';
import { secondText } from '../../text/clock-text.js';
import { readChoice, readCount } from '../read-flags.js';
import type { Register } from '../register.js';
import { showList } from '../show-list.js';
import { putOut } from '../../put-out.js';
import { auditWords } from '../../words/audit.js';
import { withHelp, WORLD } from '../../words/help.js';
import { auditHelp as help } from '../../words/help-decide.js';
import { results } from '../../words/results.js';

interface AuditFlags {
  world?: string;
  server?: boolean;
  format?: string;
  out?: string;
  last?: string;
  kind?: string;
  agent?: string;
  who?: string;
  find?: string;
}

/** `countersign audit` (TERM3, LOG1). */
export function addAudit(program: Command, register: Register): void {
  const audit = program.command('audit').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<AuditFlags>(
    withHelp(inWorld(audit.command('list', { isDefault: true })), help.list)
      .option('--server', help.server)
      .option('--last <n>', help.last, '30')
      .option('--kind <kind>', help.kind(KINDS))
      .option('--agent <agent>', help.agent)
      .option('--who <person>', help.who)
      .option('--find <words>', help.find),
    async (context, { options }) => {
      const last = readCount(options.last ?? '30', '--last');
      const kind = options.kind === undefined ? undefined : readChoice(options.kind, '--kind', KINDS);
      const client = await context.client();
      const id = await findLog(client, chosenLog(options));
      const words = options.find?.toLowerCase() ?? '';
      const all = (await readAll((page) => client.audit(id, page)))
        .filter((entry) => kind === undefined || entry.kind === kind)
        .filter((entry) => options.agent === undefined || entry.agentId === options.agent)
        .filter((entry) => options.who === undefined || isBy(entry, options.who))
        .filter(
          (entry) =>
            words === '' ||
            JSON.stringify({ ...entry, original: undefined })
              .toLowerCase()
              .includes(words),
        );
      const columns = [
        { title: 'no', of: ({ seq }: AuditEntry) => String(seq) },
        { title: 'at', of: ({ at }: AuditEntry) => secondText(at) },
        {
          title: 'what',
          of: ({ kind, decision = '', edited }: AuditEntry) => {
            const what = decision.startsWith(kind) ? decision : `${kind} ${decision}`.trim();
            return edited === true ? `${what}, ${auditWords.edited}` : what;
          },
        },
        { title: 'agent', of: ({ agentId }: AuditEntry) => agentId ?? '' },
        { title: 'tool', of: ({ tool }: AuditEntry) => tool ?? '' },
        { title: 'who', of: (entry: AuditEntry) => signedText(entry.who, entry.via, entry.for) },
        {
          title: 'why',
          of: (entry: AuditEntry) => [auditWhy(entry), auditRule(entry) ?? ''].filter(Boolean).join(' · '),
        },
      ];
      showList(context, all.slice(-last), columns, auditWords.noRecords);
    },
  );
  addAuditVerify(audit, register);
  addAuditHead(audit, register);
  register<AuditFlags>(
    withHelp(inWorld(audit.command('original').argument('<call>')), help.original),
    async (context, { args, options }) => {
      const client = await context.client();
      const call = await client.original(await findLog(client, options.world), args[0] ?? '');
      if (context.options.json) return context.json(call);
      context.say(plainLine(call.toolName));
      context.put(`${JSON.stringify(call.arguments, undefined, 2)}\n`, 'text');
    },
  );
  register<AuditFlags>(
    withHelp(inWorld(audit.command('export')), help.export)
      .option('--server', help.server)
      .option('--format <format>', help.format, 'jsonl')
      .option('--out <file>', help.out),
    async (context, { options }) => {
      const format = readChoice(options.format ?? 'jsonl', '--format', ['jsonl', 'csv']);
      const client = await context.client();
      const id = await findLog(client, chosenLog(options));
      const kind = format === 'jsonl' ? 'json' : 'text';
      await putOut(options.out, await client.exportAudit(id, format), (text) => context.put(text, kind));
      if (options.out !== undefined) context.note(results.wrote(options.out));
    },
  );
}

const KINDS: readonly AuditEntry['kind'][] = [
  'request',
  'decision',
  'run',
  'outcome',
  'refusal',
  'sign',
  'policy',
  'grant',
  'stop',
  'reveal',
  'rehearsal',
  'undo',
];

/** Whether a record is about the person, agent or token with this id or name. */
function isBy({ who }: AuditEntry, wanted: string): boolean {
  return who !== undefined && (who.id === wanted || who.name.toLowerCase() === wanted.toLowerCase());
}
