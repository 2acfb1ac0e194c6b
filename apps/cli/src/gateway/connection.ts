import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { ClientError, EXIT } from '#/exit.ts'
import type { Environment } from '#/env.ts'
import { didYouMean } from '#/suggest.ts'
import type { Config } from './config.ts'
import type { EmbeddedFleet } from './embedded.ts'
import { EMBEDDED, type Profile } from './profile.ts'

/** Where a command sends its requests and whom it trusts there. */
export interface Connection {
  /** Name of the profile, or `embedded`. */
  readonly name: string
  readonly baseUrl: string
  /** PEM text of the only trusted root. */
  readonly ca: string
  readonly localAddress: string | undefined
  /** Absent for the embedded fleet, whose root is read from its own files. */
  readonly profile: Profile | undefined
}

export const configPath = (environment: Environment): string =>
  join(environment.configFolder, 'gateways.json')

/**
 * The named gateway, else the active profile, otherwise the embedded fleet of this checkout.
 * Throws `gateway.profile_not_found`, `gateway.profile_missing`, or what reading them throws.
 */
export async function connect(
  environment: Environment,
  wish: { readonly gateway: string | undefined; readonly from: string | undefined },
): Promise<Connection> {
  const name = wish.gateway ?? environment.gateway
  const from = wish.from ?? environment.from
  const config = name === EMBEDDED ? undefined : await storedConfig(configPath(environment))
  const wanted = name === EMBEDDED ? undefined : (name ?? config?.active)
  if (wanted !== undefined) {
    const profile = requireProfile(config ?? { active: undefined, gateways: [] }, wanted)
    return {
      name: profile.name,
      baseUrl: profile.url,
      ca: profile.ca,
      localAddress: sourceAddress(from, []),
      profile,
    }
  }
  const { findEmbedded } = await import('./embedded.ts')
  const embedded = await findEmbedded(environment.fleetHome)
  if (!embedded) throw missing(config, environment.isCheckout)
  return {
    name: EMBEDDED,
    baseUrl: embedded.baseUrl,
    ca: embedded.ca,
    localAddress: sourceAddress(from, embedded.nodes),
    profile: undefined,
  }
}

/** Absent when there is no file, so that its reader need not be loaded. */
const storedConfig = async (path: string): Promise<Config | undefined> =>
  existsSync(path) ? (await import('./config.ts')).readConfig(path) : undefined

/** The profile of this name, or `gateway.profile_not_found`. */
export function requireProfile({ gateways }: Config, name: string): Profile {
  const found = gateways.find((profile) => profile.name === name)
  if (found) return found
  const names = gateways.map((profile) => profile.name)
  throw new ClientError('gateway.profile_not_found', `There is no gateway profile ${name}.`, {
    exit: EXIT.usage,
    next:
      didYouMean(name, names) ??
      (names.length > 0 ? `Profiles: ${names.join(', ')}` : 'fleet gateway:add NAME URL'),
  })
}

function missing(config: Config | undefined, isCheckout: boolean): ClientError {
  const stored = config?.gateways.map(({ name }) => name) ?? []
  const add = 'fleet gateway:add main https://gateway.fleet'
  const next =
    stored.length > 0
      ? `Choose one: fleet gateway:use ${stored.join('|')}`
      : isCheckout
        ? `Start the embedded fleet with npm start, or add a gateway: ${add}`
        : `Add the gateway of your fleet: ${add}`
  return new ClientError('gateway.profile_missing', 'No gateway is selected.', { exit: EXIT.usage, next })
}

function sourceAddress(from: string | undefined, nodes: EmbeddedFleet['nodes']): string | undefined {
  if (from === undefined || isIP(from) !== 0) return from
  const node = nodes.find(({ name }) => name === from)
  if (node) return node.address
  throw new ClientError('usage', `${from} is neither a local address nor an embedded Node.`, {
    exit: EXIT.usage,
    next: didYouMean(
      from,
      nodes.map(({ name }) => name),
    ),
  })
}
