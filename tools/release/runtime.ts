import { readFileSync, writeFileSync } from 'node:fs'
import { Elf } from './elf.ts'
import { bringCompareExchange } from './libatomic.ts'

/**
 * Copies a Node runtime such that a blank Debian can run it, and without its symbols and debug sections, which no running
 * program loads: a fifth of the file. What is no 64-bit ELF file is copied as it is.
 */
export function copyRuntime(from: string, to: string): void {
  const file = readFileSync(from)
  writeFileSync(to, Elf.is(file) ? prepared(file) : file, { mode: 0o755 })
}

function prepared(file: Buffer): Buffer {
  const elf = new Elf(Buffer.from(file))
  bringCompareExchange(elf)
  return elf.withoutSections()
}
