/** What the mention rules need to know about an agent. */
export interface Addressable {
  id: string;
  name: string;
  active: boolean;
}
