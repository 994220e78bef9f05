import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { ReaderNews } from './server-readers.js';

// Opens many streams and reports when the first and the last of them received each message. Both processes use the
// machine's clock.
const [url = '', token = '', wanted = '0'] = process.argv.slice(2);
const readers = Number(wanted);
/** How long the last frames may take; later ones are counted as lost. */
const PATIENCE_MS = 20_000;

let number = 0;
let first = 0n;
let seen = 0;
let giveUp: NodeJS.Timeout | undefined;

function tell(news: ReaderNews): void {
  process.send?.(news);
}

function report(): void {
  clearTimeout(giveUp);
  tell({ number, first: String(first), last: String(process.hrtime.bigint()), count: seen });
  number += 1;
  seen = 0;
}

function read(): void {
  if (seen === 0) {
    first = process.hrtime.bigint();
    giveUp = setTimeout(report, PATIENCE_MS);
  }
  seen += 1;
  if (seen === readers) report();
}

for (let opened = 0; opened < readers; opened += 1) {
  const asked = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('data', (bytes: Buffer) => {
    if (bytes.includes(`@human message ${number}"`)) read();
  });
}
tell({ ready: true });
