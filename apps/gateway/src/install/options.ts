import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { Refusal } from '#/console/refusal.ts'

/** What a person decides about a gateway; undefined is what was not given. */
export interface InstallOptions {
  readonly name: string | undefined
  readonly publicHost: string | undefined
  readonly publicPort: number | undefined
  readonly range: string | undefined
  readonly address: string | undefined
  readonly port: number | undefined
  readonly suffix: string | undefined
  readonly fleetUser: string | undefined
}

/** A gateway that a backup describes; nothing is left to decide. */
export interface RestoreOptions {
  readonly restore: string
  readonly passphraseFile: string | undefined
  /** The database has the records already. */
  readonly keepRecords: boolean
}

export const INSTALL_USAGE = `usage: ./install --public-host HOST [options]

  --public-host HOST    address or name under which other machines reach this machine
  --name NAME           name of the first Node                        (gateway)
  --public-port PORT    port of this machine's SSH server             (22)
  --range CIDR          addresses of the private network              (10.44.0.0/16)
  --address ADDRESS     this machine's address in it                  (the first of the range)
  --port PORT           UDP port of the private network               (51820)
  --suffix NAME         private suffix of names, as in gateway.fleet  (fleet)
  --fleet-user USER     user that commands on this machine run as     (fleet)

   or: ./install --restore FILE [--passphrase-file FILE] [--keep-records]

  --restore FILE        restores a gateway from a backup on this blank machine
  --keep-records        keeps the records in its PostgreSQL database; the backup's own are not used

It can be run again at any time: finished parts are kept, missing parts are completed, and a flag that is not given means what
was chosen before.
`

const FLAGS = {
  'public-host': { type: 'string' },
  name: { type: 'string' },
  'public-port': { type: 'string' },
  range: { type: 'string' },
  address: { type: 'string' },
  port: { type: 'string' },
  suffix: { type: 'string' },
  'fleet-user': { type: 'string' },
  restore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'keep-records': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/**
 * Reads the flags. Of a machine on which no installation has begun it asks for what has no default, where somebody can answer.
 * Undefined when help was asked for.
 */
export async function installOptions(
  words: readonly string[],
  hasBegun: boolean,
): Promise<InstallOptions | RestoreOptions | undefined> {
  const values = parsed(words)
  if (values.help) return undefined
  if (values.restore !== undefined)
    return {
      // Programs that read it run in another directory.
      restore: resolve(values.restore),
      passphraseFile: values['passphrase-file'],
      keepRecords: values['keep-records'],
    }
  return {
    name: values.name === undefined ? undefined : matching('name', values.name, /^[A-Za-z0-9_-]{1,63}$/),
    publicHost:
      values['public-host'] === undefined
        ? await (hasBegun ? undefined : askPublicHost())
        : publicHost(values['public-host']),
    publicPort: portOf('public-port', values['public-port']),
    range: values.range,
    address: values.address,
    port: portOf('port', values.port),
    suffix: values.suffix,
    fleetUser: values['fleet-user'],
  }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: FLAGS }).values
  } catch (cause) {
    throw new Refusal(cause instanceof Error ? cause.message : String(cause), './install --help', cause)
  }
}

/** Throws Refusal where nobody can answer. */
export async function askPublicHost(): Promise<string> {
  if (!process.stdin.isTTY) throw new Refusal('--public-host is missing.', './install --help')
  using lines = createInterface({ input: process.stdin, output: process.stdout })
  const question = 'Address or name under which other machines reach this machine: '
  return publicHost((await lines.question(question)).trim())
}

const publicHost = (text: string): string => matching('public-host', text, /^[A-Za-z0-9.:-]{1,255}$/)

function matching(flag: string, value: string, form: RegExp): string {
  if (form.test(value)) return value
  throw new Refusal(`--${flag} cannot be ${value || 'empty'}.`, './install --help')
}

function portOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new Refusal(`--${flag} must be a port from 1 to 65535.`)
}
