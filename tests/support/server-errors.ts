import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll } from 'vitest';

interface Failure {
  readonly method: string;
  readonly path: string;
  readonly error: unknown;
}

const found: Failure[] = [];
const expected: RegExp[] = [];

/** For a test that makes the server fail: requests with these paths may end with 500 in this file. */
export function expectServerErrors(path: RegExp): void {
  expected.push(path);
}

/** Fails a test file if a server in its process answered a request with an unexpected error. */
export function failOnServerErrors(): void {
  const listen = (message: unknown): void => void found.push(message as Failure);
  subscribe('countersign:unexpected-error', listen);
  afterAll(() => {
    unsubscribe('countersign:unexpected-error', listen);
    const allowed = expected.splice(0);
    const wrong = found.splice(0).filter(({ path }) => !allowed.some((pattern) => pattern.test(path)));
    const [first] = wrong;
    if (first === undefined) return;
    const requests = wrong.map(({ method, path, error }) => `${method} ${path}: ${String(error)}`);
    throw new Error(`The server answered with 500:\n${requests.join('\n')}`, { cause: first.error });
  });
}
