import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usage } from './exit.ts'

/** What the surroundings of the process say. The only reader of process.env. */
export interface Environment {
  /** Folder of the client's own configuration. */
  readonly configFolder: string
  /** Durable state of the embedded fleet of this checkout. */
  readonly fleetHome: string
  /** The command line runs from a checkout, where `npm start` works, and not as an installed program. */
  readonly isCheckout: boolean
  /** Where the person is. Throws a usage error when that directory was removed. */
  readonly currentDirectory: () => string
  /** Gateway profile to use instead of the active one. */
  readonly gateway: string | undefined
  /** Local address, or name of an embedded Node, that requests are sent from. */
  readonly from: string | undefined
  /** False when colors are refused, true when they are forced, undefined when the terminal decides. */
  readonly color: boolean | undefined
  /** The terminal cannot move its cursor, or nobody said what it is. */
  readonly isDumb: boolean
}

/** Variables that people set for the CLI, as the generated settings page prints them. */
export const settings: ReadonlyArray<{
  readonly name: string
  readonly default: string
  readonly meaning: string
}> = [
  {
    name: 'FLEET_GATEWAY',
    default: 'the active profile, otherwise the embedded fleet of this checkout',
    meaning: 'Gateway profile to use.',
  },
  {
    name: 'FLEET_HOME',
    default: './.fleet of the checkout',
    meaning: 'Home of the embedded fleet, which is used if there is no profile.',
  },
  {
    name: 'FLEET_SOURCE_ADDRESS',
    default: 'chosen by the system',
    meaning: 'Local address, or name of an embedded Node, that requests are sent from.',
  },
  {
    name: 'XDG_CONFIG_HOME',
    default: '~/.config',
    meaning: 'Folder that contains the folder `fleet` with the profiles.',
  },
  {
    name: 'XDG_CACHE_HOME',
    default: '~/.cache',
    meaning: 'Folder for the compiled code of the launcher.',
  },
  { name: 'NO_COLOR', default: 'unset', meaning: 'Any value disables colors.' },
  { name: 'FORCE_COLOR', default: 'unset', meaning: 'Any value except 0 enables colors without a terminal.' },
]

type Variables = Readonly<Record<string, string | undefined>>

/** Reads `FLEET_HOME`, `FLEET_GATEWAY`, `FLEET_SOURCE_ADDRESS`, `XDG_CONFIG_HOME`, `HOME`, `NO_COLOR`, `FORCE_COLOR` and `TERM`. */
export function readEnvironment(
  checkout: string,
  variables: Variables = process.env,
  workingDirectory = (): string => process.cwd(),
): Environment {
  const home = given(variables['HOME']) ?? '/'
  return {
    configFolder: join(given(variables['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'fleet'),
    isCheckout: existsSync(join(checkout, 'package.json')),
    fleetHome: resolve(given(variables['FLEET_HOME']) ?? join(checkout, '.fleet')),
    currentDirectory: () => directoryOrUsage(workingDirectory),
    gateway: given(variables['FLEET_GATEWAY']),
    from: given(variables['FLEET_SOURCE_ADDRESS']),
    color: colorWish(variables),
    isDumb: ['dumb', ''].includes(variables['TERM'] ?? ''),
  }
}

function directoryOrUsage(workingDirectory: () => string): string {
  try {
    return workingDirectory()
  } catch {
    throw usage(
      'The current directory no longer exists.',
      'Change to another directory, or name the Instance.',
    )
  }
}

/** An empty variable means the same as none. */
const given = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : text

function colorWish(variables: Variables): boolean | undefined {
  if (given(variables['NO_COLOR']) || variables['TERM'] === 'dumb') return false
  if (given(variables['FORCE_COLOR']) && variables['FORCE_COLOR'] !== '0') return true
  return given(variables['TERM']) === undefined ? false : undefined
}
