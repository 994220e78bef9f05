// Preloaded with `node --import`: shifts a server's clock by CLOCK_SHIFT_MS.
const shift = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: number[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
