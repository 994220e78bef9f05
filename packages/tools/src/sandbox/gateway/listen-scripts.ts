/** The gateway's port in the sandbox, whose network contains nothing else. */
export const GATEWAY_PORT = 3128;

/**
 * Run by our own Node in the sandbox before the command: listens and passes us the listening socket. The socket stays in the sandbox's network,
 * so its clients are inside while our connections are outside.
 */
export const LISTEN = `
const server = require('node:net').createServer().listen(${GATEWAY_PORT}, '127.0.0.1', () => {
  process.send('listening', server, () => process.exit());
});
`;

/** Common service ports. A program that connects to a host name on one of these needs no proxy support. */
export const DIRECT_PORTS = [
  ...[
    22, 25, 80, 110, 143, 443, 465, 587, 853, 993, 995, 1433, 1521, 2525, 3000, 3306, 4000, 4317, 4318, 5000, 5432,
    5671,
  ],
  ...[5672, 6379, 6380, 6443, 6543, 7687, 8000, 8080, 8086, 8123, 8443, 8883, 9000, 9090, 9092, 9200, 9243, 9418, 9443],
  ...[11211, 15672, 19530, 26257, 27017],
];

/** Listens on these ports and for DNS, and passes us all sockets. Skips ports that are not available. */
const listeners = (ports: readonly number[]): string => `
const { createServer, Socket } = require('node:net');
const hand = (what, handle) => new Promise((done) => process.send(what, handle, () => done(handle)));
const listen = (what, port, address) =>
  new Promise((done) => {
    const server = createServer().once('error', () => done()).listen(port, address, () => done(hand(what, server)));
  });
const names = new Promise((done) => {
  const socket = require('node:dgram').createSocket('udp4');
  socket.once('error', () => done()).bind(53, '127.0.0.1', () => done(hand('names', socket)));
});
const all = [listen('proxy', ${GATEWAY_PORT}, '127.0.0.1'), names, ...${JSON.stringify(ports)}.map((port) => listen('direct', port, '0.0.0.0'))];
`;

/** Like `LISTEN`, for programs without proxy support. */
export const LISTEN_DIRECTLY = `${listeners(DIRECT_PORTS)}
Promise.all(all).then(() => process.send('done', () => process.exit()));
`;

/** Where agents in a run reach the model gateway. Not 127.0.0.1, which may lead to a proxy. */
export const MODEL_ADDRESS = '127.0.0.2:3129';

/**
 * Like `LISTEN_DIRECTLY`, for a run, next to whose sandbox it stays: listens on more ports when it is told, connects to ports of the program and
 * passes us the sockets. Reports the process whose network it is.
 */
export const holdNetwork = (ports: readonly number[]): string => `${listeners(ports)}
const [address, port] = '${MODEL_ADDRESS}'.split(':');
all.push(listen('model', Number(port), address));
const join = (id, port, hosts) => {
  // Paused: what the program says first must not be read here.
  const socket = new Socket().pause();
  socket.once('error', () => (hosts.length > 1 ? join(id, port, hosts.slice(1)) : process.send({ id })));
  socket.connect(port, hosts[0], () => process.send({ id }, socket));
};
process.on('message', ({ id, port, ports }) => {
  if (ports === undefined) return join(id, port, ['127.0.0.1', '::1']);
  Promise.all([...all, ...ports.map((port) => listen('direct', port, '0.0.0.0'))]).then((handles) => {
    // They are ours now; here, nobody would accept.
    for (const handle of handles) handle?.close();
    process.send({ pid: process.pid });
  });
});
process.on('disconnect', () => process.exit());
`;
