import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTo, createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, sampled } from '../../../../tests/support/scaled.js';
import { shellCmd } from '../shell/shell-cmd.js';
import type { ShellOptions } from '../shell/shell-options.js';
import { findSandboxes } from '../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { tryTool } from '../testing/try-tool.js';
import { isPublicAddress } from '../web/is-public-address.js';
import { findSandbox } from './find-sandbox.js';
import type { Outside } from './gateway/gateway.js';
import type { Sandbox } from './sandbox.js';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };
const home = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Not below /tmp, which is hidden anyway: these files must be hidden because they are ours or the user's. */
const visible = join(home, '..', '..', 'node_modules', '.cache');

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[RULE2.1] a sandboxed command can’t ($drafts)',
  ({ sandbox }) => {
    let person: TestFolder;
    let ours: string;
    let workingDirectory: string;
    const formerHome = process.env['HOME'];

    beforeEach(async () => {
      await mkdir(visible, { recursive: true });
      person = await makeFolder(visible);
      ours = join(person.path, '..', `${person.path.slice(-6)}-ours`);
      workingDirectory = join(person.path, 'project');
      await mkdir(join(person.path, '.ssh'));
      await writeFile(join(person.path, '.ssh', 'id_ed25519'), 'SECRET-KEY');
      await mkdir(ours);
      await writeFile(join(ours, 'store.sqlite'), 'SECRET-STORE');
      await writeFile(join(ours, 'token'), 'SECRET-TOKEN');
      await mkdir(workingDirectory);
      process.env['HOME'] = person.path;
    });
    afterEach(async () => {
      process.env['HOME'] = formerHome;
      await person.remove();
      execFileSync('rm', ['-rf', ours]);
    });

    async function run(command: string, options: Partial<ShellOptions> = {}): Promise<{ code: number; said: string }> {
      const tool = shellCmd({ sandbox, hide: [ours], ...options });
      const tried = await tryTool(tool, { command }, { workingDirectory });
      const result = tried.result as { exitCode: number; stdout: string; stderr: string } | undefined;
      if (result === undefined) throw new Error(tried.ok ? 'no result' : tried.error);
      return { code: result.exitCode, said: result.stdout + result.stderr };
    }

    it('[CHANGE3.1] fill memory or a disk through scratch folders', async () => {
      const { said } = await run(
        `stat -f -c '%S %b' /tmp /var/tmp /dev/shm; touch /tmp/x /var/tmp/x /dev/shm/x && echo usable; touch /dev/x`,
      );
      const sizes = [...said.matchAll(/^(\d+) (\d+)$/gm)].map(([, size, blocks]) => Number(size) * Number(blocks));
      expect(sizes).toHaveLength(3);
      // Older versions of bubblewrap have no option for it.
      const isLimited = sandbox.kind === 'bubblewrap' && sandbox.sizeArguments.length > 0;
      expect(Math.max(...sizes)).toBeLessThanOrEqual(isLimited ? 2 * 1024 ** 3 : Infinity);
      expect(said).toContain('usable');
      expect(said).toContain('Read-only file system');
    });

    describe('[SAFE1] read', () => {
      const targets: [string, () => string][] = [
        ['our store', () => join(ours, 'store.sqlite')],
        ['our token', () => join(ours, 'token')],
        ['~/.ssh', () => join(person.path, '.ssh', 'id_ed25519')],
      ];

      it.each(targets)('%s', async (_name, target) => {
        // Without the sandbox it is readable, which proves that the attack works.
        expect((await run(`cat '${target()}'`, { sandbox: none })).said).toContain('SECRET');
        expect((await run(`cat '${target()}'`)).said).toContain('No such file');
      });

      // Each of them looks for the others too.
      it.each(sampled(targets, 1))('%s through another path', async (_name, target) => {
        const path = target();
        const ways = [
          `cat /proc/self/root${path}`,
          `cat /proc/1/root${path}`,
          `cat /proc/${process.pid}/root${path}`,
          `cat /proc/1/cwd${path}`,
          `ln -s ${path} link; cat link`,
          `ln ${path} hard; cat hard`,
          `cat ../.ssh/id_ed25519 ../../*-ours/*`,
          `grep -rs SECRET- '${visible}' /home /root /tmp /var/tmp /run`,
          `unshare -Urm bash -c 'umount -l ${dirname(path)}; cat ${path}'`,
          `umount -l '${dirname(path)}'; mount -o bind / /mnt; cat ${path} /mnt${path}`,
          `for fd in /proc/self/fd/*; do ls "$fd/" "$fd/.." && cat "$fd/../token" "$fd/${path}"; done`,
        ];
        const { said } = await run(ways.map((way) => `(${way}) 2>/dev/null`).join('\n'));
        expect(said).not.toMatch(/SECRET-(KEY|STORE|TOKEN)/);
      });

      it('our files, even inside a folder that is shown', async () => {
        const inner = join(person.path, 'shown', 'ours');
        await mkdir(inner, { recursive: true });
        await writeFile(join(inner, 'token'), 'SECRET-TOKEN');
        await writeFile(join(person.path, 'shown', 'library'), 'LIBRARY');
        const shown = { hide: [ours, inner], show: [join(person.path, 'shown'), dirname(ours)] };
        const { said } = await run(`cat ../shown/library ../shown/ours/token '${ours}/token'`, shown);
        expect(said).toContain('LIBRARY');
        expect(said).not.toContain('SECRET');
      });

      it('our processes, their memory and their environment', async () => {
        const { said } = await run(
          `ls -d /proc/[0-9]* | wc -l; cat /proc/${process.pid}/environ /proc/${process.pid}/maps; ps ax`,
        );
        expect(said).not.toContain('vitest');
        expect(Number(said.split('\n')[0])).toBeLessThan(8);
        expect((await run(`kill -9 ${process.pid}`)).said).toMatch(/No such process|not permitted/);
      });

      it('files of others in /tmp, and others can’t read its own', async () => {
        const shared = await makeFolder();
        await writeFile(join(shared.path, 'note'), 'SECRET-NOTE');
        expect((await run(`cat '${shared.path}/note'`)).said).toContain('No such file');
        await run('touch /tmp/left-by-sandbox /var/tmp/left-by-sandbox /dev/shm/left-by-sandbox');
        expect(['/tmp', '/var/tmp', '/dev/shm'].filter((folder) => existsSync(`${folder}/left-by-sandbox`))).toEqual(
          [],
        );
        await shared.remove();
      });
    });

    describe('[SAFE1] connect to', () => {
      const servers: Server[] = [];
      afterEach(() => {
        for (const server of servers.splice(0)) server.close();
      });
      const listen = async (server: Server, ...where: [string] | [number, string]): Promise<Server> => {
        servers.push(server);
        if (where.length === 1) server.listen(where[0]);
        else server.listen(where[0], where[1]);
        await once(server, 'listening');
        return server;
      };
      /** Node itself, wherever it is installed. */
      const node = { show: [dirname(dirname(process.execPath))] };
      const connect = (path: string): string =>
        `'${process.execPath}' -e 'require("net").connect(${JSON.stringify(path)}).on("data", (d) => { console.log(String(d)); process.exit(); }).on("error", (e) => { console.log(e.code); process.exit(1); })'`;
      const talker = (): Server => createServer((socket) => void socket.end('SECRET-SERVICE'));

      it('our API on loopback', async () => {
        const api = createHttpServer((_request, response) => void response.end('SECRET-API'));
        await listen(api, 0, '127.0.0.1');
        const { port } = api.address() as AddressInfo;
        const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
        expect((await run(ask, { sandbox: none })).said).toContain('SECRET-API');
        const { code, said } = await run(ask);
        expect(code).not.toBe(0);
        expect(said).not.toContain('SECRET-API');
      });

      it('anything but public addresses, if a public network is granted', async () => {
        const api = createHttpServer((_request, response) => void response.end('SECRET-API'));
        await listen(api, 0, '127.0.0.1');
        const { port } = api.address() as AddressInfo;
        const reached: string[] = [];
        const outside: Outside = {
          network: {
            resolve: (host) =>
              Promise.resolve([{ address: host === 'example.com' ? '93.184.216.34' : '127.0.0.1', family: 4 }]),
            mayConnect: isPublicAddress,
          },
          // No request leaves the machine: outgoing connections go to the server of this test.
          connect: (address, wanted) => {
            reached.push(`${address}:${wanted}`);
            return connectTo(port, '127.0.0.1');
          },
        };
        const granted = { network: 'public', outside } as const;
        const ask = (url: string): string =>
          `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET ${url} HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
        expect((await run(ask('http://example.com/'), granted)).said).toContain('SECRET-API');
        expect((await run(ask(`http://localhost:${port}/`), granted)).said).toContain('not a public address');
        expect((await run(`exec 3<>/dev/tcp/127.0.0.1/${port}`, granted)).code).not.toBe(0);
        expect((await run('ls /proc/self/fd; env', granted)).said).toMatch(/^0\n1\n2\n3\n[^]*https_proxy=http:/);
        expect((await run('env', granted)).said).not.toContain('NODE_CHANNEL');
        expect((await run(ask('http://example.com/'))).code).not.toBe(0);
        expect(reached).toEqual(['93.184.216.34:80']);
      });

      it('any other machine', async () => {
        const { said } = await run('cat /proc/net/route /proc/net/dev | grep -c eth; cat /proc/net/route | wc -l');
        expect(said).toBe('0\n1\n');
      });

      it('a socket of the host, wherever it is', async () => {
        const path = join(person.path, '..', `${person.path.slice(-6)}.sock`);
        await listen(talker(), path);
        expect((await run(connect(path), { sandbox: none })).said).toContain('SECRET-SERVICE');
        const { code, said } = await run(connect(path), node);
        expect(code).toBe(1);
        expect(said).toMatch(/ECONNREFUSED|EACCES|ENOENT|ENOTSOCK/);
        const { said: others } = await run('ls -A /run /var/run/');
        expect(others.replaceAll(/\/(var\/)?run\/?:|\s/g, '')).toBe('');
      });

      it('a socket without a file', async () => {
        const name = `\0countersign-${process.pid}`;
        await listen(talker(), name);
        expect((await run(connect(name), { sandbox: none })).said).toContain('SECRET-SERVICE');
        expect((await run(connect(name), node)).said).toMatch(/ECONNREFUSED|ENOENT/);
      });

      it('the terminal', async () => {
        const { said } = await run(
          'cat /dev/tty; echo x > /dev/tty; tty; ls /dev/tty[0-9]* /dev/pts/[0-9]* /dev/input',
        );
        expect(said).toMatch(/No such device or address/);
        expect(said).toMatch(/not a tty/);
        expect(said).not.toMatch(/^\/dev\/(tty\d|pts)/m);
        // A separate session: the kernel doesn't let a process type into another session's terminal.
        const [ownSession] = (await run('cut -d " " -f 6 /proc/self/stat')).said.split('\n');
        expect(Number(ownSession)).toBeLessThan(10);
      });
    });

    describe('change', () => {
      it('anything outside the working folder', async () => {
        const places = [person.path, ours, visible, home, '/etc', '/usr/bin', '/', '/var/lib', '/sys'];
        await run(places.map((place) => `touch '${place}/made-in-sandbox'`).join('; '));
        expect(places.filter((place) => existsSync(join(place, 'made-in-sandbox')))).toEqual([]);
        expect((await run('touch /etc/made; touch /usr/made')).said.match(/Read-only file system/g)).toHaveLength(2);
        expect(await run('touch made-inside')).toEqual({ code: 0, said: '' });
        expect(await readdir(workingDirectory)).toEqual(['made-inside']);
      });

      it('anything through a symlink', async () => {
        const other = await makeFolder(visible);
        await writeFile(join(other.path, 'victim'), 'safe');
        const { said } = await run(
          `ln -s '${other.path}' out; echo broken > out/victim; ln -s '${other.path}/victim' v; echo x > v`,
        );
        // Depends on where the project is: one in a hidden place, such as /tmp, doesn't exist here.
        const seen = (await run(`test -d '${other.path}'`)).code === 0;
        expect(said.match(seen ? /Read-only file system/g : /No such file or directory/g)).toHaveLength(2);
        expect(await readFile(join(other.path, 'victim'), 'utf8')).toBe('safe');
        await other.remove();
      });

      it('its privileges', async () => {
        const { said } = await run(
          'grep -E "^Cap(Eff|Prm|Bnd)" /proc/self/status; mount -o remount,rw / && echo DONE; mknod d b 8 0 && echo DONE; chroot / true && echo DONE; sudo -n true && echo DONE',
        );
        expect(said.match(/Cap\w+:\s+0{16}/g)).toHaveLength(3);
        expect(said).not.toContain('DONE');
      });

      it('kernel settings such as the core dump handler, which root could write to', async () => {
        // Opened for appending without writing, so a failing sandbox doesn't change the machine.
        const { said } = await run(
          'for file in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger; do (: >> $file) && echo OPENED $file; done; true',
        );
        expect(said).not.toContain('OPENED');
      });

      it.each(['node_modules/.bin', '.venv/bin'])(
        '[SAFE1.4] programs that we start, by shadowing them in %s on our PATH',
        async (folder) => {
          const bin = join(workingDirectory, folder);
          const formerPath = process.env['PATH'];
          await mkdir(bin, { recursive: true });
          process.env['PATH'] = `${bin}:${formerPath}`;
          const victim = join(person.path, 'made-outside');
          try {
            const fake = `#!/bin/sh\ntouch '${victim}'\nexit 1\n`;
            for (const name of ['mkfifo', 'bash', 'bwrap', 'flock', 'unshare', 'mount', 'sh', 'true', 'grep'])
              await writeFile(join(bin, name), fake, { mode: 0o755 });
            expect((await findSandbox()).kind).toBe('bubblewrap');
            expect((await run('echo ran')).said).toBe('ran\n');
            expect((await run('echo ran', { sandbox: none })).said).toBe('ran\n');
          } finally {
            process.env['PATH'] = formerPath;
          }
          expect(existsSync(victim)).toBe(false);
        },
      );
    });

    describe('make system calls:', () => {
      // System call numbers of x64 and arm64; the last argument is the result without a sandbox.
      const call = (x64: number, arm64: number, ...words: string[]): string =>
        `perl -e 'print syscall(${process.arch === 'arm64' ? arm64 : x64}, ${words.join(', ')}) < 0 ? "refused: $!" : "done"'`;
      const attempts: Readonly<Record<string, string>> = {
        'a line to the host of a virtual machine': `perl -e 'print socket(my $s, 40, 1, 0) ? "done" : "refused"'`,
        'ciphers of the kernel': `perl -e 'print socket(my $s, 38, 5, 0) ? "done" : "refused"'`,
        "keys of the person's session": call(250, 219, '0', '-3', '0'),
        'rings that open sockets unseen': `perl -e 'my $p = "\\0" x 120; print syscall(425, 1, $p) < 0 ? "refused" : "done"'`,
        'programs in the kernel': call(321, 280, '0', '0', '0'),
        'typing into a terminal': call(16, 29, '0', '0x5412', '0'),
      };

      it('that reach the kernel, a key ring, a virtual machine or a terminal', async () => {
        // One command for all of them, because starting a sandbox takes longer than what it does here.
        const { said } = await run(Object.values(attempts).join('; echo; '));
        const found = said.split('\n').map((line, at) => [Object.keys(attempts)[at], line.split(':')[0]]);
        expect(found).toEqual(Object.keys(attempts).map((name) => [name, 'refused']));
      });

      it('but the system calls that programs need still work', async () => {
        const { said } = await run(
          `perl -e 'for my $f (1, 2, 10, 16) { print socket(my $s, $f, $f == 16 ? 3 : 1, 0) ? "done" : "$f: $!" }'; ping -c1 -W1 127.0.0.1 > /dev/null; uname -m | grep -c .`,
        );
        expect(said).toContain('donedonedonedone');
      });

      it('although keyrings and vsock are available without a sandbox', async () => {
        expect((await run(call(250, 219, '0', '-3', '0'), { sandbox: none })).said).toBe('done');
      });
    });

    it('fill memory in hidden folders', async () => {
      const { said } = await run(
        'for f in /run /home /root /boot; do touch $f/x && echo MADE; done; touch /tmp/x /var/tmp/x /dev/shm/x',
      );
      expect(said).not.toContain('MADE');
      expect(said).not.toContain('/tmp/x');
    });

    it('outlive the user’s programs when memory runs out', async () => {
      expect((await run('cat /proc/self/oom_score_adj')).said).toBe('1000\n');
    });

    it('[SAFE1.1] run in a folder in which nothing could be hidden', async () => {
      for (const folder of [person.path, dirname(person.path), '/', '/tmp']) {
        const tried = await tryTool(shellCmd({ sandbox }), { command: 'true' }, { workingDirectory: folder });
        expect(tried).toMatchObject({
          ok: false,
          error: expect.stringMatching(/choose (?:a folder inside it|another)/) as string,
        });
      }
    });

    it('fail to start because a socket to hide has disappeared: the setup is retried', async () => {
      if (sandbox.kind !== 'bubblewrap') return;
      const program = join(person.path, 'bwrap');
      const once = `if mkdir '${person.path}/tried' 2>/dev/null; then echo gone >&2; exit 1; fi`;
      await writeFile(program, `#!/bin/sh\n${once}\nexec '${sandbox.program}' "$@"\n`, { mode: 0o755 });
      expect(await run('echo ran', { sandbox: { ...sandbox, program } })).toEqual({ code: 0, said: 'ran\n' });
    });

    it('run if the sandbox can’t be set up', async () => {
      await chmod(workingDirectory, 0o700);
      const broken = { ...sandbox, userNamespace: ['--no-such-option'] } as Sandbox;
      await expect(run('touch made', { sandbox: broken })).rejects.toThrow(
        /nothing ran: the sandbox could not be set up: .*no-such-option/,
      );
      expect(await readdir(workingDirectory)).toEqual([]);
    });
  },
);
