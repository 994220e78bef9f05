import { isIPv6 } from 'node:net';
import { CountersignError, isLinkLocal } from '@countersign/protocol';
import { publicNetwork, resolveHost, type Network } from '@countersign/tools';
import { problemTexts } from '../app/problem-texts.js';

/** The push services of browsers. `*.` stands for one label or more. */
const SERVICES = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.notify.windows.com',
  'web.push.apple.com',
  '*.push.apple.com',
] as const;

/**
 * The URL of a device at a push service. A browser names it, so it could be any server: only well-known services on the standard port, and those that the
 * administrator's file names with their port.
 */
export function readEndpoint(given: string, named: readonly string[]): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalid(problemTexts.insecureEndpoint);
  if (isNamed(url, named) || (url.port === '' && SERVICES.some((service) => isHost(service, url.hostname)))) return url;
  throw invalid(problemTexts.unknownPushService(`${url.hostname}:${portOf(url)}`));
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', `endpoint: ${detail}`, { field: 'endpoint' });
}

function isHost(service: string, host: string): boolean {
  return service.startsWith('*.') ? host.endsWith(service.slice(1)) : host === service;
}

function isNamed(url: URL, named: readonly string[]): boolean {
  return named.includes(`${url.hostname}:${portOf(url)}`);
}

function portOf({ port }: URL): string {
  return port === '' ? '443' : port;
}

/**
 * The addresses of an endpoint, resolved once: the request connects only to them. Throws if one is private, unless the administrator's file names the
 * service; a cloud's metadata service is never reached.
 */
export async function addressesOf(
  url: URL,
  named: readonly string[],
  { resolve, mayConnect }: Network = publicNetwork,
): ReturnType<typeof resolveHost> {
  const isPrivate = isNamed(url, named);
  return await resolveHost(url.hostname, {
    resolve,
    mayConnect: (address, port) => !isLinkLocal(hostOf(address)) && (isPrivate || mayConnect(address, port)),
  });
}

function hostOf(address: string): string {
  const plain = address.replace(/%.*$/, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname : plain;
}
