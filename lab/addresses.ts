import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Place, STATE_FOLDER } from './place.ts'
import { LabFault } from './program.ts'

const OCTETS = join(STATE_FOLDER, 'octets')
const FIRST_HOST = 11
const LAST_HOST = 250

/** The ranges of one lab: 10.90.<octet>.0/24 outside and 10.44.<octet>.0/24 for its tunnel. */
export interface Addresses {
  readonly octet: number
  /** The machine's own address on the bridge; also the hosts' way out. */
  readonly machine: string
  outside(number: number): string
  tunnel(number: number): string
}

/** Claims a third byte for the lab, or answers the one it has. Throws LabFault when all are taken. */
export function claimAddresses(place: Place): Addresses {
  mkdirSync(OCTETS, { recursive: true, mode: 0o700 })
  const own = claimsOf(place)[0]
  return addressesAt(own ?? claim(place))
}

/** The claimed addresses; undefined before the first claim. */
export function findAddresses(place: Place): Addresses | undefined {
  const [own] = claimsOf(place)
  return own === undefined ? undefined : addressesAt(own)
}

/** Gives the ranges back. True when no lab of this machine has any left. */
export function releaseAddresses(place: Place): boolean {
  for (const octet of claimsOf(place)) rmSync(join(OCTETS, String(octet)), { force: true })
  return claimed().length === 0
}

/** Takes the lowest free number of a host. */
export function claimNumber(place: Place, name: string): number {
  const folder = join(place.folder, 'numbers')
  mkdirSync(folder, { recursive: true })
  for (let number = FIRST_HOST; number <= LAST_HOST; number += 1)
    if (isCreated(join(folder, String(number)), name)) return number
  throw new LabFault('the lab has no address left for another host')
}

export function releaseNumber(place: Place, number: number): void {
  rmSync(join(place.folder, 'numbers', String(number)), { force: true })
}

const addressesAt = (octet: number): Addresses => ({
  octet,
  machine: `10.90.${octet}.1`,
  outside: (number) => `10.90.${octet}.${number}`,
  tunnel: (number) => `10.44.${octet}.${number}`,
})

function claim({ prefix }: Place): number {
  const first = createHash('sha256').update(prefix).digest().readUInt16BE() % 254
  for (let step = 0; step < 254; step += 1) {
    const octet = 1 + ((first + step) % 254)
    if (isCreated(join(OCTETS, String(octet)), prefix)) return octet
  }
  throw new LabFault(
    'all 254 address ranges of the lab are taken; `npm run lab -- down` in a checkout frees its own',
  )
}

const claimsOf = ({ prefix }: Place): readonly number[] =>
  claimed().filter((octet) => readFileSync(join(OCTETS, String(octet)), 'utf8') === prefix)

function claimed(): readonly number[] {
  try {
    return readdirSync(OCTETS).map(Number)
  } catch {
    return []
  }
}

/** Creates the file unless it exists: one claimant wins, in this process or another. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
