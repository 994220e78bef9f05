import { join } from 'node:path';
import { keepOwnFile } from '@countersign/core/ports';
import { z } from 'zod';
import { keptSessionSchema, type SessionKeeper } from '../auth/sessions.js';
import { readPrivate, writePrivate } from './private-file.js';

const fileSchema = z.strictObject({ version: z.literal(1), sessions: z.array(keptSessionSchema) });

/** Browser sessions that survive a restart. Hashes only, and still only where commands can't see them. */
export function keepSessions(home: string, report: (error: unknown, what: string) => void): SessionKeeper {
  const file = join(home, 'sessions.json');
  keepOwnFile(file);
  return {
    load() {
      const text = readPrivate(file);
      if (text === undefined) return [];
      try {
        return fileSchema.parse(JSON.parse(text)).sessions;
      } catch (error) {
        report(error, 'sessions could not be read; browsers have to open a new start link');
        return [];
      }
    },
    save(sessions) {
      try {
        writePrivate(file, `${JSON.stringify({ version: 1, sessions })}\n`);
      } catch (error) {
        report(error, 'sessions could not be kept; they end with this process');
      }
    },
  };
}
