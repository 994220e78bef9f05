import type { Key } from './key.js';
import { createKeyReader } from './read-keys.js';

const ESCAPE_MS = 40;

interface Heard {
  readonly press: (key: Key) => void;
  /** Called at the end of input. A closed terminal sends no signal to a process that it doesn't control. */
  readonly end: () => void;
}

/** Reads keys until the returned function is called, which also restores the terminal. */
export function readStdin(stdin: NodeJS.ReadStream, { press, end }: Heard): () => void {
  const reader = createKeyReader();
  let timer: NodeJS.Timeout | undefined;
  const heard = (chunk: string): void => {
    clearTimeout(timer);
    for (const key of reader.push(chunk)) press(key);
    if (reader.isHolding()) timer = setTimeout(() => reader.flush().forEach(press), ESCAPE_MS);
  };
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  stdin.on('data', heard);
  stdin.on('end', end);
  stdin.resume();
  return () => {
    clearTimeout(timer);
    stdin.off('data', heard);
    stdin.off('end', end);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
