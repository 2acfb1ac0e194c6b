/** Numbers that repeat with their seed (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0]
  }

  bytes(maxLength: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(maxLength + 1) }, () => this.below(256)))
  }

  /** Any bytes as text of one byte a character, without the line ends that would begin another line. */
  latin(maxLength: number): string {
    return this.bytes(maxLength)
      .toString('latin1')
      .replaceAll(/[\r\n]/g, '\t')
  }
}
