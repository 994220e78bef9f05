import { format } from './draw.mjs';
import { table } from './report.mjs';
import { describe, GROUND_TITLES } from './report-durable.mjs';

const ms = (microseconds) => `${format(microseconds / 1000)} ms`;

/** The contenders in each column, for either database. */
const COLUMNS = [
  ['LangGraph', ['langgraph-sqlite', 'langgraph-postgres']],
  ['Mastra', ['mastra-libsql', 'mastra-postgres']],
  ['DBOS', ['dbos']],
  ['AI SDK, stores nothing', ['ai-sdk-signed']],
];

/** The summary for readers in a hurry: CPU time per turn, and the others' ratio to ours. */
export function leadTable(alone) {
  const rows = alone.filter(
    ({ work }) => !work.streaming && work.history === 1 && ((work.tools === 1 && !work.gated) || work.tools === 3),
  );
  return table(
    ['one turn', 'Countersign', ...COLUMNS.map(([title]) => title)],
    rows.map(({ ground, work, figures }) => {
      const { cpu: own } = figures[`ours-${ground === 'sqlite' ? 'normal' : 'postgres'}`];
      const other = ([, names]) => {
        const found = names.map((name) => figures[name]).find((figure) => figure !== undefined);
        return found === undefined ? '–' : `${ms(found.cpu)} · ${format(found.cpu / own)}×`;
      };
      return [`${describe(work)}, ${GROUND_TITLES[ground]}`, `**${ms(own)}**`, ...COLUMNS.map(other)];
    }),
  );
}

/** The limits from LIMIT1, LIMIT2 and LIMIT5 with the measured values. The values from our own suites come from their last run, in `targets`. */
export function limitsTable({ alone, together, imports, targets = [] }) {
  const cpu = (ground, tools, which) => figuresOf(alone, ground, tools)?.[which]?.cpu;
  const ours = (tools) => cpu('sqlite', tools, 'ours-normal');
  const rows = [
    ['LIMIT1', 'text, SQLite ÷ AI SDK in memory', ratio(ours(0), cpu('sqlite', 0, 'ai-sdk')), 0.8],
    ['LIMIT1', 'one tool, SQLite ÷ AI SDK in memory', ratio(ours(1), cpu('sqlite', 1, 'ai-sdk')), 1.1],
    ['LIMIT1', 'three approvals, SQLite ÷ AI SDK in memory', ratio(ours(3), cpu('sqlite', 3, 'ai-sdk')), 2.5],
    ['LIMIT1', 'three approvals ÷ AI SDK with signed approvals', ratio(ours(3), cpu('sqlite', 3, 'ai-sdk-signed')), 1],
    [
      'LIMIT1',
      'ten approvals ÷ AI SDK with signed approvals',
      ratio(ours(10), cpu('sqlite', 10, 'ai-sdk-signed')),
      1.2,
    ],
    ['LIMIT1', 'SQLite ÷ the cheaper of LangGraph and Mastra', worst(alone, 'sqlite', 'ours-normal'), 0.3],
    ['LIMIT1', 'PostgreSQL ÷ the cheaper of LangGraph and Mastra', worst(alone, 'postgres', 'ours-postgres'), 0.4],
    ['LIMIT1', 'one tool, PostgreSQL, wall ÷ DBOS', wallToDbos(alone), 0.6],
    ['LIMIT1', 'statements of a turn with one tool, PostgreSQL', statementsOf(alone), 8, ''],
    ['LIMIT1', 'loop delay p99, 128 chats, FULL, 4 ms disk', delayOf(together), 30, ' ms'],
    ['LIMIT1', 'one tool over HTTP, CPU time of the server', (cpu('sqlite', 1, 'ours-http') ?? NaN) / 1000, 2.6, ' ms'],
    ['LIMIT5', 'cold import of the library', imports?.['ours-normal'], 200, ' ms'],
    ...targets
      .filter(({ number }) => number === 'LIMIT2' || number === 'LIMIT5')
      .map(({ number, what, reached, byCpu, limit, unit }) =>
        unit === 'µs' ? [number, what, reached / 1000, limit / 1000, ' ms'] : [number, what, byCpu ?? reached, limit],
      ),
  ];
  return table(
    ['', 'what', 'reached', 'limit', ''],
    rows
      .filter(([, , reached]) => Number.isFinite(reached))
      .map(([number, what, reached, limit, unit = '×']) => [
        number,
        what,
        `${format(reached)}${unit}`,
        `${limit}${unit}`,
        reached <= limit ? 'met' : '**missed**',
      ]),
  );
}

function figuresOf(alone, ground, tools) {
  return alone.find(
    ({ ground: on, work }) => on === ground && work.tools === tools && work.history === 1 && !work.streaming,
  )?.figures;
}

function ratio(own, other) {
  return own === undefined || other === undefined ? Number.NaN : own / other;
}

/** The worse of our CPU ratios to the cheaper peer, for one tool and for three approvals. */
function worst(alone, ground, which) {
  const suffix =
    ground === 'sqlite' ? ['langgraph-sqlite', 'mastra-libsql'] : ['langgraph-postgres', 'mastra-postgres'];
  return Math.max(
    ...[1, 3].map((tools) => {
      const figures = figuresOf(alone, ground, tools) ?? {};
      return ratio(figures[which]?.cpu, Math.min(...suffix.map((name) => figures[name]?.cpu ?? Infinity)));
    }),
  );
}

function wallToDbos(alone) {
  const figures = figuresOf(alone, 'postgres', 1) ?? {};
  return ratio(figures['ours-postgres']?.median, figures['dbos']?.median);
}

function statementsOf(alone) {
  return figuresOf(alone, 'postgres', 1)?.['ours-postgres']?.statements;
}

function delayOf(together) {
  return together.find(({ ground, slowDisk, work }) => slowDisk && ground === 'sqlite' && work.chats === 128)?.figures[
    'ours-full'
  ]?.blockedMs;
}
