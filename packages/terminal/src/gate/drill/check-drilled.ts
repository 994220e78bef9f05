import type { Finding } from '../../server-access.js';
import { drill as texts } from '../../words/gate.js';
import type { RememberedDrill } from './remembered.js';

/** What `doctor` says about a gated agent. A version that was never drilled may handle hooks differently. */
export function checkDrilled(agent: string, version: string, drilled: RememberedDrill | undefined): Finding {
  const what = texts.doctorWhat(agent);
  const warn = (detail: string): Finding => ({ what, state: 'warning', detail, advice: texts.runDrill(agent) });
  if (drilled === undefined) return warn(texts.neverDrilled(version));
  if (drilled.version !== version) return warn(texts.otherVersion(version, drilled.version));
  if (!drilled.gated) return warn(texts.didNotHold(version));
  return { what, state: 'fine', detail: texts.fine(version) };
}
