import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** Everything of all labs on this machine but the cached trees. */
export const STATE_FOLDER = '/var/lib/fleet-lab'

/** Trees that take long to make and may stay. */
export const CACHE_FOLDER = '/var/cache/fleet-lab'

/** What `npm run test:lab` makes: one lab for each test file that runs at the same time. */
export const TEST_PURPOSES = ['test', 'test-2', 'test-3', 'test-4'] as const

/** `lab` is what a person brought up, `bench` what is measured; none disturbs another. */
export const PURPOSES = ['lab', 'bench', ...TEST_PURPOSES] as const
export type Purpose = (typeof PURPOSES)[number]

/** Where one lab of one checkout has its things. All of them carry its prefix, so that two checkouts run at once. */
export interface Place {
  readonly checkout: string
  readonly purpose: Purpose
  /** Eight characters: an interface name may have fifteen, and the host's number follows. */
  readonly prefix: string
  readonly folder: string
}

/** The place of a checkout. Throws when the folder does not exist. */
export function placeOf(checkout: string, purpose: Purpose): Place {
  const path = realpathSync(checkout)
  const digest = createHash('sha256').update(`${path}\0${purpose}`).digest('hex')
  const prefix = `fl${digest.slice(0, 6)}`
  return { checkout: path, purpose, prefix, folder: join(STATE_FOLDER, prefix) }
}

/** Names of a host's things. `number` is the last byte of its address. */
export interface HostPlace {
  readonly name: string
  readonly folder: string
  readonly disk: string
  readonly root: string
  /** Name of the network namespace, of the control group and of the container. */
  readonly id: string
}

export function hostPlace(place: Place, name: string): HostPlace {
  const folder = join(place.folder, 'hosts', name)
  return {
    name,
    folder,
    disk: join(folder, 'disk'),
    root: join(folder, 'root'),
    id: `${place.prefix}-${name}`,
  }
}

/** The machine's end of a host's cable. */
export const cableOf = ({ prefix }: Place, number: number): string => `${prefix}v${number}`
