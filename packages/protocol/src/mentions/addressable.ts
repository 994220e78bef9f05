/** The agent fields that the mention rules need. */
export interface Addressable {
  id: string;
  name: string;
  active: boolean;
  /** Set if a program outside acts as the agent: it proposes calls and answers no messages (EXT1). */
  external?: boolean;
}
