import { format } from './draw.mjs';
import { table } from './report.mjs';

const ms = (microseconds) => `${format(microseconds / 1000)} ms`;
const isOurs = (which) => which.startsWith('ours');
const GROUND_TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function describe({ tools, gated }) {
  if (tools === 0) return 'text';
  if (!gated) return tools === 1 ? 'one tool' : `${tools} tools`;
  return `${tools} calls to approve`;
}

/** What a reader takes in at a glance: processor time of a turn, ours first, and how many times that the others take. */
export function leadTable(alone, ground) {
  const rows = alone.filter((result) => result.ground === ground);
  const names = namesOf(rows);
  return table(
    ['a turn', ...names.map((which) => titleOf(rows, which))],
    rows.map(({ work, figures }) => [
      describe(work),
      ...names.map((which) => {
        const { cpu } = figures[which];
        const own = figures[names[0]].cpu;
        return which === names[0] ? ms(cpu) : `${ms(cpu)} · **${format(cpu / own)}×**`;
      }),
    ]),
  );
}

/** Wall time as well, and what the database was asked. */
export function aloneTable(alone) {
  return alone
    .map(({ ground, work, figures }) => {
      const head = [
        `${describe(work)}, ${GROUND_TITLES[ground]}`,
        'cpu',
        'median',
        'p99',
        'statements',
        'ours ÷ this, cpu',
      ];
      const own = Object.entries(figures).find(([which]) => isOurs(which))[1];
      return table(
        head,
        Object.values(figures).map(({ name, cpu, median, p99, statements }) => [
          name,
          ms(cpu),
          ms(median),
          ms(p99),
          statements === undefined ? '' : format(statements),
          `${format(own.cpu / cpu)}×`,
        ]),
      );
    })
    .join('\n\n');
}

/** Many chats at once: how many turns a second, and how long the process answered nobody. */
export function togetherTable(together) {
  return table(
    ['one tool', '', 'turns/s', 'cpu a turn', 'median', 'p99', 'loop delay p99', 'longest'],
    together.flatMap(({ ground, slowDisk, work, figures }) =>
      Object.values(figures).map(({ name, perSecond, cpu, median, p99, blockedMs, longestMs }) => [
        `${work.chats} chats, ${GROUND_TITLES[ground]}${slowDisk ? ', 4 ms disk' : ''}`,
        name,
        format(perSecond),
        ms(cpu),
        ms(median),
        ms(p99),
        `${format(blockedMs)} ms`,
        `${format(longestMs)} ms`,
      ]),
    ),
  );
}

function namesOf([{ figures }]) {
  const names = Object.keys(figures);
  return [...names.filter(isOurs), ...names.filter((which) => !isOurs(which))];
}

function titleOf([{ figures }], which) {
  return figures[which].name;
}
