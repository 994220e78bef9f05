import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./child.mjs', import.meta.url));
const LIMIT_MS = 180_000;

/** Starts a contender and returns a function that sends it commands. */
export async function start(which, { execPath = process.execPath, env = {} } = {}) {
  const child = fork(program, [which], {
    execPath,
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr.on('data', (text) => (said = (said + text).slice(-2000)));
  const answer = () =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(reject, new Error(`${which} did not answer in time`)), LIMIT_MS);
      const onMessage = (message) =>
        message.ok ? done(resolve, message) : done(reject, new Error(`${which}: ${message.error}`));
      const onExit = (code, signal) => done(reject, new Error(`${which} exited (${signal ?? code}): ${said}`));
      function done(settle, value) {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        settle(value);
      }
      child.once('message', onMessage);
      child.once('exit', onExit);
    });
  await answer();
  return {
    which,
    pid: child.pid,
    async order(what) {
      const next = answer();
      child.send(what);
      return await next;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
