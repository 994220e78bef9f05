/** The agent fields that the mention rules need. */
export interface Addressable {
  id: string;
  name: string;
  active: boolean;
}
