import { format } from './draw.mjs';
import { PEERS } from './contenders.mjs';

const ms = (microseconds) => `${format(microseconds / 1000)} ms`;
const isOurs = (which) => which.startsWith('ours');

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** CPU time of the cheapest other contender for this work. */
function cheapestPeer(figures) {
  return Math.min(...PEERS.flatMap((name) => (figures[name] === undefined ? [] : [figures[name].cpu])));
}

export function describeWork({ tools, gated, history, streaming }) {
  const what = `${tools} ${gated ? 'gated ' : ''}tool${tools === 1 ? '' : 's'}`;
  return `${what}, ${history} message${history === 1 ? '' : 's'}${streaming ? ', streaming' : ''}`;
}

export function workTable({ contenders, results }) {
  const names = Object.keys(contenders);
  return table(
    ['work', ...names.map((name) => contenders[name].title)],
    results.map(({ work, figures }) => {
      const cheapest = cheapestPeer(figures);
      return [
        describeWork(work),
        ...names.map((name) => {
          const { cpu, median, p99 } = figures[name];
          return `${ms(cpu)} · ${ms(median)} · ${ms(p99)} · **${format(cpu / cheapest)}×**`;
        }),
      ];
    }),
  );
}

export function costTable({ contenders, results }, imports, sizes) {
  const last = results.at(-1);
  return table(
    [
      '',
      'cold import',
      'resident memory at the end',
      'stored per turn',
      'stored by the application at a pause',
      'packages',
      'installed',
    ],
    Object.keys(contenders).map((name) => {
      const three = results.findLast(({ work }) => work.gated && work.tools === 3)?.figures[name] ?? {};
      const size = sizes?.[name];
      return [
        contenders[name].title,
        imports[name] === undefined ? '' : `${Math.round(imports[name])} ms`,
        `${Math.round(last.figures[name].rss)} MiB`,
        three.persisted === undefined ? (isOurs(name) ? '' : 'nothing') : `${format(three.persisted / 1024)} kB`,
        three.paused === undefined ? (isOurs(name) ? 'in its store' : '') : `${format(three.paused / 1024)} kB`,
        size === undefined ? '' : String(size.packages),
        size === undefined ? '' : `${Math.round(size.mib)} MiB`,
      ];
    }),
  );
}

const QUESTIONS = [
  ['one approval sent three times concurrently: runs', ({ threeTimes }) => String(threeTimes.runs)],
  ['approve A, deny B in one turn: does A run?', ({ mixed }) => (mixed.ran.includes('Lisbon') ? 'yes' : '**no**')],
  ['`kill -9` between the side effect and its record', killed],
  ['restart with pending approvals', restarted],
  [
    'a decision for an earlier call with the same id',
    ({ stale }) => (stale.runs > 0 ? '**runs the later call**' : 'refused'),
  ],
  ['arguments changed after the approval was shown', changed],
];

function killed({ killed: { runs, told, lost } }) {
  if (lost) return 'the turn is lost';
  if (runs > 1) return `**runs again**${told ? '' : ', not reported'}`;
  return told ? 'runs once, outcome reported as unknown' : 'runs once, not reported';
}

function restarted({ restart: { back, ms: taken, by } }) {
  if (back === 0) return 'none restored';
  return `${back} restored in ${Math.round(taken)} ms${by === undefined ? '' : `, stored by ${by}`}`;
}

function changed(row) {
  if (row.changed === undefined) return 'not tested';
  return row.changed.ran.includes('Moscow') ? '**runs the changed arguments**' : 'needs approval again, nothing runs';
}

export function correctnessTable(rows, contenders) {
  const names = Object.keys(rows);
  return table(
    ['', ...names.map((name) => contenders[name]?.title ?? name)],
    QUESTIONS.map(([question, answer]) => [question, ...names.map((name) => answer(rows[name]))]),
  );
}
