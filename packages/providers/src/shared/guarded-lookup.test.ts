import { expect, it } from 'vitest';
import { guardedLookup, METADATA_CODE } from './guarded-lookup.js';
import { patientFetch } from './patient-fetch.js';

it('[MODEL7.3] a name that points to a cloud’s metadata service is not connected to', () => {
  const ends: unknown[] = [];
  const lookup = (...addresses: string[]): void =>
    guardedLookup((_host, _options, give) => {
      give(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    })('models.example', { all: false }, (error, address) => void ends.push(error === null ? address : error.code));
  lookup('10.0.0.5');
  lookup('169.254.169.254');
  lookup('10.0.0.5', '169.254.169.254');
  lookup('fe80::1%eth0');
  lookup('::ffff:169.254.169.254');
  lookup('fd00:ec2::254');
  expect(ends).toEqual(['10.0.0.5', ...Array.from({ length: 5 }, () => METADATA_CODE)]);
});

it('[MODEL7.3] nor is such an address from an environment variable', async () => {
  for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '168.63.129.16'])
    await expect(patientFetch()(`http://${host}/v1/models`)).rejects.toThrow(/link-local address/);
});
