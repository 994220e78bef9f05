import { expect, it } from 'vitest';
import { isLinkLocal } from './is-link-local.js';

it.each([
  '169.254.169.254',
  '169.254.0.1:8080',
  '169.254.169.254.',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '168.63.129.16',
  '[fe80::1]:8000',
  '[febf::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  'Metadata.Google.Internal',
])('[P7.3] %s is a link-local address or a metadata service', (host) => {
  expect(isLinkLocal(host)).toBe(true);
});

it.each([
  '127.0.0.1:8000',
  'localhost',
  '10.0.0.5',
  '169.253.1.1',
  '168.63.129.17',
  '[::1]:8000',
  '[fd00::5]',
  '169.254.example.com',
  'api.openai.com',
  '1.2.3.4.5',
  '99999999999',
])('[P7.3] %s is neither', (host) => {
  expect(isLinkLocal(host)).toBe(false);
});
