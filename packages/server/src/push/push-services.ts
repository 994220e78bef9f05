import { CountersignError } from '@countersign/protocol';
import { problemTexts } from '../app/problem-texts.js';
import { hostAndPort, isNamed } from '../outbound/named-hosts.js';

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
  throw invalid(problemTexts.unknownPushService(hostAndPort(url)));
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', `endpoint: ${detail}`, { field: 'endpoint' });
}

function isHost(service: string, host: string): boolean {
  return service.startsWith('*.') ? host.endsWith(service.slice(1)) : host === service;
}
