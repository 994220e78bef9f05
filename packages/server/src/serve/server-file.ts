import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { healthSchema, LEAVING_HEADER, problemSchema } from '@countersign/protocol';
import { z } from 'zod';
import { readOwner, SERVE } from '../home/home-owner.js';
import { writePrivate } from '../home/private-file.js';

const serverSchema = z.object({ url: z.string(), pid: z.number().int() });
type ServerFile = z.infer<typeof serverSchema>;

/** The server that runs on a home folder: its URL and pid, never a credential. */
export interface RunningServer extends ServerFile {
  /** A server started by another command ends with that command. */
  readonly startedBy: 'serve' | 'command';
}

const fileOf = (home: string): string => join(home, 'server.json');

/** Announces this server's URL. The returned function removes the announcement. */
export function announceServer(home: string, url: string): () => void {
  writePrivate(fileOf(home), `${JSON.stringify({ url, pid: process.pid })}\n`);
  return () => {
    if (readServerFile(home)?.pid === process.pid) rmSync(fileOf(home), { force: true });
  };
}

/** The server running on this home folder, if it responds. Ignores anything that a dead server left behind. */
export async function findServer(home: string): Promise<RunningServer | undefined> {
  const server = readServerFile(home);
  if (server === undefined || !isAlive(server.pid)) return undefined;
  const command = readOwner(home)?.command ?? SERVE;
  return (await isServing(server.url)) ? { ...server, startedBy: command === SERVE ? 'serve' : 'command' } : undefined;
}

function readServerFile(home: string): ServerFile | undefined {
  try {
    return serverSchema.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A dead server refuses the connection immediately; a busy one may take a while. */
const ANSWER_MS = 5_000;

/** The pid may have been reused, so check that our server responds at this URL. */
async function isServing(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = get(`${url}/api/health`, { agent: false, timeout: ANSWER_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = `${text}${chunk}`.slice(0, 1_000);
      });
      // Ignore a server that is shutting down.
      const isLeaving = response.headers[LEAVING_HEADER.toLowerCase()] !== undefined;
      response.on('end', () => resolve(!isLeaving && isHealth(text)));
      response.on('error', () => resolve(false));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}

/** Also true for a server whose store is down: it still owns the home folder. */
function isHealth(text: string): boolean {
  try {
    const said: unknown = JSON.parse(text);
    return healthSchema.safeParse(said).success || problemSchema.safeParse(said).data?.status === 503;
  } catch {
    return false;
  }
}
