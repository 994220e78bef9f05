import { format } from './draw.mjs';
import { table } from './report.mjs';

const ms = (microseconds) => `${format(microseconds / 1000)} ms`;
const isOurs = (which) => which.startsWith('ours');
export const GROUND_TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export function describe({ tools, gated, history, streaming }) {
  const what =
    tools === 0 ? 'text' : gated ? `${COUNTS[tools]} approvals` : `${COUNTS[tools]} tool${tools === 1 ? '' : 's'}`;
  return `${what}${history > 1 ? `, after ${history} messages` : ''}${streaming ? ', streaming' : ''}`;
}
const COUNTS = { 1: 'one', 3: 'three', 10: 'ten' };

/** Includes wall time and the number of database statements. */
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

/** Many concurrent chats: turns per second, and how long the event loop was blocked. */
export function togetherTable(together) {
  return table(
    ['one tool', '', 'turns/s', 'cpu per turn', 'median', 'p99', 'loop delay p99', 'longest block'],
    together.flatMap(({ ground, slowDisk, work, figures }) =>
      Object.values(figures).map(({ name, perSecond, cpu, median, p99, blockedMs, longestMs }) => [
        `${work.chats} chat${work.chats === 1 ? '' : 's'}, ${GROUND_TITLES[ground]}${slowDisk ? ', 4 ms disk' : ''}`,
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
