const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])
const X86_64 = 62
const HEADER = {
  machine: 18,
  programs: 32,
  sections: 40,
  programSize: 54,
  programCount: 56,
  sectionCount: 60,
  names: 62,
} as const
const LOAD = 1
const DYNAMIC = 2
const EXECUTABLE = 1

/** Where a part of the file lies in memory. */
export interface Segment {
  /** Of its header in the file. */
  readonly header: number
  readonly type: number
  readonly isExecutable: boolean
  readonly offset: number
  readonly address: number
  readonly size: number
}

/** One entry of the table that the dynamic linker reads. */
export interface DynamicEntry {
  readonly at: number
  readonly tag: number
  readonly value: number
}

/** A 64-bit ELF file in memory, as far as a finished program needs reading. System V ABI, chapters 4 and 5. */
export class Elf {
  readonly bytes: Buffer
  readonly segments: readonly Segment[]

  constructor(bytes: Buffer) {
    this.bytes = bytes
    const first = this.word(HEADER.programs)
    const size = bytes.readUInt16LE(HEADER.programSize)
    const count = bytes.readUInt16LE(HEADER.programCount)
    this.segments = Array.from({ length: count }, (_, index) => this.#segment(first + index * size))
  }

  static is = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC)

  get isX86(): boolean {
    return this.bytes.readUInt16LE(HEADER.machine) === X86_64
  }

  word(at: number): number {
    return Number(this.bytes.readBigUInt64LE(at))
  }

  setWord(at: number, value: number): void {
    this.bytes.writeBigUInt64LE(BigInt(value), at)
  }

  /** Place in the file of an address in memory. */
  offsetOf(address: number): number {
    const found = this.segments.find(
      (one) => one.type === LOAD && address >= one.address && address < one.address + one.size,
    )
    if (!found) throw new Error(`no segment holds the address ${address.toString(16)}`)
    return address - found.address + found.offset
  }

  text(at: number): string {
    return this.bytes.toString('latin1', at, this.bytes.indexOf(0, at))
  }

  dynamic(): readonly DynamicEntry[] {
    const table = this.segments.find(({ type }) => type === DYNAMIC)
    if (!table) return []
    const entries = Array.from({ length: table.size / 16 }, (_, index) => {
      const at = table.offset + index * 16
      return { at, tag: this.word(at), value: this.word(at + 8) }
    })
    const end = entries.findIndex(({ tag }) => tag === 0)
    return entries.slice(0, end === -1 ? entries.length : end)
  }

  /** Segments that hold programs, with the zeros that fill up the file behind them. */
  executable(): readonly Segment[] {
    return this.segments.filter(({ type, isExecutable }) => type === LOAD && isExecutable)
  }

  /** End of the last byte that a running program has in memory. */
  loadedEnd(): number {
    return Math.max(...this.segments.map(({ offset, size }) => offset + size))
  }

  /** The file without its section headers, which are for linkers and debuggers, and without what only they name. */
  withoutSections(): Buffer {
    const kept = Buffer.from(this.bytes.subarray(0, this.loadedEnd()))
    kept.writeBigUInt64LE(0n, HEADER.sections)
    kept.writeUInt16LE(0, HEADER.sectionCount)
    kept.writeUInt16LE(0, HEADER.names)
    return kept
  }

  #segment(header: number): Segment {
    return {
      header,
      type: this.bytes.readUInt32LE(header),
      isExecutable: (this.bytes.readUInt32LE(header + 4) & EXECUTABLE) !== 0,
      offset: this.word(header + 8),
      address: this.word(header + 16),
      size: this.word(header + 32),
    }
  }
}
