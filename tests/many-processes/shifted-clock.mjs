// Loaded before a server: its clock is ahead of, or behind, everybody else's by CLOCK_SHIFT_MS.
const shift = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shift;
  }
};
