import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from './create-log.js';

function logged(write: (log: ReturnType<typeof createLog>) => void, options: Partial<LogOptions> = {}): string {
  const lines: string[] = [];
  write(
    createLog({
      level: 'info',
      isTerminal: false,
      write: (line) => lines.push(line),
      now: () => Date.parse('2026-01-01T10:20:30Z'),
      ...options,
    }),
  );
  return lines.join('');
}

describe('the log', () => {
  it('writes one JSON object per line, or one readable line in a terminal', () => {
    const say = (log: ReturnType<typeof createLog>): void => log.warn('slow', { path: '/api', ms: 12 });
    expect(JSON.parse(logged(say))).toEqual({
      time: '2026-01-01T10:20:30.000Z',
      level: 'warn',
      msg: 'slow',
      path: '/api',
      ms: 12,
    });
    expect(logged(say, { isTerminal: true })).toBe('10:20:30 warn  slow  path=/api  ms=12\n');
  });

  it('[SAFE6] masks known secrets and text that looks like one, in errors too', () => {
    const token = 'an-ordinary-word-that-opens-everything';
    const text = logged(
      (log) => {
        log.error('sent Authorization: Bearer abcdefghijklmnop', { password: 'hunter2hunter2' });
        log.error(`no ${token} in a message`);
        log.error('failed', { error: new Error(`no ${token} here`, { cause: new Error('the disk is full') }) });
      },
      { secrets: [token] },
    );
    for (const secret of ['abcdefghijklmnop', 'hunter2hunter2', token]) expect(text).not.toContain(secret);
    expect(text).toContain('the disk is full');
    expect(text.trim().split('\n')).toHaveLength(3);
  });

  it('respects the log level', () => {
    const all = (log: ReturnType<typeof createLog>): void => {
      log.info('a');
      log.warn('b');
      log.error('c');
    };
    const levels = (level: LogOptions['level']): string[] =>
      logged(all, { level })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { level: string }).level);
    expect(levels('info')).toEqual(['info', 'warn', 'error']);
    expect(levels('warn')).toEqual(['warn', 'error']);
    expect(levels('error')).toEqual(['error']);
    expect(levels('silent')).toEqual([]);
  });
});
