import { join } from 'node:path';
import { registerOwnFile } from '@countersign/core/ports';
import { z } from 'zod';
import { storedSessionSchema, type SessionKeeper } from '../auth/sessions.js';
import { readPrivate, writePrivate } from './private-file.js';

const fileSchema = z.strictObject({ version: z.literal(1), sessions: z.array(storedSessionSchema) });

/** Saves browser sessions across restarts: only their hashes, and only if the sandbox hides the folder from commands. */
export function keepSessions(home: string, report: (error: unknown, what: string) => void): SessionKeeper {
  const file = join(home, 'sessions.json');
  registerOwnFile(file);
  return {
    load() {
      const text = readPrivate(file);
      if (text === undefined) return [];
      try {
        return fileSchema.parse(JSON.parse(text)).sessions;
      } catch (error) {
        report(error, 'Saved sessions could not be read. Browsers have to open a new start link');
        return [];
      }
    },
    save(sessions) {
      try {
        writePrivate(file, `${JSON.stringify({ version: 1, sessions })}\n`);
      } catch (error) {
        report(error, 'Sessions could not be saved. They end with this process');
      }
    },
  };
}
