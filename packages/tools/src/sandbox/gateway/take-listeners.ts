import type { ChildProcess } from 'node:child_process';
import { Socket as Datagrams } from 'node:dgram';
import { Server } from 'node:net';
import type { Gateway } from './gateway.js';

/** Receives the sockets from `LISTEN_DIRECTLY` and closes the channel: a program could use it to impersonate our own process. */
export async function takeListeners(child: ChildProcess, gateway: Gateway): Promise<void> {
  await new Promise<void>((done) => {
    child.on('message', (what, handle) => {
      if (what === 'done') done();
      else if (handle instanceof Datagrams) gateway.serveNames(handle);
      else if (handle instanceof Server && what === 'proxy') gateway.serve(handle);
      else if (handle instanceof Server) gateway.serveDirectly(handle);
    });
  });
  child.removeAllListeners('message');
  child.disconnect();
}
