import { commonWords } from './common.js';

/** Passkeys: registering, confirming and removing them, and signing with them. */
export const passkeyWords = {
  ...commonWords,
  title: 'Passkeys',
  lead: 'To sign in, and to sign calls that require a passkey. They stay on your devices.',
  thePasskeys: 'your passkeys',
  none: 'No passkeys.',
  add: 'Add a passkey',
  added: 'Passkey added.',
  addedUntrusted: 'Passkey added. Confirm it with a trusted passkey before you sign calls with it.',
  trusted: 'trusted',
  untrusted: 'not trusted yet',
  lastUsed: 'last used',
  neverUsed: 'never used',
  addedOn: (date: string) => `added ${date}`,
  onlyAt: (host: string) => `works at ${host}`,
  confirm: 'Confirm…',
  confirmTitle: 'Confirm passkey',
  confirmText: (name: string) =>
    `“${name}” will be able to sign calls for you. Confirm it only if you added it yourself. Your browser asks for a passkey that is already trusted.`,
  confirmButton: 'Confirm with a trusted passkey',
  confirmed: 'Passkey confirmed. It can sign calls now.',
  askAdmin:
    'None of your passkeys is trusted, so you can sign in with them, but not sign calls. Ask an admin who has a trusted passkey to confirm one.',
  remove: 'Remove',
  removeTitle: 'Remove passkey',
  removeText: (name: string, trusted: boolean) =>
    `“${name}” can't sign in or sign calls anymore. ${trusted ? 'Your browser asks for a trusted passkey to confirm this. ' : ''}Sessions stay open until you end them.`,
  removed: 'Passkey removed.',
  signIn: 'Sign in with a passkey',
  signInCancelled:
    'The passkey prompt was cancelled or timed out, or this browser has no passkey for this server. Try again, or sign in another way.',
  toAccount: 'Open your account',

  problems: {
    cancelled: 'The passkey prompt was cancelled or timed out. Nothing changed.',
    known: 'This device already has a passkey for your account.',
    host: "Passkeys don't work at this address. Open Countersign at its public URL, or at localhost on this computer.",
    unsupported: "This browser or device can't use passkeys. Try another browser, your phone or a security key.",
    failed: 'The browser could not use the passkey. Try again.',
    none: 'This needs a passkey, and you have none. Add one to your account.',
    untrusted: 'None of your passkeys is trusted yet. Confirm one on your account page before you sign with it.',
  },
} as const;
