import type { DynamicEntry, Elf } from './elf.ts'

const LIBRARY = 'libatomic.so.1'
const SYMBOL = '__atomic_compare_exchange'
const TAG = {
  needed: 1,
  strings: 5,
  symbols: 6,
  flags: 30,
  pltSize: 2,
  plt: 23,
  versionsNeeded: 0x6ffffffe,
  versionsCount: 0x6fffffff,
} as const
const BIND_NOW = 8
const JUMP_SLOT = 7
const RELATIVE = 8
const RELOCATION_SIZE = 24
const SYMBOL_SIZE = 24

/**
 * bool __atomic_compare_exchange(size_t size, void *object, void *expected, void *desired, int, int) for eight bytes, the
 * only size that V8 asks for; for any other it stops the program.
 */
// prettier-ignore
const COMPARE_EXCHANGE = Buffer.from([
  0x48, 0x83, 0xff, 0x08, //       cmp  rdi, 8
  0x75, 0x19, //                   jne  trap
  0x48, 0x8b, 0x02, //             mov  rax, [rdx]
  0x48, 0x8b, 0x09, //             mov  rcx, [rcx]
  0xf0, 0x48, 0x0f, 0xb1, 0x0e, // lock cmpxchg [rsi], rcx
  0x75, 0x06, //                   jne  differs
  0xb8, 0x01, 0x00, 0x00, 0x00, // mov  eax, 1
  0xc3, //                         ret
  0x48, 0x89, 0x02, //             differs: mov [rdx], rax
  0x31, 0xc0, //                   xor  eax, eax
  0xc3, //                         ret
  0x0f, 0x0b, //                   trap: ud2
])

/**
 * Node for x86_64 needs libatomic for one function, and a blank Debian has no libatomic. Puts the function into the
 * zeros behind the program and takes the library off the list. True when that was needed and possible; a runtime that
 * asks for anything else of the library throws.
 */
export function bringCompareExchange(elf: Elf): boolean {
  const dynamic = elf.dynamic()
  const strings = elf.offsetOf(valueOf(dynamic, TAG.strings))
  const needed = dynamic.filter(({ tag }) => tag === TAG.needed)
  const library = needed.find(({ value }) => elf.text(strings + value) === LIBRARY)
  const other = needed.find((entry) => entry !== library)
  if (!library || !other || !elf.isX86) return false
  const relocation = requireOneUse(elf, dynamic, strings)
  const address = placeCode(elf)
  elf.setWord(relocation + 8, RELATIVE)
  elf.setWord(relocation + 16, address)
  dropVersion(elf, dynamic, strings)
  // A library may be named twice.
  elf.setWord(library.at + 8, other.value)
  return true
}

/** The place in the file of the one relocation that names the function. */
function requireOneUse(elf: Elf, dynamic: readonly DynamicEntry[], strings: number): number {
  if ((valueOf(dynamic, TAG.flags) & BIND_NOW) === 0) throw new Error('the runtime binds its functions late')
  const symbols = elf.offsetOf(valueOf(dynamic, TAG.symbols))
  const table = elf.offsetOf(valueOf(dynamic, TAG.plt))
  const count = valueOf(dynamic, TAG.pltSize) / RELOCATION_SIZE
  const uses = Array.from({ length: count }, (_, index) => table + index * RELOCATION_SIZE).filter((at) => {
    const symbol = elf.bytes.readUInt32LE(at + 12)
    const name = elf.text(strings + elf.bytes.readUInt32LE(symbols + symbol * SYMBOL_SIZE))
    return elf.bytes.readUInt32LE(at + 8) === JUMP_SLOT && name.startsWith('__atomic_')
  })
  const [use] = uses
  if (use === undefined || uses.length !== 1)
    throw new Error(`the runtime needs more of ${LIBRARY} than ${SYMBOL}`)
  const symbol = elf.bytes.readUInt32LE(use + 12)
  if (elf.text(strings + elf.bytes.readUInt32LE(symbols + symbol * SYMBOL_SIZE)) !== SYMBOL)
    throw new Error(`the runtime needs something else of ${LIBRARY} than ${SYMBOL}`)
  return use
}

/** Writes the function behind a program segment, in the rest of its last page, and answers its address. */
function placeCode(elf: Elf): number {
  for (const { header, offset, address, size } of elf.executable()) {
    const start = Math.ceil((offset + size) / 16) * 16
    const end = start + COMPARE_EXCHANGE.length
    const pageEnd = Math.ceil((offset + size) / 4096) * 4096
    if (end > pageEnd || elf.bytes.subarray(offset + size, end).some((byte) => byte !== 0)) continue
    COMPARE_EXCHANGE.copy(elf.bytes, start)
    elf.setWord(header + 32, end - offset)
    elf.setWord(header + 40, end - offset)
    return address + (start - offset)
  }
  throw new Error('the runtime has no room behind its program')
}

/** Takes the library off the list of versions, which the dynamic linker checks against the libraries it has loaded. */
function dropVersion(elf: Elf, dynamic: readonly DynamicEntry[], strings: number): void {
  const list = entryOf(dynamic, TAG.versionsNeeded)
  const count = entryOf(dynamic, TAG.versionsCount)
  let before: number | undefined
  let at = elf.offsetOf(list.value)
  for (;;) {
    const next = elf.bytes.readUInt32LE(at + 12)
    if (elf.text(strings + elf.bytes.readUInt32LE(at + 4)) === LIBRARY) {
      if (before === undefined) elf.setWord(list.at + 8, list.value + next)
      else elf.bytes.writeUInt32LE(next === 0 ? 0 : at + next - before, before + 12)
      elf.setWord(count.at + 8, count.value - 1)
      return
    }
    if (next === 0) throw new Error(`the runtime names no version of ${LIBRARY}`)
    before = at
    at += next
  }
}

function entryOf(dynamic: readonly DynamicEntry[], tag: number): DynamicEntry {
  const found = dynamic.find((entry) => entry.tag === tag)
  if (!found) throw new Error(`the runtime has no dynamic entry ${tag}`)
  return found
}

const valueOf = (dynamic: readonly DynamicEntry[], tag: number): number => entryOf(dynamic, tag).value
