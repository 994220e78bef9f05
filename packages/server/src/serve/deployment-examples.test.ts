import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { DEFAULT_PORT } from './serve.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (name: string): string => readFileSync(join(root, 'docs/guide/operations', name), 'utf8');
const parse = (name: string): unknown[] =>
  parseAllDocuments(read(name), { merge: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS() as unknown;
  });

/**
 * A graceful shutdown parks turns within three seconds and finishes the last responses. If killed earlier, turns wait for a
 * takeover.
 */
const MAX_SHUTDOWN_S = 10;

const composeServer = z.object({
  build: z.string(),
  environment: z.record(z.string(), z.string()),
  command: z.array(z.string()),
  volumes: z.array(z.string()),
  healthcheck: z.object({ test: z.array(z.string()) }),
  stop_grace_period: z.string(),
});
const compose = z
  .object({
    services: z.object({
      database: z.object({ volumes: z.array(z.string()), command: z.array(z.string()) }),
      'server-1': composeServer,
      'server-2': composeServer,
      'server-3': composeServer,
      balancer: z.object({ ports: z.array(z.string()), command: z.array(z.string()) }),
    }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse('compose.yaml')[0]);

const servers = (['server-1', 'server-2', 'server-3'] as const).map((name) => compose.services[name]);
const server = compose.services['server-1'];

const probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }).optional(),
  tcpSocket: z.object({ port: z.string() }).optional(),
});
const statefulSet = z
  .object({
    kind: z.literal('StatefulSet'),
    spec: z.object({
      template: z.object({
        spec: z.object({
          terminationGracePeriodSeconds: z.number(),
          securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number(), fsGroup: z.number() }),
          containers: z.tuple([
            z.object({
              args: z.array(z.string()),
              ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
              env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
              readinessProbe: probe,
              livenessProbe: probe,
              volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
            }),
          ]),
        }),
      }),
    }),
  })
  .parse(parse('kubernetes.yaml')[0]);
const pod = statefulSet.spec.template.spec;
const [container] = pod.containers;

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
const instruction = (name: string): string[] =>
  dockerfile.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const imageEnv = new Map(
  instruction('ENV').flatMap((line) =>
    [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const),
  ),
);
const imageCommand = z.array(z.string()).parse(JSON.parse(instruction('CMD')[0] ?? ''));

let help: Promise<{ stdout: string }> | undefined;

function askForHelp(): Promise<{ stdout: string }> {
  const bin = join(root, 'packages/countersign/bin/countersign.js');
  return promisify(execFile)(process.execPath, [bin, 'serve', '--help']);
}

describe('the deployment examples', () => {
  it.each([
    ['compose.yaml', server.command],
    ['kubernetes.yaml', container.args],
    ['Dockerfile', imageCommand],
  ])('%s starts the command with valid flags and accepts remote connections', async (_, [name, verb, ...flags]) => {
    expect([name, verb]).toEqual(['countersign', 'serve']);
    const { stdout } = await (help ??= askForHelp());
    for (const flag of flags.filter((word) => word.startsWith('--'))) expect(stdout).toContain(flag);
    expect(flags.join(' ')).toContain('--host 0.0.0.0');
  });

  it('set only variables that the server or a provider reads', () => {
    const source = ['server', 'providers', 'terminal']
      .flatMap((name) => sourcesUnder(join(root, 'packages', name, 'src')))
      .join('\n');
    const named = [...Object.keys(server.environment), ...container.env.map(({ name }) => name), ...imageEnv.keys()];
    expect(named.filter((name) => !source.includes(`'${name}'`))).toEqual([]);
  });

  it('use the same port', () => {
    const { balancer } = compose.services;
    expect(instruction('EXPOSE')).toEqual([String(DEFAULT_PORT)]);
    expect(container.ports).toEqual([{ name: 'http', containerPort: DEFAULT_PORT }]);
    for (const name of ['server-1', 'server-2', 'server-3'])
      expect(balancer.command).toContain(`${name}:${DEFAULT_PORT}`);
    expect(server.healthcheck.test.at(-1)).toContain(`:${DEFAULT_PORT}/api/health`);
    const [published = ''] = balancer.ports;
    expect(balancer.command).toContain(`:${published.split(':').at(-1)}`);
    // Without it, links say localhost:4747, and passkeys don't work.
    expect(server.environment['COUNTERSIGN_PUBLIC_URL']).toContain(
      `:-http://localhost:${published.split(':').at(-2)}}`,
    );
  });

  it('check health at the right path, and don’t restart the server while its database is down', () => {
    expect(container.readinessProbe.httpGet).toEqual({ path: '/api/health', port: 'http' });
    expect(container.livenessProbe).toEqual({ tcpSocket: { port: 'http' } });
  });

  it('[SAFE1] run as a user other than root that can write where necessary', () => {
    expect(instruction('USER')).toEqual(['node']);
    expect(pod.securityContext.runAsUser).toBe(1000);
    const made = instruction('RUN').join('\n');
    for (const folder of [imageEnv.get('COUNTERSIGN_HOME'), imageEnv.get('COUNTERSIGN_WORK')]) {
      // A new volume takes its owner from the image; without this folder it would belong to root.
      expect(made).toMatch(new RegExp(`install --directory --owner=node.*${String(folder)}`));
    }
    expect(dockerfile.findIndex((line) => line.startsWith('RUN install'))).toBeLessThan(
      dockerfile.indexOf('USER node'),
    );
  });

  it('the image is built from this repository, and keeps the home, the key next to it and the work on volumes', () => {
    expect(server.build).toBe('../../..');
    const packed = instruction('RUN')
      .join('\n')
      .matchAll(/--workspace=(\S+)/g);
    for (const [, folder = ''] of packed) expect(existsSync(join(root, folder, 'package.json'))).toBe(true);
    const volumes = z.array(z.string()).parse(JSON.parse(instruction('VOLUME')[0] ?? ''));
    expect(volumes).toEqual([dirname(imageEnv.get('COUNTERSIGN_HOME') ?? ''), imageEnv.get('COUNTERSIGN_WORK')]);
    // The peers that PostgreSQL needs, in the versions that the package accepts.
    const { peerDependencies } = z
      .object({ peerDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(root, 'packages/countersign/package.json'), 'utf8')));
    for (const [name, range] of Object.entries(peerDependencies)) {
      const [, wanted = ''] = new RegExp(` ${name}@(\\S+)`).exec(instruction('RUN').join('\n')) ?? [];
      expect(range).toMatch(new RegExp(`^\\^${wanted.replaceAll('.', '\\.')}\\.`));
    }
  });

  it('the image checks its health at the right path', () => {
    expect(instruction('HEALTHCHECK').join('')).toContain(`http://127.0.0.1:${DEFAULT_PORT}/api/health`);
  });

  it('[SAFE1] don’t disable any of a container’s isolation', () => {
    const said = JSON.stringify([parse('compose.yaml'), parse('kubernetes.yaml')]);
    expect(said).not.toMatch(/unconfined|privileged|cap_add|procMount/i);
  });

  it('mount the work and home folders where the server expects them', () => {
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(new Set(mounted)).toEqual(new Set([env['COUNTERSIGN_HOME'], env['COUNTERSIGN_WORK']]));
    const { database } = compose.services;
    // The home and the key file next to it. Each server keeps its own: the heads of the audit chains are one process's.
    const homes = servers.map(({ volumes, environment }, at) => {
      const home = dirname(environment['COUNTERSIGN_HOME'] ?? '');
      expect(volumes).toEqual([`home-${at + 1}:${home}`, `work:${environment['COUNTERSIGN_WORK']}`]);
      return volumes;
    });
    for (const volume of [...homes.flat(), ...database.volumes])
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  });

  it('allow enough time for a graceful shutdown', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(MAX_SHUTDOWN_S);
    expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThanOrEqual(MAX_SHUTDOWN_S);
  });
});

function sourcesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesUnder(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [readFileSync(path, 'utf8')] : [];
  });
}
