import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Where {
  readonly home: string
  readonly isDefaultHome: boolean
}

/**
 * How a person calls the command line for this fleet. A gateway that was stored for it and is active would get the commands
 * otherwise, and may be one in production.
 */
export function commandLine(
  { home, isDefaultHome }: Where,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const variables = [
    ...(hasActiveGateway(environment) ? ['FLEET_GATEWAY=embedded'] : []),
    ...(isDefaultHome ? [] : [`FLEET_HOME=${home}`]),
  ]
  return [...variables, './fleet'].join(' ')
}

/** As the command line finds its profiles. Of a file that it cannot read it says so itself. */
function hasActiveGateway(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { HOME = '/', XDG_CONFIG_HOME } = environment
  const folder =
    XDG_CONFIG_HOME === undefined || XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME
  try {
    const stored: unknown = JSON.parse(readFileSync(join(folder, 'fleet', 'gateways.json'), 'utf8'))
    return (
      typeof stored === 'object' && stored !== null && 'active' in stored && typeof stored.active === 'string'
    )
  } catch {
    return false
  }
}
