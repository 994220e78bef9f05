import type { CDPSession, Page } from 'playwright-core';

/** A security key in software that the browser uses without asking. */
export interface Authenticator {
  /** Whether the person touches it and is recognized. If not, the prompt ends as if it was cancelled. */
  answers(isThere: boolean): Promise<void>;
  /** Put aside, it never answers, and another one can. */
  putAside(isAside: boolean): Promise<void>;
  remove(): Promise<void>;
}

const opened = new WeakMap<Page, Promise<CDPSession>>();

async function sessionOf(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  return session;
}

/** Adds an authenticator to the browser of this page. */
export async function addAuthenticator(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<Authenticator> {
  const opening = opened.get(page) ?? sessionOf(page);
  opened.set(page, opening);
  const session = await opening;
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async answers(isThere) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isThere });
    },
    async putAside(isAside) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: !isAside });
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}
