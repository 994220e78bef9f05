import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const script = fileURLToPath(new URL('fixtures/attempts.mjs', import.meta.url));

const attemptSchema = z.object({
  part: z.string(),
  name: z.string(),
  /** `outside`: only what happened outside can tell. */
  got: z.enum(['through', 'outside', 'held']),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** What the attempts try to reach, and how to see from outside whether one did. */
export interface BorderScene {
  /** In everything that must not get out. */
  readonly secret: string;
  /** Puts the attempts into the folder of a run. Returns the words that start them. */
  plantIn(folder: string, given: { readonly supervisor: number; readonly server: number }): readonly string[];
  /** What got through, seen from outside. */
  seen(): readonly string[];
  /** Forgets which services were reached. */
  forget(): void;
  /** What of the attempts is in a folder and would run later, or belongs to Git. */
  seenIn(folder: string): readonly string[];
  close(): void;
}

const DIRECTORIES = [
  ...[
    '/usr/bin',
    '/usr/local/bin',
    '/usr/lib',
    '/etc',
    '/etc/cron.d',
    '/etc/profile.d',
    '/etc/systemd/system',
    '/boot',
  ],
  ...['/var/tmp', '/var/spool/cron', '/var/lib', '/tmp', '/dev/shm', '/run', '/opt', '/srv', '/mnt', '/root', '/home'],
];
const HOME_FILES = [
  ...['.bashrc', '.profile', '.ssh/authorized_keys', '.config/autostart/x.desktop', '.config/systemd/user/x.service'],
  ...['.local/bin/git', '.gitconfig', '.npmrc', '.claude/settings.json', '.codex/config.toml', 'home/token'],
];

/** The field of a process's priority, counted from its state. */
const NICE = 16;

/** `home`: of the person, who has a Countersign in its folder `home`. `mark`: in no other scene. */
export async function openBorderScene(home: string, mark: string): Promise<BorderScene> {
  const secret = `${mark}-secret`;
  const reached = new Set<string>();
  const servers: Server[] = [];
  const listen = async (name: string, where: object): Promise<Server> => {
    const server = createServer((socket) => {
      reached.add(name);
      socket.on('error', () => undefined).end(`${mark}-banner`);
    });
    server.listen(where);
    await once(server, 'listening');
    servers.push(server);
    return server;
  };
  const tcp: string[] = [];
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  for (const host of ['127.0.0.1', ...(own === undefined ? [] : [own])]) {
    const server = await listen(`TCP at ${host}`, { host, port: 0 });
    tcp.push(`${host}:${(server.address() as AddressInfo).port}`);
  }
  const sockets = {
    'a socket in the home': join(home, '.agent.sock'),
    'a socket in /tmp': `/tmp/${mark}.sock`,
    'a socket beside the store': join(home, 'home', `${mark}.sock`),
  };
  for (const [name, path] of Object.entries(sockets)) await listen(name, { path });
  await listen('an abstract socket', { path: `\0${mark}` });
  const udp = createSocket('udp4').on('message', () => reached.add('UDP'));
  udp.bind(0, '0.0.0.0');
  await once(udp, 'listening');

  const secrets = {
    'the SSH key': join(home, '.ssh/id_ed25519'),
    'cloud credentials': join(home, '.aws/credentials'),
    'a document': join(home, 'Documents/letter.txt'),
    'a file of another project': join(home, 'other/.env'),
    "a file of Countersign's home": join(home, 'home', `${mark}.txt`),
    'a file in /tmp': `/tmp/${mark}.txt`,
    'a file in /var/tmp': `/var/tmp/${mark}.txt`,
  };
  for (const path of Object.values(secrets)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${secret}\n`);
  }
  const folders = { 'the home': home, "another project's folder": join(home, 'other'), '/var/tmp': '/var/tmp' };
  for (const path of Object.values(folders)) writeFileSync(join(path, mark), secret);
  const writes = [
    ...HOME_FILES.map((path) => join(home, path)),
    ...DIRECTORIES.filter((path) => existsSync(path)).map((path) => join(path, `${mark}-file`)),
  ];
  // Never the number of another test.
  const left = String(100_000 + randomBytes(3).readUIntBE(0, 3));
  const victim: ChildProcess = spawn(process.execPath, ['-e', `setInterval(() => {}, 1e9); // ${mark}-sign`], {
    stdio: 'ignore',
  });

  const statOfVictim = (): readonly string[] =>
    readFileSync(`/proc/${victim.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const priority = statOfVictim()[NICE];
  return {
    secret,
    forget: () => reached.clear(),
    plantIn(folder, { supervisor, server }) {
      copyFileSync(script, join(folder, 'attempts.mjs'));
      const scene = {
        ...{ mark, home, secrets, folders, writes, tcp, sockets, left, supervisor, server },
        ...{
          victim: victim.pid,
          sign: `${mark}-sign`,
          banner: `${mark}-banner`,
          udp: udp.address().port,
          abstract: mark,
          allowed: 'allowed.example',
        },
      };
      writeFileSync(join(folder, 'scene.json'), JSON.stringify(scene));
      return ['node', 'attempts.mjs', 'scene.json'];
    },
    seen() {
      const stat = statOfVictim();
      return [
        ...[...reached].map((name) => `reached ${name}`),
        ...writes.filter((path) => holds(path, `${mark}-written`)).map((path) => `wrote to ${path}`),
        ...(victim.exitCode === null && victim.signalCode === null ? [] : ['killed a process']),
        ...(stat[0] === 'T' ? ['stopped a process'] : []),
        ...(stat[NICE] === priority ? [] : [`changed a priority to ${stat[NICE]}`]),
        ...readdirSync('/proc')
          .filter((pid) => holds(`/proc/${pid}/cmdline`, `sleep\0${left}`))
          .map((pid) => `left process ${pid}`),
      ];
    },
    seenIn(folder) {
      return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        const { mode } = lstatSync(path);
        const what = [
          ...(entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() ? [] : ['is special']),
          ...(entry.isFile() && (mode & 0o7000) !== 0 ? ['runs as its owner'] : []),
          ...(entry.isFile() && entry.name !== 'attempts.mjs' && holds(path, `${mark}-written`) ? ['was planted'] : []),
        ];
        return what.map((one) => `${relative(folder, path)} ${one}`);
      });
    },
    close() {
      for (const one of servers) one.close();
      udp.close();
      victim.kill('SIGKILL');
      for (const path of [...Object.values(secrets), ...Object.values(folders).map((one) => join(one, mark))])
        rmSync(path, { force: true });
    },
  };
}

/** What the attempts said. */
export function readAttempts(said: string): readonly Attempt[] {
  const attempts = [...said.matchAll(/^ATTEMPT (.*)$/gm)].map(([, line = '']) => attemptSchema.parse(JSON.parse(line)));
  const count = Number(/^TRIED (\d+)$/m.exec(said)?.[1]);
  if (attempts.length !== count)
    throw new Error(`${attempts.length} of ${count} attempts ended:\n${said.slice(-2000)}`);
  return attempts;
}

function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(text);
  } catch {
    return false;
  }
}
