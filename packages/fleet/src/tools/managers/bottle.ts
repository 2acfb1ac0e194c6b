/** What decides which bottle fits a machine. */
export interface BrewMachine {
  readonly system: string
  readonly machine: string
  /** Of macOS; empty elsewhere. */
  readonly release: string
}

/** TLX-028 */
const MACOS: Readonly<Partial<Record<string, string>>> = {
  11: 'big_sur',
  12: 'monterey',
  13: 'ventura',
  14: 'sonoma',
  15: 'sequoia',
  26: 'tahoe',
  27: 'golden_gate',
}

/** The tag of the bottles that a machine can use; undefined for one that has none. */
export function bottleTag({ system, machine, release }: BrewMachine): string | undefined {
  const isArm = machine === 'arm64' || machine === 'aarch64'
  if (!isArm && machine !== 'x86_64') return undefined
  if (system === 'Linux') return isArm ? 'arm64_linux' : 'x86_64_linux'
  const name = MACOS[/^(\d+)\./.exec(`${release}.`)?.[1] ?? '']
  if (system !== 'Darwin' || name === undefined) return undefined
  return isArm ? `arm64_${name}` : name
}
