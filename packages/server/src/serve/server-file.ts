import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { healthSchema, LEAVING_HEADER, problemSchema } from '@countersign/protocol';
import { z } from 'zod';
import { writePrivate } from '../home/private-file.js';

const serverSchema = z.object({ url: z.string(), pid: z.number().int() });
/** A server that runs on a home: where it is, never what opens it. */
export type RunningServer = z.infer<typeof serverSchema>;

const fileOf = (home: string): string => join(home, 'server.json');

/** Says where this server is. The returned function takes that back. */
export function announceServer(home: string, url: string): () => void {
  writePrivate(fileOf(home), `${JSON.stringify({ url, pid: process.pid })}\n`);
  return () => {
    if (readServerFile(home)?.pid === process.pid) rmSync(fileOf(home), { force: true });
  };
}

/** The server that runs on this home and answers, or undefined. What a dead one left behind counts for nothing. */
export async function findServer(home: string): Promise<RunningServer | undefined> {
  const server = readServerFile(home);
  if (server === undefined || !isAlive(server.pid)) return undefined;
  return (await isServing(server.url)) ? server : undefined;
}

function readServerFile(home: string): RunningServer | undefined {
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
    // It is there and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Nobody listens where a server has died, and that is known at once; one that is busy takes its time. */
const ANSWER_MS = 5_000;

/** A number is given to another process soon enough: only one that answers like us is us. */
async function isServing(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = get(`${url}/api/health`, { agent: false, timeout: ANSWER_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = `${text}${chunk}`.slice(0, 1_000);
      });
      // One that is going is there no more.
      const isLeaving = response.headers[LEAVING_HEADER.toLowerCase()] !== undefined;
      response.on('end', () => resolve(!isLeaving && isHealth(text)));
      response.on('error', () => resolve(false));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}

/** Also one whose store is away is there: its home is taken, and it will be back. */
function isHealth(text: string): boolean {
  try {
    const said: unknown = JSON.parse(text);
    return healthSchema.safeParse(said).success || problemSchema.safeParse(said).data?.status === 503;
  } catch {
    return false;
  }
}
